// Subposteriors: the posterior of one part of the rows, such that the product over all parts is the whole posterior.
//
//   log subposterior_s(u) = (1/S) [log prior + log-Jacobians](u) + sum over the rows of part s of log p_i(u)
//
// u are the unconstrained coordinates, and the prior is that of u, which includes the log-Jacobians: rules of
// combination
// (<sgmcmc/combine.hpp>) multiply densities of u, so that whole Jacobians in all S parts would count S times.
#pragma once

#include <sgmcmc/model.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// Part `part` of `parts`, counted from 1; 0: all of them, one after another.
struct Subposterior {
  std::uint64_t part = 1;
  std::uint64_t parts = 1;

  std::string text() const;  ///< "3/20", or "all/20"
  bool operator==(const Subposterior&) const = default;
};

/// The rows of a part, ascending. Rows are dealt in a random order that depends on the numbers of rows and parts alone,
/// so that parts that are sampled at different times fit together; sizes differ by at most one.
std::vector<std::uint32_t> rows_of_part(std::int64_t rows, const Subposterior& which);

/// The posterior of the part. Throws OptionError where the model has no rows, or fewer than there are parts.
Model subposterior(const Model& model, const Subposterior& which);

/// The seed of the random numbers of a part: draws of different parts must not share their noise.
std::uint64_t seed_of_part(std::uint64_t seed, const Subposterior& which);

}  // namespace sgmcmc
