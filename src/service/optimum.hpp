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
  /// Whether log-Jacobians of constraints count: the mode of the unconstrained parameters, at which samplers look. Else
  /// that of the constrained ones, which a penalised maximum likelihood estimate is.
  bool jacobian = true;
  const std::atomic<bool>* interrupt = nullptr;
};

/// Of the settings, method (an optimiser: lbfgs if not set), step_size, those of minibatches, schedule, iterations,
/// initial values, seed and threads count. Throws SettingError, what find_mode() throws, and InterruptedError once the
/// flag is set.
Optimum find_optimum(const StanPosterior& posterior, const RunSettings& settings, const SearchOptions& search = {});
/// The same of any model: it has no outputs. precision: of arithmetic with minibatches.
Optimum find_optimum(const Model& model, Precision precision, const RunSettings& settings,
                     const SearchOptions& search = {});

}  // namespace sgmcmc
