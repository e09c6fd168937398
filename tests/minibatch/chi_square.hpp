// Goodness of fit of counts, for tests of laws that are known exactly.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgmcmc {

/// Probability that a correct program fails one of these tests. Seeds are fixed, so a test that passed once keeps
/// passing.
inline constexpr double false_alarm = 1e-6;

inline double chi_square_tail(double statistic, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

/// p value of independent draws counted in cells with these probabilities (each expected at least about five times).
inline double fit_p_value(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities) {
  double draws = 0, statistic = 0;
  for (const std::uint64_t count : counts) draws += static_cast<double>(count);
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    const double expected = draws * probabilities[cell];
    const double deviation = static_cast<double>(counts[cell]) - expected;
    statistic += deviation * deviation / expected;
  }
  return chi_square_tail(statistic, static_cast<double>(counts.size() - 1));
}

inline double uniform_p_value(const std::vector<std::uint64_t>& counts) {
  return fit_p_value(counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

}  // namespace sgmcmc
