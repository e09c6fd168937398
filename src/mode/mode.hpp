// Finds the mode of a model by L-BFGS with full gradients.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/mode.hpp>

#include <vector>

namespace sgmcmc {

/// `start`, or zeros if it is empty. Throws OptionError if its length is not the number of coordinates.
std::vector<double> checked_start(const Model& model, std::vector<double> start);

/// Tolerance for the centre of control variates or of a preconditioner: a thousandth of a posterior standard deviation;
/// greater precision is not worth passes over many rows.
LbfgsOptions rough_enough(const LbfgsOptions& options, std::int64_t rows);

/// Sets the reason to degenerate if the density at theta is implausibly narrow in some coordinate: a scale has
/// collapsed. Takes two products with the Hessian.
void look_for_collapse(const LogPosterior& posterior, std::span<const double> theta, OptimizeReport& report,
                       ThreadPool* pool);

/// Returns the start if interrupted. Visits rows in random order in slices, and all of them only twice if that is
/// enough; `gradient`, if given, then receives the gradient of all rows at the mode.
ModeResult climb(const LogPosterior& posterior, const LbfgsOptions& options, std::vector<double> start,
                 ThreadPool* pool, const std::atomic<bool>* interrupt = nullptr,
                 std::vector<double>* gradient = nullptr);

}  // namespace sgmcmc
