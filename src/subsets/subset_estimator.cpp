// Moments of the remainders, and Metropolis updates of the subset.
#include "subsets/subset_estimator.hpp"

#include "plan/row_values.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sgmcmc {
namespace {

constexpr std::size_t blocks = 10;

}  // namespace

SubsetEstimator::SubsetEstimator(std::shared_ptr<const LogPosterior> posterior, std::uint32_t subset_rows)
    : posterior_(std::move(posterior)), all_(static_cast<double>(posterior_->rows())) {
  const ExecutorOptions options = {Precision::float64, 0, nullptr};
  density_ = posterior_->executor(ProgramKind::value_and_gradient, options);
  density_and_gradient_.resize(dimension() + 1);
  if (subset_rows >= posterior_->rows()) return;
  each_row_ = posterior_->executor(ProgramKind::row_log_likelihoods, options);
  rows_.resize(subset_rows);
  others_.resize(subset_rows);
  values_.resize(subset_rows);
  proposed_.resize(subset_rows);
  weights_.resize(subset_rows);
}

RowBatch SubsetEstimator::batch() const {
  RowBatch batch;
  batch.count = static_cast<std::uint32_t>(rows_.size());
  batch.indices = rows_.data();
  return batch;
}

void SubsetEstimator::remainders(std::span<const double> theta, const RowBatch& rows, std::span<double> values) {
  each_row_->set_point(Point::current, theta);
  RowValues consumer(values);
  each_row_->run_rows(rows, consumer);
}

double SubsetEstimator::corrected_sum(std::span<const double> values) {
  const auto m = static_cast<double>(values.size());
  mean_ = std::accumulate(values.begin(), values.end(), 0.0) / m;
  double second = 0, third = 0, fourth = 0;
  for (const double x : values) {
    const double d = x - mean_, square = d * d;
    second += square;
    third += square * d;
    fourth += square * square;
  }
  const double spread = second / (m - 1);
  variance_ = all_ * all_ * spread / m;
  // With k2, k3, k4 the cumulants of r_i: log E exp(sum - v / 2) - log exp(true sum), from cumulants of sum and v.
  const double k3 = third / m, k4 = fourth / m - 3 * spread * spread;
  const double scale = all_ / m;
  error_ = -scale * scale * all_ * k3 / 3 - scale * scale * scale * all_ * k4 / 12 + variance_ * variance_ / (4 * m);
  return all_ * mean_ - 0.5 * variance_;
}

double SubsetEstimator::log_density(std::span<const double> theta, std::span<double> gradient) {
  RowBatch rows = posterior_->all_rows();
  double correction = 0;
  if (!takes_all()) {
    rows = batch();
    remainders(theta, rows, values_);
    const double wanted = corrected_sum(values_);
    const auto m = static_cast<double>(values_.size());
    double weighted = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {  // derivatives of the corrected sum
      weights_[i] = all_ / m - all_ * all_ / (m * (m - 1)) * (values_[i] - mean_);
      weighted += weights_[i] * values_[i];
    }
    rows.weights = weights_.data();
    correction = wanted - weighted;
  }
  density_->set_point(Point::current, theta);
  density_->run(rows, density_and_gradient_);
  std::copy(density_and_gradient_.begin() + 1, density_and_gradient_.end(), gradient.begin());
  return density_and_gradient_[0] + correction;
}

void SubsetEstimator::estimate(std::span<const double> theta, std::uint64_t, std::span<double> gradient) {
  log_density(theta, gradient);
}

void SubsetEstimator::estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation,
                                             std::span<double> gradient, std::span<double> variance) {
  estimate(theta, evaluation, gradient);
  std::fill(variance.begin(), variance.end(), 0.0);
}

void SubsetEstimator::draw_subset(std::uint64_t seed, std::uint32_t chain) {
  fill_below({seed, chain, 0, Purpose::minibatch}, static_cast<std::uint32_t>(posterior_->rows()), rows_);
}

double SubsetEstimator::refresh_subset(std::span<const double> theta, std::uint64_t seed, std::uint32_t chain,
                                       std::uint64_t iteration) {
  if (takes_all()) return 1.0;
  const StreamKey key = {seed, chain, iteration + 1, Purpose::minibatch};  // 0: the first subset
  fill_below(key, static_cast<std::uint32_t>(posterior_->rows()), others_);
  std::array<double, blocks> uniforms{};
  fill_uniform({seed, chain, iteration, Purpose::importance}, uniforms);

  remainders(theta, batch(), values_);
  RowBatch new_rows = batch();
  new_rows.indices = others_.data();
  remainders(theta, new_rows, proposed_);
  double now = corrected_sum(values_);
  std::size_t accepted = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t begin = rows_.size() * b / blocks, end = rows_.size() * (b + 1) / blocks;
    const auto exchange = [&] {
      std::swap_ranges(values_.begin() + static_cast<std::ptrdiff_t>(begin),
                       values_.begin() + static_cast<std::ptrdiff_t>(end),
                       proposed_.begin() + static_cast<std::ptrdiff_t>(begin));
    };
    exchange();
    const double then = corrected_sum(values_);
    if (std::log(uniforms[b]) < then - now) {
      now = then;
      ++accepted;
      std::copy(others_.begin() + static_cast<std::ptrdiff_t>(begin),
                others_.begin() + static_cast<std::ptrdiff_t>(end), rows_.begin() + static_cast<std::ptrdiff_t>(begin));
    } else {
      exchange();
    }
  }
  corrected_sum(values_);
  return static_cast<double>(accepted) / blocks;
}

void SubsetEstimator::visit_state(StateVisitor& visitor) {
  std::vector<double> rows(rows_.begin(), rows_.end());
  visitor.visit_numbers("subset", rows);
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<std::uint32_t>(rows[i]);
  visitor.visit("subset_variance", variance_);
  visitor.visit("subset_error", error_);
}

}  // namespace sgmcmc
