// Splits groups with very many rows into pieces, so that minibatches need not read all of their rows.
//
// The parameters u_j of such a group join the global ones, and its rows are divided into pieces. A piece is a unit like
// a group, but with nothing to integrate: it contributes the sum of its rows' terms at u_j, and the first piece also
// the group term. The posterior is the same, with more global coordinates; minibatches draw pieces as they draw groups.
#pragma once

#include "groups/group_model.hpp"

#include <cstdint>

namespace sgmcmc {

struct SplitOptions {
  std::uint32_t least_rows = 1000;  ///< minimum size of a group to split
  std::uint32_t rows_of_piece = 32;
  std::size_t most_parameters = 60;  ///< maximum number that join the global ones, from the largest groups
};

/// Returns the model unchanged if no group is that large, or if the rows enter only through sums computed once.
GroupModel split_groups(const Model& model, GroupModel groups, const SplitOptions& options = {});

}  // namespace sgmcmc
