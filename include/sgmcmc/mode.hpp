// The mode of a posterior, and the normal approximation there.
#pragma once

#include <sgmcmc/gradient.hpp>
#include <sgmcmc/laplace.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/optimize.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

/// A point that maximises the log posterior, on the unconstrained scale, and how it was found.
struct ModeResult {
  std::vector<double> theta;
  OptimizeReport report;
};
/// L-BFGS with full gradients, from `start` (empty: zeros).
ModeResult find_mode(const Model& model, const LbfgsOptions& options = {}, std::vector<double> start = {},
                     int threads = 0);
/// Adam or plain stochastic gradient ascent with minibatch estimates (minibatch, saga or svrg): for data or models too
/// large for full passes.
ModeResult find_mode(const Model& model, const AdamOptions& options, const GradientOptions& gradient = {},
                     std::vector<double> start = {}, std::uint64_t seed = 1);
ModeResult find_mode(const Model& model, const SgdOptions& options, const GradientOptions& gradient = {},
                     std::vector<double> start = {}, std::uint64_t seed = 1);

/// Finds the mode by L-BFGS from `start` (empty: zeros), and the curvature there by one pass over the rows per
/// coordinate; keeps D x D numbers. Throws ModelError when there is no mode to be found.
LaplaceApproximation laplace_approximation(const Model& model, const LbfgsOptions& options = {},
                                           std::vector<double> start = {}, int threads = 0);

}  // namespace sgmcmc
