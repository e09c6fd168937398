// Finding the mode: L-BFGS on a log density, SGD and Adam on minibatch gradients. Everything here MAXIMISES.
#pragma once

#include <sgmcmc/dynamics.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

enum class StopReason : std::uint8_t {
  gradient_small,  ///< converged: the predicted gain of another step is below the tolerance
  value_flat,      ///< converged up to rounding: several consecutive steps gained almost nothing
  kink,  ///< steps gain almost nothing, but the gradient is not small: density not smooth (Laplace prior at 0)
  iteration_limit,      ///< reached the maximum number of iterations
  start_not_finite,     ///< value or gradient at the starting point is not finite
  gradient_not_finite,  ///< SGD, Adam: a gradient estimate was not finite; theta is that of the step before
  line_search_failed,   ///< no step gains although the gradient is large: value and gradient are inconsistent
  degenerate,           ///< unbounded density: a scale goes to 0 together with the parameters it scales
};

struct OptimizeReport {
  StopReason reason = StopReason::iteration_limit;
  std::uint64_t iterations = 0;
  std::uint64_t evaluations = 0;  ///< of log density and gradient
  double value = 0.0;             ///< log density at the result (L-BFGS only)
  double gradient_norm = 0.0;     ///< Euclidean norm of the (last estimated) gradient
  double predicted_gain = 0.0;    ///< L-BFGS: gain in log density of a Newton step, by the estimated Hessian
  std::string collapsed;          ///< if degenerate: the parameter, and the width of the density there

  /// Whether the search converged to a mode. Never true for SGD and Adam.
  bool converged() const {
    return reason == StopReason::gradient_small || reason == StopReason::value_flat || reason == StopReason::kink;
  }
  std::string describe() const;  ///< one sentence
};

/// Returns the log density at theta and writes its gradient. May return NaN or infinities; the search then backtracks.
using LogDensityFunction = std::function<double(std::span<const double> theta, std::span<double> gradient)>;

struct LbfgsOptions {
  std::uint64_t max_iterations = 1000;
  std::uint32_t history = 20;  ///< number of stored pairs of steps and gradient changes
  /// Stop when the predicted gain in log density of the next step is below this. The gain is half the squared distance
  /// to the mode in posterior standard deviations, so the default means within about 1e-4 standard deviations.
  double gain_tolerance = 1e-8;
  /// Approximate scale of each parameter, such as its posterior standard deviation. Empty: estimated at the cost of a
  /// few gradients. Handles covariates of very different scales.
  std::vector<double> scale{};

  void validate(std::size_t dimension) const;  ///< throws OptionError naming the option
};

/// Moves theta uphill to a mode; theta always ends as the best point found.
OptimizeReport maximise_lbfgs(const LogDensityFunction& log_density, std::span<double> theta,
                              const LbfgsOptions& options = {});

/// theta += step_size * gradient estimate.
struct SgdOptions {
  StepSize step_size{};
  Schedule schedule{};
  std::uint64_t iterations = 10000;
  double averaged_share = 0.5;  ///< the result is the mean of this last share of the iterates; 0: the last iterate

  void validate(std::size_t dimension) const;  ///< throws OptionError naming the option
};

/// Adam (Kingma and Ba 2015): steps of about step_size in each parameter, independent of the scale of the gradient.
struct AdamOptions {
  StepSize step_size = 0.01;
  Schedule schedule = Schedule::decay(1000.0, 0.5);
  std::uint64_t iterations = 10000;
  double mean_decay = 0.9;      ///< beta_1
  double square_decay = 0.999;  ///< beta_2
  double epsilon = 1e-8;        ///< added to the root mean square of the gradient
  double averaged_share = 0.5;  ///< the result is the mean of this last share of the iterates; 0: the last iterate

  void validate(std::size_t dimension) const;  ///< throws OptionError naming the option
};

}  // namespace sgmcmc
