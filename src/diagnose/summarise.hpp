// Diagnostics of a sequence of quantities, with tables and buffers kept between them.
#pragma once

#include "diagnose/fourier.hpp"
#include "diagnose/ranks.hpp"

#include <sgmcmc/diagnose.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// Not thread-safe.
struct DiagnoseWorkspace {
  Autocovariance autocovariance;
  NormalScores scores;
};

/// Also computes the details if a pointer is given: the two share most of their work.
QuantitySummary summarise(const QuantityDraws& draws, DiagnoseWorkspace& workspace, QuantityDetails* details = nullptr);

struct Mixing {
  double rhat = 0, ess_bulk = 0;
};
Mixing mixing_of(const QuantityDraws& draws, DiagnoseWorkspace& workspace);

struct EffectiveSizes {
  double bulk = 0, tail = 0;
};
EffectiveSizes effective_sizes_of(const QuantityDraws& draws, DiagnoseWorkspace& workspace);

/// Extracts several parameters together, so that the memory of the draws is read only once.
std::vector<QuantityDraws> quantities_of(const MemoryDraws& draws, std::span<const std::size_t> parameters);

}  // namespace sgmcmc
