// Searches for modes from the draws, and compares their weights with the draws.
#include "judge/other_modes.hpp"

#include "mode/modes.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::size_t most_chains = 8;  // searches start at one draw of each
constexpr double seen_enough = 0.2;     // minimum share of a mode among the draws, relative to its posterior mass

Surroundings spread_of(const SteinPoints& draws) {
  const std::size_t size = draws.dimension;
  const auto count = static_cast<double>(draws.count());
  Surroundings found{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  for (std::size_t k = 0; k < draws.positions.size(); ++k) found.mean[k % size] += draws.positions[k] / count;
  for (std::size_t k = 0; k < draws.positions.size(); ++k) {
    const double off = draws.positions[k] - found.mean[k % size];
    found.sd[k % size] += off * off / count;
  }
  for (double& sd : found.sd) sd = std::sqrt(sd);
  return found;
}

/// Share of the draws that are closer to `there` than to `here`, scaled by their standard deviations.
double share_at(const SteinPoints& draws, const Surroundings& spread, std::span<const double> there,
                std::span<const double> here) {
  std::size_t closer = 0;
  for (std::size_t point = 0; point < draws.count(); ++point) {
    const double* position = draws.positions.data() + point * draws.dimension;
    double difference = 0;
    for (std::size_t j = 0; j < draws.dimension; ++j) {
      const double to_there = (position[j] - there[j]) / spread.sd[j], to_here = (position[j] - here[j]) / spread.sd[j];
      difference += to_there * to_there - to_here * to_here;
    }
    closer += difference < 0;
  }
  return static_cast<double>(closer) / static_cast<double>(draws.count());
}

}  // namespace

std::optional<OtherMode> find_other_mode(const LogPosterior& posterior, const SteinPoints& draws, std::uint64_t seed,
                                         ThreadPool& pool, std::size_t apart, const std::atomic<bool>* interrupt) {
  Surroundings spread = spread_of(draws);
  for (std::size_t chain = 0; chain < std::min(apart, most_chains); ++chain) {
    const std::size_t middle = (2 * chain + 1) * draws.count() / (2 * apart);
    const auto first = draws.positions.begin() + static_cast<std::ptrdiff_t>(middle * draws.dimension);
    spread.starts.emplace_back(first, first + static_cast<std::ptrdiff_t>(draws.dimension));
  }
  const auto modes = find_modes(posterior, spread, seed, pool, interrupt);
  std::optional<OtherMode> best;
  for (std::size_t k = 1; k < modes.size(); ++k) {
    const double share = share_beside(modes[k], modes[0]);
    if (share < least_share_of_mode) continue;
    const double of_draws = share_at(draws, spread, modes[k].theta, modes[0].theta);
    const OtherMode other{share, of_draws, of_draws <= seen_enough * share, are_exchanged(modes[k], modes[0])};
    if (!best || std::make_pair(other.unseen, share) > std::make_pair(best->unseen, best->share)) best = other;
  }
  return best;
}

}  // namespace sgmcmc
