// Evaluations, a block of ratings at a time.
#include "factors/held_out_ratings.hpp"

#include "base/normal_functions.hpp"
#include "base/vector_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc {

namespace {

constexpr std::size_t block_ratings = 1024;  // a multiple of a pack
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

HeldOutRatings::HeldOutRatings(std::vector<Rating> ratings, double interval)
    : ratings_(std::move(ratings)), interval_(interval) {
  const std::size_t padded = (ratings_.size() + block_ratings - 1) / block_ratings * block_ratings;
  means_.assign(padded, 0.0);
  log_densities_.assign(padded, -std::numeric_limits<double>::infinity());
  below_.assign(padded, 0.0);
}

double HeldOutRatings::evaluate(const FactorState& draw, bool averaged, ThreadPool& pool) {
  if (averaged) ++draws_;
  if (ratings_.empty()) return nothing;
  const std::size_t blocks = means_.size() / block_ratings;
  std::vector<double> errors(blocks);
  const double root = std::sqrt(draw.noise_precision) / draw.scale;
  const double log_constant = std::log(root) - 0.5 * std::log(2 * std::numbers::pi);
  pool.for_each(blocks, [&](std::size_t block, int) {
    alignas(64) double mean[block_ratings], residual[block_ratings];
    const std::size_t first = block * block_ratings;
    const std::size_t count = std::min(block_ratings, ratings_.size() - first);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Rating& rating = ratings_[first + i];
      mean[i] = draw.mean(rating.user, rating.item);
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
  double errors = 0, densities = 0, inside = 0;
  for (std::size_t i = 0; i < ratings_.size(); ++i) {
    const double error = static_cast<double>(ratings_[i].value) - means_[i] / draws;
    errors += error * error;
    densities += log_densities_[i];
    inside += below_[i] >= lower && below_[i] <= upper ? 1.0 : 0.0;
  }
  return {std::sqrt(errors / count), densities / count - std::log(draws), inside / count};
}

void HeldOutRatings::visit_state(StateVisitor& visitor) {
  visitor.visit("held_out_draws", draws_);
  visitor.visit_numbers("held_out_means", means_);
  visitor.visit_numbers("held_out_densities", log_densities_);
  visitor.visit_numbers("held_out_below", below_);
}

}  // namespace sgmcmc
