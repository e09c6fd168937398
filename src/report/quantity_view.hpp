// The plots of one quantity on a report page: trace, density, ranks, autocorrelation and growth of the effective sample
// size, each reduced to a few hundred bytes.
#pragma once

#include "diagnose/summarise.hpp"

#include <sgmcmc/diagnose.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// The resolution of the plots; 0 omits one.
struct ViewResolution {
  std::size_t trace = 200;    ///< bins of each chain
  std::size_t density = 100;  ///< points of each curve
  std::size_t ranks = 20;     ///< bins of each chain
  std::size_t lags = 50;      ///< of each chain
  bool sizes = true;          ///< growth of the effective sample size
  bool chain_density = true;  ///< a curve for each chain, besides that of all draws
};
ViewResolution coarse_resolution();  ///< about 550 bytes of JSON for four chains

/// Fractions of the draws, counted from the first, for which the effective sample size is shown.
inline constexpr std::array<double, 4> view_shares = {0.125, 0.25, 0.5, 1};

/// Parts are empty if the quantity is constant, is non-finite at some draw, or has too few draws.
struct QuantityView {
  double low = 0, high = 0;  ///< range of the trace
  std::size_t draws_per_bin = 1;
  /// By chain and bin: minimum, mean and maximum, scaled from 0 (low) to 255 (high). A bin without draws has 255, 0, 0.
  std::vector<std::uint8_t> trace;

  double density_low = 0, density_high = 0;
  bool whole_numbers = false;      ///< density holds the probabilities of density_low, density_low + 1, ...
  std::size_t density_points = 0;  ///< of each curve
  /// The density of all draws, then of each chain; 255 is the largest value.
  std::vector<std::uint8_t> density;

  std::vector<std::uint8_t> ranks;  ///< by chain and bin; 64: the expected count if chains agree
  std::size_t lag_step = 1;
  std::vector<std::uint8_t> autocorrelation;  ///< by chain, at lags 0, lag_step, ...; 0: -1, 255: 1
  std::vector<double> ess_bulk, ess_tail;     ///< of the first view_shares of the draws
};

/// summary: that of the same draws.
QuantityView view_of(const QuantityDraws& draws, const QuantitySummary& summary, const ViewResolution& resolution,
                     DiagnoseWorkspace& workspace);

/// The grid of a density. The density is 0 beyond `least` and `largest`, where the kernel is reflected.
struct DensityGrid {
  double low = 0, high = 0;
  double least = 0, largest = 0;
  std::size_t points = 100;
};
/// A kernel density estimate with a normal kernel. weights: one per value, or empty.
std::vector<double> density_of(std::span<const double> values, std::span<const double> weights,
                               const DensityGrid& grid);

}  // namespace sgmcmc
