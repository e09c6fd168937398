// Reduces the draws of one quantity to the numbers that plots show.
#include "report/quantity_view.hpp"

#include "diagnose/half_chains.hpp"
#include "diagnose/ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace sgmcmc {
namespace {

constexpr std::size_t fewest_draws = 4;
constexpr double expected_rank_count = 64;
constexpr double most_whole_numbers = 60;

std::uint8_t byte_of(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

std::size_t longest_chain(const QuantityDraws& draws) {
  std::size_t longest = 0;
  for (const auto& chain : draws.chains) longest = std::max(longest, chain.size());
  return longest;
}

void add_trace(const QuantityDraws& draws, std::size_t bins, QuantityView& view) {
  if (bins == 0) return;
  const std::size_t longest = longest_chain(draws);
  view.draws_per_bin = std::max<std::size_t>(1, (longest + bins - 1) / bins);
  const std::size_t used = (longest + view.draws_per_bin - 1) / view.draws_per_bin;
  const auto share = [&](double x) { return byte_of((x - view.low) / (view.high - view.low)); };
  for (const auto& chain : draws.chains)
    for (std::size_t bin = 0; bin < used; ++bin) {
      const std::size_t first = bin * view.draws_per_bin, last = std::min(first + view.draws_per_bin, chain.size());
      if (first >= last) {
        view.trace.insert(view.trace.end(), {255, 0, 0});
        continue;
      }
      double least = chain[first], largest = least, sum = 0;
      for (std::size_t k = first; k < last; ++k) {
        least = std::min(least, chain[k]);
        largest = std::max(largest, chain[k]);
        sum += chain[k];
      }
      view.trace.insert(view.trace.end(),
                        {share(least), share(sum / static_cast<double>(last - first)), share(largest)});
    }
}

bool all_whole(const PooledDraws& pooled, double low, double high) {
  return high - low <= most_whole_numbers &&
         std::all_of(pooled.values.begin(), pooled.values.end(), [](double x) { return x == std::floor(x); });
}

std::vector<double> probabilities_of(std::span<const double> values, std::span<const double> weights, double low,
                                     double high) {
  std::vector<double> heights(static_cast<std::size_t>(high - low) + 1);
  double total = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double weight = weights.empty() ? 1.0 : weights[k];
    heights[static_cast<std::size_t>(values[k] - low)] += weight;
    total += weight;
  }
  for (double& height : heights) height /= total;
  return heights;
}

void add_density(const QuantityDraws& draws, const PooledDraws& pooled, const Quantiles& quantiles,
                 const ViewResolution& resolution, QuantityView& view) {
  if (resolution.density == 0) return;
  view.whole_numbers = all_whole(pooled, view.low, view.high);
  view.density_low = view.low;
  view.density_high = view.high;
  if (!view.whole_numbers) {  // a few outliers would squeeze the rest into a corner
    const double low = quantiles.at(0.005), high = quantiles.at(0.995), margin = 0.25 * (high - low);
    if (margin > 0) {
      view.density_low = std::max(view.low, low - margin);
      view.density_high = std::min(view.high, high + margin);
    }
  }
  std::vector<std::vector<double>> curves;
  const auto add = [&](std::span<const double> values, std::span<const double> weights) {
    curves.push_back(view.whole_numbers
                         ? probabilities_of(values, weights, view.low, view.high)
                         : density_of(values, weights,
                                      {view.density_low, view.density_high, view.low, view.high, resolution.density}));
  };
  add(pooled.values, pooled.weights);
  for (std::size_t c = 0; resolution.chain_density && c < draws.chains.size(); ++c) {
    if (draws.chains[c].empty())
      curves.emplace_back(curves.front().size());
    else
      add(draws.chains[c], draws.weights.empty() ? std::span<const double>{} : draws.weights[c]);
  }
  view.density_points = curves.front().size();
  double largest = 0;
  for (const auto& curve : curves) largest = std::max(largest, *std::max_element(curve.begin(), curve.end()));
  for (const auto& curve : curves)
    for (const double height : curve) view.density.push_back(byte_of(largest > 0 ? height / largest : 0));
}

/// Spreads tied draws evenly over the bins that their ranks cover, whatever the order of chains and draws.
void add_ranks(const QuantityDraws& draws, const SortedDraws& sorted, std::size_t bins, QuantityView& view) {
  const std::size_t total = sorted.entries.size();
  if (bins == 0 || total < bins) return;
  std::vector<std::size_t> ends;
  for (const auto& chain : draws.chains) ends.push_back(chain.size() + (ends.empty() ? 0 : ends.back()));
  std::vector<double> counts(draws.chains.size() * bins);
  for (std::size_t first = 0; first < total;) {
    std::size_t last = first + 1;
    while (last < total && sorted.entries[last].value == sorted.entries[first].value) ++last;
    const std::size_t first_bin = first * bins / total, last_bin = (last - 1) * bins / total;
    for (std::size_t k = first; k < last; ++k) {
      const auto chain = static_cast<std::size_t>(
          std::upper_bound(ends.begin(), ends.end(), sorted.entries[k].position) - ends.begin());
      if (first_bin == last_bin) {
        counts[chain * bins + first_bin] += 1;
        continue;
      }
      for (std::size_t bin = first_bin; bin <= last_bin; ++bin) {  // each tied draw contributes equally
        const double from = std::max<double>(static_cast<double>(first), static_cast<double>(bin * total) / bins);
        const double to = std::min<double>(static_cast<double>(last), static_cast<double>((bin + 1) * total) / bins);
        counts[chain * bins + bin] += std::max(0.0, to - from) / static_cast<double>(last - first);
      }
    }
    first = last;
  }
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    const double expected = static_cast<double>(draws.chains[c].size()) / static_cast<double>(bins);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double ratio = expected > 0 ? counts[c * bins + bin] / expected : 0;
      view.ranks.push_back(byte_of(ratio * expected_rank_count / 255));
    }
  }
}

double covariance_at(std::size_t lag, std::span<const double> centred) {
  std::array<double, 8> sums{};  // independent partial sums
  std::size_t k = lag;
  for (; k + sums.size() <= centred.size(); k += sums.size())
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += centred[k + j] * centred[k + j - lag];
  for (; k < centred.size(); ++k) sums[0] += centred[k] * centred[k - lag];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void add_autocorrelation(const QuantityDraws& draws, double ess, std::size_t lags, QuantityView& view) {
  if (lags == 0) return;
  std::size_t shortest = std::numeric_limits<std::size_t>::max(), total = 0;
  for (const auto& chain : draws.chains) {
    if (!chain.empty()) shortest = std::min(shortest, chain.size());
    total += chain.size();
  }
  const double time = std::isfinite(ess) && ess > 0 ? static_cast<double>(total) / ess : 1;
  const double reach = std::min(3 * time, static_cast<double>(shortest) / 2);
  view.lag_step = std::max<std::size_t>(1, static_cast<std::size_t>(reach / static_cast<double>(lags)));
  const std::size_t used = std::min(lags, (shortest - 1) / view.lag_step);
  for (const auto& chain : draws.chains) {
    if (chain.empty()) {
      view.autocorrelation.insert(view.autocorrelation.end(), used + 1, byte_of(0.5));
      continue;
    }
    const double mean = std::accumulate(chain.begin(), chain.end(), 0.0) / static_cast<double>(chain.size());
    std::vector<double> centred;
    for (const double x : chain) centred.push_back(x - mean);
    const double variance = covariance_at(0, centred);
    for (std::size_t k = 0; k <= used; ++k) {  // too few lags for a Fourier transform to be faster
      const double correlation = variance > 0 ? covariance_at(k * view.lag_step, centred) / variance : 0;
      view.autocorrelation.push_back(byte_of(0.5 + 0.5 * correlation));
    }
  }
}

void add_sizes(const QuantityDraws& draws, const QuantitySummary& all, DiagnoseWorkspace& workspace,
               QuantityView& view) {
  for (const double share : view_shares) {
    QuantityDraws first;
    for (std::size_t c = 0; share < 1 && c < draws.chains.size(); ++c) {
      const auto length = static_cast<std::ptrdiff_t>(share * static_cast<double>(draws.chains[c].size()));
      first.chains.emplace_back(draws.chains[c].begin(), draws.chains[c].begin() + length);
      if (!draws.weights.empty())
        first.weights.emplace_back(draws.weights[c].begin(), draws.weights[c].begin() + length);
    }
    const EffectiveSizes sizes =
        share < 1 ? effective_sizes_of(first, workspace) : EffectiveSizes{all.ess_bulk, all.ess_tail};
    view.ess_bulk.push_back(sizes.bulk);
    view.ess_tail.push_back(sizes.tail);
  }
}

}  // namespace

ViewResolution coarse_resolution() {
  return {.trace = 16, .density = 40, .ranks = 10, .lags = 12, .sizes = false, .chain_density = false};
}

std::vector<double> density_of(std::span<const double> values, std::span<const double> weights,
                               const DensityGrid& grid) {
  const auto [low, high, range_low, range_high, points] = grid;
  std::vector<double> heights(points);
  double total = 0, mean = 0, square = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double weight = weights.empty() ? 1.0 : weights[k];
    total += weight;
    const double step = (values[k] - mean) * weight / total;
    square += (values[k] - mean) * (values[k] - mean - step) * weight;
    mean += step;
  }
  const double sd = std::sqrt(square / total);
  if (!(sd > 0) || !(high > low) || points < 2) return heights;
  // Silverman's rule, with the smaller of sd and scaled interquartile range, so that outliers do not widen the kernel.
  std::vector<double> sorted(values.begin(), values.end());
  const auto quarter = sorted.size() / 4;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(quarter), sorted.end());
  const double first = sorted[quarter];
  std::nth_element(sorted.begin(), sorted.end() - 1 - static_cast<std::ptrdiff_t>(quarter), sorted.end());
  const double middle = (sorted[sorted.size() - 1 - quarter] - first) / 1.34;
  const double width =
      0.9 * (middle > 0 ? std::min(sd, middle) : sd) * std::pow(static_cast<double>(values.size()), -0.2);

  // Bins the draws on a fine grid, then applies the kernel to the counts.
  const std::size_t fine = std::clamp<std::size_t>(static_cast<std::size_t>(8 * (high - low) / width), 256, 4096);
  const double cell = (high - low) / static_cast<double>(fine);
  std::vector<double> counts(fine);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] < low || values[k] > high) continue;
    const auto at = std::min(fine - 1, static_cast<std::size_t>((values[k] - low) / cell));
    counts[at] += weights.empty() ? 1.0 : weights[k];
  }
  const double scale = 1 / (total * width * std::sqrt(2 * std::acos(-1.0)));
  const auto kernel = [&](double distance) { return std::exp(-0.5 * distance * distance / (width * width)); };
  for (std::size_t j = 0; j < points; ++j) {
    const double x = low + (high - low) * static_cast<double>(j) / static_cast<double>(points - 1);
    if (x < range_low - width || x > range_high + width) continue;
    double sum = 0;
    const auto add = [&](double centre) {  // sums the draws within reach of the kernel
      const double reach = 6 * width;
      const auto at = [&](double y) {
        return static_cast<std::size_t>(std::clamp((y - low) / cell, 0.0, static_cast<double>(fine)));
      };
      for (std::size_t k = at(centre - reach), end = std::min(fine, at(centre + reach) + 1); k < end; ++k)
        if (counts[k] > 0) sum += counts[k] * kernel(low + (static_cast<double>(k) + 0.5) * cell - centre);
    };
    add(x);
    add(2 * range_low - x);   // reflected at the lower end
    add(2 * range_high - x);  // reflected at the upper end
    heights[j] = sum * scale;
  }
  return heights;
}

QuantityView view_of(const QuantityDraws& draws, const QuantitySummary& summary, const ViewResolution& resolution,
                     DiagnoseWorkspace& workspace) {
  QuantityView view;
  const PooledDraws pooled = all_draws(draws);
  const bool finite =
      std::all_of(pooled.values.begin(), pooled.values.end(), [](double x) { return std::isfinite(x); });
  if (!finite || pooled.values.size() < fewest_draws) return view;
  const auto [least, largest] = std::minmax_element(pooled.values.begin(), pooled.values.end());
  view.low = *least;
  view.high = *largest;
  if (!(view.high > view.low) || !std::isfinite(view.high - view.low)) return view;
  const SortedDraws sorted = sort_draws(pooled.values);
  add_trace(draws, resolution.trace, view);
  add_density(draws, pooled, Quantiles(sorted, pooled.weights), resolution, view);
  add_ranks(draws, sorted, resolution.ranks, view);
  add_autocorrelation(draws, summary.ess_bulk, resolution.lags, view);
  if (resolution.sizes) add_sizes(draws, summary, workspace, view);
  return view;
}

}  // namespace sgmcmc
