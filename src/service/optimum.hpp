// The mode of a posterior on the constrained scale, with the outputs of the model there.
#pragma once

#include <sgmcmc/mode.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/settings.hpp>
#include <sgmcmc/stan.hpp>

#include <atomic>
#include <string>
#include <vector>

namespace sgmcmc {

struct Optimum {
  std::string method;
  ModeResult mode;
  std::vector<std::string> names;  ///< of parameters, then outputs
  std::vector<double> values;      ///< in the order of the names; NaN where an output cannot be computed
  std::string outputs_problem;     ///< why not all outputs can be computed; empty where they can
};

struct SearchOptions {
  double gain_tolerance = LbfgsOptions{}.gain_tolerance;
  /// Whether to include the log-Jacobians of constraints. With them, the mode of the unconstrained parameters, as
  /// samplers use it; without, the mode of the constrained parameters, which is the penalised maximum likelihood
  /// estimate.
  bool jacobian = true;
  const std::atomic<bool>* interrupt = nullptr;
};

/// Uses these settings: method (an optimiser; default lbfgs), step_size, those of minibatches, schedule, iterations,
/// initial values, seed and threads. Throws SettingError, the errors of find_mode(), and InterruptedError once the flag
/// is set.
Optimum find_optimum(const StanPosterior& posterior, const RunSettings& settings, const SearchOptions& search = {});
/// The same for any model, without outputs. precision: that of minibatch arithmetic.
Optimum find_optimum(const Model& model, Precision precision, const RunSettings& settings,
                     const SearchOptions& search = {});

}  // namespace sgmcmc
