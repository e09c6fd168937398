// Diagnostics of one quantity after the other, with tables and buffers kept between quantities.
#pragma once

#include "diagnose/fourier.hpp"
#include "diagnose/ranks.hpp"

#include <sgmcmc/diagnose.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// Not for two threads at once.
struct DiagnoseWorkspace {
  Autocovariance autocovariance;
  NormalScores scores;
};

/// With the details where a place for them is given: the two share most of their work.
QuantitySummary summarise(const QuantityDraws& draws, DiagnoseWorkspace& workspace, QuantityDetails* details = nullptr);

struct Mixing {
  double rhat = 0, ess_bulk = 0;
};
Mixing mixing_of(const QuantityDraws& draws, DiagnoseWorkspace& workspace);

/// The draws of several parameters, taken together: draws lie one after the other, and each piece of memory is read
/// once.
std::vector<QuantityDraws> quantities_of(const MemoryDraws& draws, std::span<const std::size_t> parameters);

}  // namespace sgmcmc
