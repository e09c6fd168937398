// The logarithm of the gamma function of one number, for any thread.
#pragma once

#include <cmath>

namespace sgmcmc {

/// log |Gamma(x)|. std::lgamma is not thread-safe: it writes the sign to a global variable.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace sgmcmc
