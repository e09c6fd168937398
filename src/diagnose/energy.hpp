// The energy distance and the maximum mean discrepancy from one pass over all pairs.
#pragma once

#include "base/thread_pool.hpp"

#include <sgmcmc/compare.hpp>

namespace sgmcmc {

struct PairDistances {
  double energy = 0, mmd = 0;
};
PairDistances pair_distances(const DrawPoints& draws, const DrawPoints& reference, double bandwidth, ThreadPool& pool);

/// The median distance between different points; from a selection if there are many.
double median_distance(const DrawPoints& points);

}  // namespace sgmcmc
