// Hierarchical models taken apart: parameters that belong to one group each, and those that all groups share.
//
//   log posterior(theta) = global_term(phi) + sum over groups j of [ group_term(u_j, phi) + sum over its rows of
//   row_term(u_j, phi) ]
//
// phi are the global coordinates, u_j the `width` local coordinates of group j; Jacobians are inside the terms. Found
// from the graph alone: arrays that the likelihood reaches only through one integer column, and that the prior does not
// tie across groups.
#pragma once

#include "groups/slicer.hpp"

#include <sgmcmc/model.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// A group whose rows are dealt into pieces: see split_groups.hpp.
struct SplitGroup {
  std::uint32_t group = 0;
  std::uint32_t others = 0;  ///< the first piece is unit `group`; the other ones are the units from here on
  std::uint32_t pieces = 1;
};

struct GroupModel {
  std::string column;                            ///< integer column of the rows that says which group a row is of
  std::int64_t base = 0;                         ///< the number of the first group in that column
  std::int64_t groups = 0;                       ///< with the further pieces of split groups, which come last
  std::size_t width = 0;                         ///< local coordinates of a group
  std::vector<std::int64_t> local;               ///< levels x width: the coordinate of the model that each is
  std::vector<std::int64_t> global;              ///< for every coordinate of phi, that of the model
  std::vector<std::string> local_parameters;     ///< names, in the order of declaration
  std::vector<Expression> local_leaves;          ///< the row data that terms read local coordinates from
  std::vector<Expression> global_leaves;         ///< the parameter leaves of phi that terms read
  Expression row_term, group_term, global_term;  ///< scalars; the last two may be empty
  std::vector<GroupColumn> group_columns;        ///< data by group that terms read
  std::vector<SplitGroup> splits;                ///< whose local coordinates are among the global ones

  /// Groups of the data, without further pieces.
  std::size_t levels() const { return local.size() / width; }
  /// In the order of their numbers.
  std::vector<std::uint32_t> split_levels() const;
};

struct GroupFinding {
  std::optional<GroupModel> model;
  /// Why a column that picks elements of parameters does not make groups: "column: reason".
  std::vector<std::string> reasons;
};

GroupFinding find_groups(const Model& model);

}  // namespace sgmcmc
