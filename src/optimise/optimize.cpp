// SGD and Adam, with the mean of the last iterates as the result: averaging removes most of the gradient noise.
#include "optimise/optimize.hpp"

#include "base/interrupt.hpp"
#include "base/vector_loops.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

void check_averaged_share(double share) {
  if (!(share >= 0.0 && share <= 1.0))
    throw OptionError("averaged_share is " + std::to_string(share) + "; it must lie between 0 and 1");
}

void check_decay(const char* name, double decay) {
  if (!(decay >= 0.0 && decay < 1.0))
    throw OptionError(std::string(name) + " is " + std::to_string(decay) + "; it must be at least 0 and below 1");
}

double norm_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double x : values) sum += x * x;
  return std::sqrt(sum);
}

/// The loop of both: move(t, gradient, step) writes the next step.
template <class Move>
OptimizeReport climb(GradientEstimator& estimator, std::span<double> theta, std::uint64_t first_evaluation,
                     std::uint64_t iterations, double averaged_share, const std::atomic<bool>* interrupt, Move&& move) {
  const std::size_t dimension = theta.size();
  std::vector<double> gradient(dimension), step(dimension), mean(dimension);
  const auto averaged = static_cast<std::uint64_t>(std::floor(averaged_share * static_cast<double>(iterations)));
  const std::uint64_t burn_in = iterations - std::min(iterations, averaged);
  OptimizeReport report;
  for (std::uint64_t t = 0; t < iterations; ++t) {
    throw_if_interrupted(interrupt);
    estimator.estimate(theta, first_evaluation + t, gradient);
    ++report.evaluations;
    if (first_non_finite(gradient) < dimension) {
      report.reason = StopReason::gradient_not_finite;
      return report;
    }
    move(t, gradient, step);
    add_multiple(theta, 1.0, step);
    ++report.iterations;
    if (t >= burn_in) {
      const double share = 1.0 / static_cast<double>(t - burn_in + 1);
      SGMCMC_INDEPENDENT_ITERATIONS()
      for (std::size_t j = 0; j < dimension; ++j) mean[j] += share * (theta[j] - mean[j]);
    }
  }
  if (averaged > 0) std::copy(mean.begin(), mean.end(), theta.begin());
  report.gradient_norm = norm_of(gradient);
  return report;
}

void check_dimension(const GradientEstimator& estimator, std::span<const double> theta) {
  if (estimator.dimension() != theta.size())
    throw OptionError("starting point has " + std::to_string(theta.size()) + " elements but the model has " +
                      std::to_string(estimator.dimension()) + " unconstrained parameters");
}

}  // namespace

void SgdOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  check_averaged_share(averaged_share);
}

void AdamOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  check_averaged_share(averaged_share);
  check_decay("mean_decay", mean_decay);
  check_decay("square_decay", square_decay);
  if (!(epsilon > 0.0)) throw OptionError("epsilon is " + std::to_string(epsilon) + "; it must be positive");
}

OptimizeReport maximise_sgd(GradientEstimator& estimator, std::span<double> theta, const SgdOptions& options,
                            std::uint64_t first_evaluation, const std::atomic<bool>* interrupt) {
  check_dimension(estimator, theta);
  options.validate(theta.size());
  StepSizes steps(options.step_size, options.schedule, theta.size());
  return climb(estimator, theta, first_evaluation, options.iterations, options.averaged_share, interrupt,
               [&](std::uint64_t t, const std::vector<double>& gradient, std::vector<double>& step) {
                 steps.set_iteration(t);
                 for (std::size_t j = 0; j < step.size(); ++j) step[j] = steps.step()[j] * gradient[j];
               });
}

OptimizeReport maximise_adam(GradientEstimator& estimator, std::span<double> theta, const AdamOptions& options,
                             std::uint64_t first_evaluation, const std::atomic<bool>* interrupt) {
  check_dimension(estimator, theta);
  options.validate(theta.size());
  StepSizes steps(options.step_size, options.schedule, theta.size());
  std::vector<double> mean(theta.size()), square(theta.size());
  return climb(estimator, theta, first_evaluation, options.iterations, options.averaged_share, interrupt,
               [&](std::uint64_t t, const std::vector<double>& gradient, std::vector<double>& step) {
                 steps.set_iteration(t);
                 // Bias correction for a running mean that starts at 0.
                 const double b1 = options.mean_decay, b2 = options.square_decay, epsilon = options.epsilon;
                 const double mean_weight = 1.0 - std::pow(b1, static_cast<double>(t + 1));
                 const double square_weight = 1.0 - std::pow(b2, static_cast<double>(t + 1));
                 double *m = mean.data(), *s = square.data(), *moves = step.data();
                 const double *g = gradient.data(), *size = steps.step();
                 SGMCMC_INDEPENDENT_ITERATIONS()
                 for (std::size_t j = 0; j < step.size(); ++j) {
                   m[j] = b1 * m[j] + (1.0 - b1) * g[j];
                   s[j] = b2 * s[j] + (1.0 - b2) * g[j] * g[j];
                   moves[j] = size[j] * (m[j] / mean_weight) / (std::sqrt(s[j] / square_weight) + epsilon);
                 }
               });
}

}  // namespace sgmcmc
