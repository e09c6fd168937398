// Searches for the mode, and the normal approximation there, that a flag ends: all throw InterruptedError once it is
// set.
#pragma once

#include <sgmcmc/mode.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace sgmcmc {

ModeResult find_mode(const Model& model, const LbfgsOptions& options, std::vector<double> start, int threads,
                     const std::atomic<bool>* interrupt);
ModeResult find_mode(const Model& model, const AdamOptions& options, const GradientOptions& gradient,
                     std::vector<double> start, std::uint64_t seed, const std::atomic<bool>* interrupt);
ModeResult find_mode(const Model& model, const SgdOptions& options, const GradientOptions& gradient,
                     std::vector<double> start, std::uint64_t seed, const std::atomic<bool>* interrupt);

LaplaceApproximation laplace_approximation(const Model& model, const LbfgsOptions& options, std::vector<double> start,
                                           int threads, const std::atomic<bool>* interrupt);

}  // namespace sgmcmc
