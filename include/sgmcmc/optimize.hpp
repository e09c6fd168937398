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
  gradient_small,    ///< converged: the predicted gain of another step is below the tolerance
  value_flat,        ///< converged as far as rounding lets it: several steps in a row gained next to nothing
  kink,              ///< steps gain next to nothing, the gradient is not small: density not smooth (Laplace prior at 0)
  iteration_limit,   ///< the iterations allowed are used up
  start_not_finite,  ///< value or gradient at the starting point is not finite
  gradient_not_finite,  ///< SGD, Adam: an estimate was not finite; theta is where it was before
  line_search_failed,   ///< no step gains although the gradient is far from small: value and gradient disagree
  degenerate,  ///< the density grows without bound: a scale goes to 0 and what it is the scale of shrinks with it
};

struct OptimizeReport {
  StopReason reason = StopReason::iteration_limit;
  std::uint64_t iterations = 0;
  std::uint64_t evaluations = 0;  ///< of the log density with its gradient
  double value = 0.0;             ///< log density at the result (L-BFGS only)
  double gradient_norm = 0.0;     ///< Euclidean norm of the (last estimated) gradient
  double predicted_gain = 0.0;    ///< L-BFGS: what a Newton step would gain in log density, by the estimated curvature
  std::string collapsed;          ///< degenerate: the parameter, and how narrow the density is there

  /// Whether the result is a mode as far as can be told. SGD and Adam never claim so.
  bool converged() const {
    return reason == StopReason::gradient_small || reason == StopReason::value_flat || reason == StopReason::kink;
  }
  std::string describe() const;  ///< one sentence
};

/// Returns the log density at theta and writes its gradient. May return NaN or infinities: the search then steps back.
using LogDensityFunction = std::function<double(std::span<const double> theta, std::span<double> gradient)>;

struct LbfgsOptions {
  std::uint64_t max_iterations = 1000;
  std::uint32_t history = 20;  ///< pairs of steps and gradient changes kept
  /// Stop when another step is predicted to gain less than this in log density. The gain is half the squared distance
  /// to the mode in posterior standard deviations, so the default means within about 1e-4 standard deviations.
  double gain_tolerance = 1e-8;
  /// Rough size of each parameter (its posterior standard deviation, say), one per parameter. Empty: found by probing,
  /// at the price of a few gradients. Makes columns of wildly different scales harmless.
  std::vector<double> scale{};

  void validate(std::size_t dimension) const;  ///< throws OptionError naming the option
};

/// Moves theta uphill to a mode; theta holds the best point found whatever the outcome.
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

/// Adam (Kingma and Ba 2015): steps of about step_size in each parameter, whatever the scale of the gradient.
struct AdamOptions {
  StepSize step_size = 0.01;
  Schedule schedule = Schedule::decay(1000.0, 0.5);
  std::uint64_t iterations = 10000;
  double mean_decay = 0.9;      ///< beta_1
  double square_decay = 0.999;  ///< beta_2
  double epsilon = 1e-8;        ///< added to the root of the mean squared gradient
  double averaged_share = 0.5;  ///< the result is the mean of this last share of the iterates; 0: the last iterate

  void validate(std::size_t dimension) const;  ///< throws OptionError naming the option
};

}  // namespace sgmcmc
