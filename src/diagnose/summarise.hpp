// Diagnostics of one quantity after the other, with tables and buffers kept between quantities.
#pragma once

#include "diagnose/fourier.hpp"
#include "diagnose/ranks.hpp"

#include <sgmcmc/diagnose.hpp>

namespace sgmcmc {

/// Not for two threads at once.
struct DiagnoseWorkspace {
  Autocovariance autocovariance;
  NormalScores scores;
};

QuantitySummary summarise(const QuantityDraws& draws, DiagnoseWorkspace& workspace);

}  // namespace sgmcmc
