// The log density that hmc-ecs samples: the sum over all rows, estimated from a subset that is fixed while the
// parameters move.
//
//   log p(theta, u) = log prior + sum of expansions + (N / m) sum over u of r_i - v / 2,
//   v = (N^2 / m) times the sample variance of r_i in u
//
// [Dang, Quiroz, Kohn, Tran & Villani 2019]. For a normal estimate of variance v, the log of the mean of exp(estimate)
// is too large by v / 2. With this correction, the marginal distribution of theta is the posterior, up to error().
#pragma once

#include "gradient/estimator.hpp"
#include "model/log_posterior.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class SubsetEstimator final : public GradientEstimator {
 public:
  /// `posterior` is that of an expanded() model. A subset as large as the data contains every row once.
  SubsetEstimator(std::shared_ptr<const LogPosterior> posterior, std::uint32_t subset_rows);

  std::size_t dimension() const override { return static_cast<std::size_t>(posterior_->dimension()); }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override;
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override;
  double log_density(std::span<const double> theta, std::span<double> gradient) override;
  void visit_state(StateVisitor& visitor) override;

  /// Draws a random subset.
  void draw_subset(std::uint64_t seed, std::uint32_t chain);
  /// Metropolis steps on the subset at theta, a tenth of its rows at a time. Returns the acceptance rate.
  double refresh_subset(std::span<const double> theta, std::uint64_t seed, std::uint32_t chain,
                        std::uint64_t iteration);

  // For the subset, at the last theta evaluated.
  double variance() const { return variance_; }  ///< v: variance of the estimated log likelihood
  /// Error of the log marginal density of theta, to the next order beyond the normal approximation.
  double error() const { return error_; }

 private:
  bool takes_all() const { return rows_.empty(); }
  RowBatch batch() const;
  void remainders(std::span<const double> theta, const RowBatch& rows, std::span<double> values);
  /// The estimate minus half its variance, for these remainders.
  double corrected_sum(std::span<const double> values);

  std::shared_ptr<const LogPosterior> posterior_;
  std::unique_ptr<Executor> each_row_, density_;
  double all_;                         // N
  std::vector<std::uint32_t> rows_;    // the subset; empty: all rows
  std::vector<std::uint32_t> others_;  // a proposal
  std::vector<double> values_, proposed_, weights_, density_and_gradient_;
  double mean_ = 0, variance_ = 0, error_ = 0;
};

}  // namespace sgmcmc
