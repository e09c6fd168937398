// Diagnostics from the statistics of exact samplers.
#include <sgmcmc/diagnose.hpp>
#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace sgmcmc {
namespace {

constexpr double most_subset_error = 0.05;
constexpr std::size_t absent = static_cast<std::size_t>(-1);

std::size_t column_of(const MemoryDraws& statistics, std::string_view name) {
  const auto found = std::find(statistics.names().begin(), statistics.names().end(), name);
  return found == statistics.names().end() ? absent : static_cast<std::size_t>(found - statistics.names().begin());
}

std::string percent(std::uint64_t count, std::uint64_t all) {
  const double share = 100.0 * static_cast<double>(count) / static_cast<double>(all);
  return formatted(share < 10.0 ? "%.2g %%" : "%.0f %%", share);
}

}  // namespace

double energy_fraction_missing(std::span<const double> energies) {
  if (energies.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0.0;
  for (const double e : energies) mean += e / static_cast<double>(energies.size());
  double steps = 0.0, spread = (energies[0] - mean) * (energies[0] - mean);
  for (std::size_t k = 1; k < energies.size(); ++k) {
    steps += (energies[k] - energies[k - 1]) * (energies[k] - energies[k - 1]);
    spread += (energies[k] - mean) * (energies[k] - mean);
  }
  return steps / spread;
}

SamplerReport report_sampler(const MemoryDraws& statistics, std::uint32_t max_tree_depth) {
  SamplerReport report;
  report.max_tree_depth = max_tree_depth;
  const std::size_t divergent = column_of(statistics, "divergent__"), depth = column_of(statistics, "treedepth__");
  const std::size_t energy = column_of(statistics, "energy__");
  const std::size_t variance = column_of(statistics, "subset_variance__");
  const std::size_t error = column_of(statistics, "subset_error__");
  double variances = 0, errors = 0, squares = 0;
  report.has_statistics = divergent != absent || depth != absent || energy != absent;
  for (std::size_t chain = 0; chain < statistics.chains(); ++chain) {
    std::vector<double> energies;
    for (std::size_t draw = 0; draw < statistics.draws(chain); ++draw) {
      ++report.draws;
      if (divergent != absent && statistics(chain, draw, divergent) > 0.0) ++report.divergences;
      if (depth != absent && statistics(chain, draw, depth) >= static_cast<double>(max_tree_depth))
        ++report.at_max_depth;
      if (variance != absent) variances += statistics(chain, draw, variance);
      if (error != absent) {
        const double off = statistics(chain, draw, error);
        errors += off;
        squares += off * off;
      }
      if (energy != absent) energies.push_back(statistics(chain, draw, energy));
    }
    if (energy != absent) report.energy_fractions.push_back(energy_fraction_missing(energies));
  }
  const auto count = static_cast<double>(report.draws);
  if (variance != absent && report.draws > 0) report.subset_variance = variances / count;
  if (error != absent && report.draws > 0)
    report.subset_error = std::sqrt(std::max(0.0, squares / count - errors / count * errors / count));
  return report;
}

std::vector<std::string> SamplerReport::warnings() const {
  std::vector<std::string> lines;
  if (divergences > 0)
    lines.push_back(std::to_string(divergences) + " of " + std::to_string(draws) + " draws (" +
                    percent(divergences, draws) +
                    ") ended in a divergence: parts of the posterior may be missing. Raise target_acceptance towards "
                    "1, or reparameterise the model.");
  if (at_max_depth > 0)
    lines.push_back(std::to_string(at_max_depth) + " of " + std::to_string(draws) + " draws (" +
                    percent(at_max_depth, draws) + ") reached max_tree_depth " + std::to_string(max_tree_depth) +
                    ": correct but slow. Raise max_tree_depth, rescale the parameters, or try metric dense.");
  if (subset_error > most_subset_error)
    lines.push_back("subsets of the rows estimate the likelihood too roughly: means may be off by " +
                    formatted("%.2g", subset_error) +
                    " posterior standard deviations. Raise subset_rows, or use nuts.");
  std::string low;
  for (std::size_t chain = 0; chain < energy_fractions.size(); ++chain) {
    if (!(energy_fractions[chain] < 0.3)) continue;
    char text[48];
    std::snprintf(text, sizeof text, "%s%.2g (chain %zu)", low.empty() ? "" : ", ", energy_fractions[chain], chain + 1);
    low += text;
  }
  if (!low.empty())
    lines.push_back("E-BFMI is " + low +
                    ", below 0.3: the tails of the posterior are explored slowly. Run longer, or reparameterise "
                    "(non-centred hierarchies).");
  return lines;
}

}  // namespace sgmcmc
