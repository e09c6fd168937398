// The largest relative difference between two gradients, and its position.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sgmcmc::reference {

struct Disagreement {
  double relative = 0;
  std::size_t output = 0;     ///< the row, for per-row functions
  std::size_t parameter = 0;  ///< position in theta
  double got = 0;
  double expected = 0;

  std::string describe(const std::string& oracle) const {
    std::ostringstream text;
    text.precision(17);
    text << "theta[" << parameter << "], output " << output << ": the graph's derivative is " << got << ", " << oracle
         << " say " << expected << " (relative disagreement " << relative << ")\n";
    return text.str();
  }
};

/// The worst entry of `got` against `expected`, both [outputs][theta]. Entries far below the largest entry of their
/// gradient, or below `resolution` times the scale of the function, are judged on that scale: they are differences of
/// larger terms and their last digits are rounding.
inline Disagreement worst_disagreement(const std::vector<double>& got, const std::vector<double>& expected,
                                       const std::vector<double>& scales, double resolution) {
  if (got.size() != expected.size() || scales.empty() || got.size() % scales.size() != 0) {
    throw std::logic_error("gradients of different sizes: " + std::to_string(got.size()) + " and " +
                           std::to_string(expected.size()));
  }
  const std::size_t size = got.size() / scales.size();
  Disagreement worst;
  for (std::size_t output = 0; output < scales.size(); ++output) {
    double largest = 0;
    for (std::size_t j = 0; j < size; ++j) largest = std::max(largest, std::abs(expected[output * size + j]));
    const double floor = std::max(1e-3 * largest, resolution * std::abs(scales[output]));
    for (std::size_t j = 0; j < size; ++j) {
      const double g = got[output * size + j], e = expected[output * size + j];
      if (g == e) continue;
      double relative = std::abs(g - e) / std::max({std::abs(g), std::abs(e), floor});
      if (!std::isfinite(g) || !std::isfinite(e)) relative = std::numeric_limits<double>::infinity();
      if (relative > worst.relative) worst = {relative, output, j, g, e};
    }
  }
  return worst;
}

}  // namespace sgmcmc::reference
