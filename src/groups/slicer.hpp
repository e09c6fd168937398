// Rewrites expressions over all groups as the contribution of one group.
//
// A hierarchical model computes with arrays over groups: theta [J], mu + tau * z [J], a matrix with a column per group.
// Given the positions that belong to each group, slice() rewrites such an array as an expression of one group: elements
// of parameters become columns of "local" numbers, elements of constants become columns of group data, and what all
// groups share stays global. The group axis is then implicit, like the row axis elsewhere.
#pragma once

#include <sgmcmc/expression.hpp>

#include "graph/node.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sgmcmc {

/// Why an expression cannot be split by group. Thrown and caught inside this layer.
struct NotByGroup {
  std::string reason;
};

/// Flat positions in an array, `width` for every group, group after group.
struct GroupPositions {
  std::int64_t width = 1;
  std::vector<std::int64_t> at;
  bool same_for_all = false;  ///< every group has the positions of the first
};
using GroupPositionsPointer = std::shared_ptr<const GroupPositions>;
GroupPositionsPointer make_positions(std::int64_t width, std::vector<std::int64_t> at);

/// Data that differ by group: `width` numbers for each.
struct GroupColumn {
  std::string name;
  std::int64_t width = 1;
  bool integer = false;  ///< positions in an array of global parameters
  std::vector<double> values;
};

class Slicer {
 public:
  explicit Slicer(std::int64_t groups) : groups_(groups) {}

  /// The elements at these positions, as an expression of one group: a vector of `width` elements, or a scalar for
  /// width 1. Throws NotByGroup.
  Expression slice(const Expression& x, const GroupPositionsPointer& positions);
  /// Merges one expression per group, all of the same structure, into an expression of one group. Throws NotByGroup.
  Expression merge(const std::vector<Expression>& one_per_group);

  std::int64_t groups() const { return groups_; }
  /// The name of the column that local number `slot` of a group is read from.
  static std::string local_name(std::size_t slot);
  /// coordinates()[slot][group]: which unconstrained coordinate that number is.
  const std::vector<std::vector<std::int64_t>>& coordinates() const { return coordinates_; }
  const std::vector<GroupColumn>& columns() const { return columns_; }

 private:
  Expression slice_inner(const Expression& x, const GroupPositionsPointer& positions);
  Expression slice_parameter(const Node& node, const GroupPositions& positions);
  Expression slice_reduction(const Node& node, const GroupPositions& positions);
  Expression slice_along(const Node& node, const GroupPositions& positions);
  Expression slice_product(const Node& node, const GroupPositions& positions);
  Expression slice_triangular(const Node& node, const GroupPositions& positions);
  Expression slice_concat(const Node& node, const GroupPositions& positions);
  Expression group_column(std::int64_t width, std::vector<double> values, const Shape& shape, bool integer = false);
  Expression local(std::vector<std::int64_t> coordinates);

  std::int64_t groups_;
  int depth_ = 0;
  std::vector<std::vector<std::int64_t>> coordinates_;
  std::map<std::int64_t, std::size_t> slot_of_first_;  // by the coordinate of the first group
  std::vector<Expression> locals_;
  std::vector<GroupColumn> columns_;
  std::map<std::pair<const Node*, const GroupPositions*>, Expression> sliced_;
  std::map<std::pair<const Node*, const Node*>, Expression> merged_;  // by the first and the last group's
  std::map<std::pair<const Node*, const GroupPositions*>, GroupPositionsPointer> composed_;
  std::vector<GroupPositionsPointer> kept_;  // keeps addresses unique
  std::vector<Expression> kept_expressions_;
};

}  // namespace sgmcmc
