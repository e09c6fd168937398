// The distribution function of a standard normal number, for single numbers; for packs: normal_functions.hpp.
#pragma once

#include <cmath>

namespace sgmcmc {

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

}  // namespace sgmcmc
