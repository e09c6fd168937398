// The mode of a model by L-BFGS with full gradients.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/mode.hpp>

#include <vector>

namespace sgmcmc {

/// `start`, or zeros where it is empty. Throws OptionError when it is of another length than the model's coordinates.
std::vector<double> checked_start(const Model& model, std::vector<double> start);

/// Of a mode that is to be the centre of control variates, or of a map: a thousandth of what a chain will range over,
/// and passes over many rows are not spent on more.
LbfgsOptions rough_enough(const LbfgsOptions& options, std::int64_t rows);

/// Sets the reason to degenerate where the density at theta is narrower, in some coordinate, than any data could make
/// it: a scale has collapsed. By two products with the Hessian.
void look_for_collapse(const LogPosterior& posterior, std::span<const double> theta, OptimizeReport& report,
                       ThreadPool* pool);

/// When the interrupt flag is set on the way, returns the start. Rows in random order are visited in slices, and all of
/// them only twice where that is enough; then `gradient`, where it is given, gets that of all rows at the mode.
ModeResult climb(const LogPosterior& posterior, const LbfgsOptions& options, std::vector<double> start,
                 ThreadPool* pool, const std::atomic<bool>* interrupt = nullptr,
                 std::vector<double>* gradient = nullptr);

}  // namespace sgmcmc
