// The mode of a posterior, and the normal approximation there.
#pragma once

#include <sgmcmc/gradient.hpp>
#include <sgmcmc/laplace.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/optimize.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace sgmcmc {

/// A point that maximises the log posterior, on the unconstrained scale, and how it was found.
struct ModeResult {
  std::vector<double> theta;
  OptimizeReport report;
};
/// L-BFGS with full gradients, from `start` (empty: zeros). This and the functions below throw InterruptedError once
/// `interrupt` is set.
ModeResult find_mode(const Model& model, const LbfgsOptions& options = {}, std::vector<double> start = {},
                     int threads = 0, const std::atomic<bool>* interrupt = nullptr);
/// Adam or plain stochastic gradient ascent with minibatch estimates (minibatch, saga or svrg): for data or models too
/// large for full passes.
ModeResult find_mode(const Model& model, const AdamOptions& options, const GradientOptions& gradient = {},
                     std::vector<double> start = {}, std::uint64_t seed = 1,
                     const std::atomic<bool>* interrupt = nullptr);
ModeResult find_mode(const Model& model, const SgdOptions& options, const GradientOptions& gradient = {},
                     std::vector<double> start = {}, std::uint64_t seed = 1,
                     const std::atomic<bool>* interrupt = nullptr);

/// Finds the mode by L-BFGS from `start` (empty: zeros), and the Hessian there by one pass over the rows per
/// coordinate; stores D x D numbers. Throws ModelError if no mode is found.
LaplaceApproximation laplace_approximation(const Model& model, const LbfgsOptions& options = {},
                                           std::vector<double> start = {}, int threads = 0,
                                           const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
