// Subposteriors: the posterior given one part of the rows, defined so that the product over all parts is proportional
// to the posterior given all rows.
//
//   log subposterior_s(u) = (1/S) [log prior + log-Jacobians](u) + sum over the rows of part s of log p_i(u)
//
// u are the unconstrained coordinates. The prior is that of u, so it includes the log-Jacobians: combination rules
// multiply densities of u (<sgmcmc/combine.hpp>), and full Jacobians in each of the S parts would count S times.
#pragma once

#include <sgmcmc/model.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// Part `part` of `parts`, counted from 1; 0: all parts.
struct Subposterior {
  std::uint64_t part = 1;
  std::uint64_t parts = 1;

  std::string text() const;  ///< "3/20", or "all/20"
  bool operator==(const Subposterior&) const = default;
};

/// The rows of a part, ascending. Rows are dealt in a random order that depends only on the numbers of rows and parts,
/// so that parts sampled at different times fit together. Part sizes differ by at most one.
std::vector<std::uint32_t> rows_of_part(std::int64_t rows, const Subposterior& which);

/// The model of one part. Throws OptionError if the model has no rows, or fewer rows than parts.
Model subposterior(const Model& model, const Subposterior& which);

/// The random seed of a part. Parts need different seeds, because their draws must not share noise.
std::uint64_t seed_of_part(std::uint64_t seed, const Subposterior& which);

}  // namespace sgmcmc
