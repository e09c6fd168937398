// Split R-hat and effective sample size of half chains, in the definitions of R's package posterior.
#include "diagnose/effective_size.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

Moments moments_of(std::span<const double> values, std::span<const double> weights) {
  if (values.empty()) return {};
  const auto weight = [&](std::size_t k) { return weights.empty() ? 1.0 : weights[k]; };
  double total = 0.0, squares = 0.0, mean = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    total += weight(k);
    squares += weight(k) * weight(k);
    mean += weight(k) * values[k];
  }
  mean /= total;
  // The second pass removes the rounding error of the mean, also from the sum of squares.
  double rest = 0.0, spread = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double difference = values[k] - mean;
    rest += weight(k) * difference;
    spread += weight(k) * difference * difference;
  }
  const double correction = std::isfinite(rest) ? rest / total : 0.0;
  const double degrees = total - squares / total;
  return {mean + correction,
          values.size() < 2 ? not_a_number : std::max(spread - total * correction * correction, 0.0) / degrees};
}

bool says_nothing(std::span<const double> values) {
  if (values.empty()) return true;
  double least = values[0], most = values[0];
  bool finite = true;
  for (const double x : values) {
    finite = finite && std::isfinite(x);
    least = std::min(least, x);
    most = std::max(most, x);
  }
  return !finite || most - least < std::numeric_limits<double>::epsilon();
}

double split_rhat(const HalfChains& halves) {
  if (says_nothing(halves.values)) return not_a_number;
  std::vector<double> means;
  double within = 0.0, draws = 0.0;
  for (std::size_t h = 0; h < halves.count(); ++h) {
    const auto weights = halves.half_weights(h);
    const Moments moments = moments_of(halves.half(h), weights);
    means.push_back(moments.mean);
    within += moments.variance;
    if (weights.empty()) {
      draws += static_cast<double>(halves.length);
    } else {  // number of equally weighted draws with the same precision
      double total = 0.0, squares = 0.0;
      for (const double w : weights) {
        total += w;
        squares += w * w;
      }
      draws += total * total / squares;
    }
  }
  const auto count = static_cast<double>(halves.count());
  within /= count;
  draws /= count;
  const double between = draws * moments_of(means, {}).variance;
  return std::sqrt((between / within + draws - 1.0) / draws);
}

namespace {

/// Integrated autocorrelation time, at least 1 / log10(draws): shorter times are noise.
double autocorrelation_time(std::span<const double> values, std::size_t length, Autocovariance& autocovariance) {
  const auto covariance = autocovariance.mean_of(values, length);
  const auto n = static_cast<double>(length);
  const std::size_t count = values.size() / length;
  const double within = covariance[0] * n / (n - 1.0);
  double variance = covariance[0];
  if (count > 1) {
    std::vector<double> means;
    for (std::size_t h = 0; h < count; ++h) means.push_back(moments_of(values.subspan(h * length, length), {}).mean);
    variance += moments_of(means, {}).variance;
  }
  const auto correlation = [&](std::size_t lag) { return 1.0 - (within - covariance[lag]) / variance; };

  // Geyer's initial positive sequence: pairs of neighbouring lags until a pair sums to less than zero.
  std::vector<double> kept(length, 0.0);
  double even = 1.0, odd = correlation(1);
  kept[0] = even;
  kept[1] = odd;
  std::size_t last = 0;  // first lag of the last pair
  while (last + 5 < length && even + odd > 0.0) {
    last += 2;
    even = correlation(last);
    odd = correlation(last + 1);
    if (even + odd >= 0.0) {
      kept[last] = even;
      kept[last + 1] = odd;
    }
  }
  // No pair after the first: the definition counts the first lag twice and gives 2.
  if (last == 0) return 2.0;
  if (even > 0.0) kept[last] = even;  // half of an incomplete pair lowers the variance of antithetic chains

  // Then monotone: no pair exceeds the one before.
  for (std::size_t lag = 2; lag + 2 <= last; lag += 2) {
    const double before = kept[lag - 2] + kept[lag - 1];
    if (kept[lag] + kept[lag + 1] > before) kept[lag] = kept[lag + 1] = before / 2.0;
  }
  double sum = 0.0;
  for (std::size_t lag = 0; lag < last; ++lag) sum += kept[lag];
  return std::max(-1.0 + 2.0 * sum + kept[last], 1.0 / std::log10(static_cast<double>(values.size())));
}

}  // namespace

double effective_size(const HalfChains& halves, Autocovariance& autocovariance) {
  if (halves.length < 3 || says_nothing(halves.values)) return not_a_number;
  const auto draws = static_cast<double>(halves.values.size());
  if (halves.weights.empty()) return draws / autocorrelation_time(halves.values, halves.length, autocovariance);

  const double mean = moments_of(halves.values, halves.weights).mean;
  double total = 0.0, spread = 0.0, weighted_spread = 0.0;
  for (const double w : halves.weights) total += w;
  std::vector<double> u(halves.values.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    const double difference = halves.values[k] - mean;
    u[k] = halves.weights[k] * difference * (draws / total);
    spread += u[k] * u[k];
    weighted_spread += halves.weights[k] * difference * difference * (draws / total);
  }
  return draws / autocorrelation_time(u, halves.length, autocovariance) * (weighted_spread / spread);
}

}  // namespace sgmcmc
