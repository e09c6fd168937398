// Evaluations, a block of ratings at a time.
#include "factors/held_out_ratings.hpp"

#include "base/normal_functions.hpp"
#include "base/vector_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace sgmcmc {

namespace {

constexpr std::size_t block_ratings = 1024;  // a multiple of a pack
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

HeldOutRatings::HeldOutRatings(std::vector<Rating> ratings, double interval, const ObservationLaw& law)
    : ratings_(std::move(ratings)), law_(law), interval_(interval) {
  const std::size_t padded = (ratings_.size() + block_ratings - 1) / block_ratings * block_ratings;
  means_.assign(padded, 0.0);
  log_densities_.assign(padded, -std::numeric_limits<double>::infinity());
  below_.assign(padded, 0.0);
}

double HeldOutRatings::evaluate_block(std::size_t block, const FactorState& draw, bool averaged) {
  const std::size_t first = block * block_ratings, end = std::min(first + block_ratings, ratings_.size());
  double errors = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Rating& rating = ratings_[i];
    const auto value = static_cast<double>(rating.value);
    const double x = draw.parameter(rating.user, rating.item), mean = law_.mean(x);
    errors += (value - mean) * (value - mean);
    if (!averaged) continue;
    const double log_density = law_.log_density(value, x);
    const double larger = std::max(log_densities_[i], log_density), smaller = std::min(log_densities_[i], log_density);
    if (std::isfinite(larger)) log_densities_[i] = larger + std::log1p(std::exp(smaller - larger));
    means_[i] += mean;
    below_[i] += law_.below(value, x);
  }
  return errors;
}

double HeldOutRatings::evaluate(const FactorState& draw, bool averaged, ThreadPool& pool) {
  if (averaged) ++draws_;
  if (ratings_.empty()) return nothing;
  const std::size_t blocks = means_.size() / block_ratings;
  std::vector<double> errors(blocks);
  const double root = std::sqrt(draw.noise_precision) / draw.scale;
  const double log_constant = std::log(root) - 0.5 * std::log(2 * std::numbers::pi);
  pool.for_each(blocks, [&](std::size_t block, int) {
    if (law_.kind() != Observations::gaussian) {
      errors[block] = evaluate_block(block, draw, averaged);
      return;
    }
    alignas(64) double mean[block_ratings], residual[block_ratings];
    const std::size_t first = block * block_ratings;
    const std::size_t count = std::min(block_ratings, ratings_.size() - first);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Rating& rating = ratings_[first + i];
      mean[i] = draw.parameter(rating.user, rating.item);
      residual[i] = static_cast<double>(rating.value) - mean[i];
      sum += residual[i] * residual[i];
    }
    errors[block] = sum;
    if (!averaged) return;
    std::fill(mean + count, mean + block_ratings, 0.0);
    std::fill(residual + count, residual + block_ratings, 0.0);
    for (std::size_t i = 0; i < block_ratings; i += 8) {
      const Pack<double> z = load_aligned(residual + i) * root;
      const Pack<double> log_density = fma(z * -0.5, z, Pack<double>(log_constant));
      const Pack<double> before = load(log_densities_.data() + first + i);
      const Pack<double> larger = max(before, log_density), smaller = min(before, log_density);
      store(log_densities_.data() + first + i, larger + log1p(exp(smaller - larger)));
      store(means_.data() + first + i, load(means_.data() + first + i) + load_aligned(mean + i));
      store(below_.data() + first + i, load(below_.data() + first + i) + phi(z));
    }
  });
  double sum = 0;
  for (const double each : errors) sum += each;
  return std::sqrt(sum / static_cast<double>(ratings_.size()));
}

FactorScores HeldOutRatings::averaged() const {
  if (ratings_.empty() || draws_ == 0) return {nothing, nothing, nothing};
  const auto draws = static_cast<double>(draws_), count = static_cast<double>(ratings_.size());
  const double lower = draws * 0.5 * (1 - interval_), upper = draws - lower;
  const bool is_discrete = law_.kind() == Observations::poisson || law_.kind() == Observations::bernoulli;
  double errors = 0, densities = 0, inside = 0;
  for (std::size_t i = 0; i < ratings_.size(); ++i) {
    const double error = static_cast<double>(ratings_[i].value) - means_[i] / draws;
    errors += error * error;
    densities += log_densities_[i];
    // Intervals of counts hold at least their share: they end at the first count that reaches it.
    const double up_to = is_discrete ? below_[i] - std::exp(log_densities_[i]) : below_[i];
    inside += below_[i] >= lower && (is_discrete ? up_to < upper : up_to <= upper) ? 1.0 : 0.0;
  }
  return {std::sqrt(errors / count), densities / count - std::log(draws), inside / count};
}

RelativeError HeldOutRatings::compared_with(double constant) const {
  if (draws_ == 0) return {};
  std::vector<double> errors, others;
  const bool uses_logs = law_.kind() == Observations::stable;
  for (std::size_t i = 0; i < ratings_.size(); ++i) {
    const double value = static_cast<double>(ratings_[i].value), mean = means_[i] / static_cast<double>(draws_);
    if (uses_logs && !(value > 0)) continue;
    errors.push_back(uses_logs ? std::log(value) - std::log(mean) : value - mean);
    others.push_back(uses_logs ? std::log(value) : value - constant);
  }
  const auto count = static_cast<double>(errors.size());
  if (uses_logs)
    for (auto* all : {&errors, &others}) {
      const double mean = std::accumulate(all->begin(), all->end(), 0.0) / count;
      for (double& error : *all) error -= mean;
    }
  double squares = 0, other_squares = 0, spread = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    squares += errors[i] * errors[i];
    other_squares += others[i] * others[i];
  }
  const bool is_relative = !uses_logs && law_.kind() != Observations::bernoulli && constant != 0;
  const double unit = is_relative ? constant : 1.0;
  const bool all_equal = !(other_squares > 1e-18 * count * unit * unit);  // up to rounding
  if (errors.empty()) return {};
  if (all_equal) {
    std::fill(others.begin(), others.end(), 0.5 * unit);
    other_squares = count * 0.25 * unit * unit;
  }
  for (std::size_t i = 0; i < errors.size(); ++i)
    spread += std::pow(errors[i] * errors[i] - others[i] * others[i] - (squares - other_squares) / count, 2);
  const double ratio = std::sqrt(squares / other_squares);
  if (std::isnan(ratio)) return {std::numeric_limits<double>::infinity(), true, all_equal};
  const bool is_beyond_noise = squares - other_squares > 3 * std::sqrt(spread);
  return {ratio, count >= 10 && (ratio > 1.5 || (ratio > 1.05 && is_beyond_noise)), all_equal};
}

void HeldOutRatings::visit_state(StateVisitor& visitor) {
  visitor.visit("held_out_draws", draws_);
  visitor.visit_numbers("held_out_means", means_);
  visitor.visit_numbers("held_out_densities", log_densities_);
  visitor.visit_numbers("held_out_below", below_);
}

}  // namespace sgmcmc
