// The interface between models and samplers: estimators of the gradient of the log posterior.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace sgmcmc {

/// Estimates of grad log p(theta | data) on the unconstrained scale. The scale N/n of minibatch sums lives behind this
/// interface and nowhere else: a sampler sees a gradient of the whole log posterior, prior and Jacobians included once.
/// Every new virtual function must also be forwarded in forwarding_estimator.hpp.
class GradientEstimator {
 public:
  virtual ~GradientEstimator() = default;
  virtual std::size_t dimension() const = 0;

  /// Writes the estimate at theta. `evaluation` counts gradient evaluations of the chain from 0 and picks the
  /// minibatch: the same (seed, chain, evaluation, theta) gives the same estimate.
  virtual void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) = 0;

  /// Estimates at another point with the minibatch and stored state of the last estimate(), whose `evaluation` must be
  /// passed again. The two estimates then differ only because theta does. Does not change the stored state.
  virtual void estimate_again(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) {
    estimate(theta, evaluation, gradient);
  }

  /// As estimate(), and also the variance of each component of the estimate over the choice of minibatch, itself
  /// estimated from the spread of the per-row gradients in this batch. Zero for a full gradient.
  virtual void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation,
                                      std::span<double> gradient, std::span<double> variance) = 0;

  /// The exact log posterior density at theta and its gradient, from every row. Non-finite outside the support. Only
  /// the full estimator provides it; option checks reject samplers that need it with any other estimator.
  virtual double log_density(std::span<const double> /*theta*/, std::span<double> /*gradient*/) {
    throw OptionError("exact samplers need every row: the gradient estimator must be full");
  }

  /// As estimate(), and also the matrix Fisher scoring scales a step with: N times the covariance of a row's gradient,
  /// estimated from the batch, plus the covariance of this estimate over the choice of batch. `blocks` holds the sizes
  /// of blocks of coordinates: each block is a square stored by column, of which the lower triangle is written, one
  /// block after another. Without blocks, the D variances are written.
  virtual void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation,
                                         std::span<double> gradient, std::span<const std::size_t> /*blocks*/,
                                         std::span<double> /*information*/) {
    estimate(theta, evaluation, gradient);
    throw OptionError("Fisher scoring needs the gradients of rows, which this estimator does not have");
  }
  /// Number of columns of the D-row factor F, where F F' is that matrix: about the number of rows in a batch. 0: this
  /// estimator provides the matrix only.
  virtual std::size_t information_columns() const { return 0; }
  /// As estimate_with_information(), but writes F.
  virtual void estimate_with_information_factor(std::span<const double> theta, std::uint64_t evaluation,
                                                std::span<double> gradient, std::span<double> /*factor*/) {
    estimate_with_information(theta, evaluation, gradient, {}, {});
  }

  /// The part of the gradient that does not come from rows: prior and Jacobians.
  virtual void prior_gradient(std::span<const double> /*theta*/, std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
  }
  virtual double rows() const { return 1.0; }                                          ///< N
  virtual std::size_t batch_rows() const { return static_cast<std::size_t>(rows()); }  ///< n

  /// The mode, if the estimator is centred there (control variates), so that chains start at it; else an empty span.
  virtual std::span<const double> preferred_start() const { return {}; }

  virtual void visit_state(StateVisitor&) {}
};

}  // namespace sgmcmc
