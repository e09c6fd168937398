// The structure of a hierarchical model: parameters that belong to one group each, and global parameters.
//
//   log posterior(theta) = global_term(phi) + sum over groups j of [ group_term(u_j, phi) + sum over its rows of
//   row_term(u_j, phi) ]
//
// phi are the global coordinates, u_j the `width` local coordinates of group j; Jacobians are inside the terms. Found
// from the graph: local parameters are arrays that the likelihood indexes by one integer column only, and whose prior
// is independent across groups.
#pragma once

#include "groups/slicer.hpp"

#include <sgmcmc/model.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// A group whose rows are divided into pieces: see split_groups.hpp.
struct SplitGroup {
  std::uint32_t group = 0;
  std::uint32_t others = 0;  ///< the first piece is unit `group`; the others are the units from this number
  std::uint32_t pieces = 1;
};

struct GroupModel {
  std::string column;                            ///< integer column that gives the group of each row
  std::int64_t base = 0;                         ///< the number of the first group in that column
  std::int64_t groups = 0;                       ///< including the further pieces of split groups, which come last
  std::size_t width = 0;                         ///< local coordinates of a group
  std::vector<std::int64_t> local;               ///< levels x width: coordinates in the model
  std::vector<std::int64_t> global;              ///< coordinates of phi in the model
  std::vector<std::string> local_parameters;     ///< names, in the order of declaration
  std::vector<Expression> local_leaves;          ///< the row data that terms read local coordinates from
  std::vector<Expression> global_leaves;         ///< the parameter leaves of phi that terms read
  Expression row_term, group_term, global_term;  ///< scalars; the last two may be empty
  std::vector<GroupColumn> group_columns;        ///< data by group that terms read
  std::vector<SplitGroup> splits;                ///< their local coordinates are among the global ones

  /// Groups of the data, without further pieces.
  std::size_t levels() const { return local.size() / width; }
  /// In the order of their numbers.
  std::vector<std::uint32_t> split_levels() const;
};

struct GroupFinding {
  std::optional<GroupModel> model;
  /// Why a column that indexes parameters does not define groups: "column: reason".
  std::vector<std::string> reasons;
};

GroupFinding find_groups(const Model& model);

}  // namespace sgmcmc
