// The seam between models and samplers: something that estimates the gradient of the log posterior.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace sgmcmc {

/// Estimates of grad log p(theta | data) on the unconstrained scale. The scale N/n of minibatch sums lives behind this
/// interface and nowhere else: a sampler sees a gradient of the whole log posterior, prior and Jacobians included once.
/// A new virtual function is handed on in forwarding_estimator.hpp too.
class GradientEstimator {
 public:
  virtual ~GradientEstimator() = default;
  virtual std::size_t dimension() const = 0;

  /// Writes the estimate at theta. `evaluation` counts gradient evaluations of the chain from 0 and picks the
  /// minibatch: the same (seed, chain, evaluation, theta) gives the same estimate.
  virtual void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) = 0;

  /// At another point, with the minibatch and the memory of the last estimate(), whose `evaluation` this is: the two
  /// differ by the change of the gradient alone. Leaves no trace in the memory.
  virtual void estimate_again(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) {
    estimate(theta, evaluation, gradient);
  }

  /// As estimate(), and also the variance of each component of the estimate over the choice of minibatch, itself
  /// estimated from the spread of the per-row gradients in this batch. Zero for a full gradient.
  virtual void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation,
                                      std::span<double> gradient, std::span<double> variance) = 0;

  /// The log posterior density at theta, and its gradient: exact, from every row. Not finite outside the support. Only
  /// the full estimator has it; what samplers need it for is refused with the others when options are checked.
  virtual double log_density(std::span<const double> /*theta*/, std::span<double> /*gradient*/) {
    throw OptionError("exact samplers need every row: the gradient estimator must be full");
  }

  /// As estimate(), and also what Fisher scoring weighs a step with: N times the covariance of a row's gradient, as the
  /// batch tells it, plus the covariance of this estimate over the choice of the batch. Of every block of so many
  /// coordinates the lower triangle of a square by column, one block after another; without blocks the D variances.
  virtual void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation,
                                         std::span<double> gradient, std::span<const std::size_t> /*blocks*/,
                                         std::span<double> /*information*/) {
    estimate(theta, evaluation, gradient);
    throw OptionError("Fisher scoring needs the gradients of rows, which this estimator does not have");
  }
  /// How many columns of D numbers F has, where F F' is that matrix: about the rows of a batch. 0: only the matrix can
  /// be had.
  virtual std::size_t information_columns() const { return 0; }
  /// As estimate_with_information(), for F.
  virtual void estimate_with_information_factor(std::span<const double> theta, std::uint64_t evaluation,
                                                std::span<double> gradient, std::span<double> /*factor*/) {
    estimate_with_information(theta, evaluation, gradient, {}, {});
  }

  /// The part of the gradient that no row contributes: of the prior and of Jacobians.
  virtual void prior_gradient(std::span<const double> /*theta*/, std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
  }
  virtual double rows() const { return 1.0; }                                          ///< N
  virtual std::size_t batch_rows() const { return static_cast<std::size_t>(rows()); }  ///< n

  /// Where the estimator keeps a copy of the mode (control variates), it starts there; else returns an empty span.
  virtual std::span<const double> preferred_start() const { return {}; }

  virtual void visit_state(StateVisitor&) {}
};

}  // namespace sgmcmc
