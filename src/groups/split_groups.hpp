// Groups with very many rows cut into pieces, so that no step of a minibatch sampler has to read all of them.
//
// The parameters u_j of such a group join the global ones, and its rows are dealt into pieces. A piece is a unit like a
// group, but nothing is left to integrate: it contributes the sum of its rows' terms at u_j, and the first piece also
// the group term. The posterior is the same, over more coordinates; the noise of taking some pieces and not others is
// that of minibatches, with the weights that all units have.
#pragma once

#include "groups/group_model.hpp"

#include <cstdint>

namespace sgmcmc {

struct SplitOptions {
  std::uint32_t least_rows = 1000;  ///< of a group that is split
  std::uint32_t rows_of_piece = 32;
  std::size_t most_parameters = 60;  ///< that join the global ones: of the largest groups
};

/// The model itself where no group is that large, and where rows are summed up once and never read again.
GroupModel split_groups(const Model& model, GroupModel groups, const SplitOptions& options = {});

}  // namespace sgmcmc
