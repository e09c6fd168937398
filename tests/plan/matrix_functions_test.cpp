// Spectra of symmetric matrices on both sides of the size beyond which memory is allocated.
#include "plan/matrix_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace sgmcmc {
namespace {

TEST(SymmetricSpectrum, SecondDifferences_HaveTheirKnownEigenvaluesAndVectors) {
  for (const std::int64_t n : {5, 32, 33, 70}) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> a(size * size, 0.0), values(size), vectors(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      a[i * size + i] = 2.0;
      if (i > 0) a[i * size + i - 1] = -1.0;  // the upper triangle is not read
    }
    symmetric_spectrum(a.data(), values.data(), vectors.data(), n);
    for (std::size_t k = 0; k < size; ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k + 1) / static_cast<double>(n + 1);
      EXPECT_NEAR(values[k], 2.0 - 2.0 * std::cos(angle), 1e-12) << n;
      const double sign = vectors[k] < 0 ? -1.0 : 1.0;
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_NEAR(sign * vectors[i * size + k],
                    std::sqrt(2.0 / static_cast<double>(n + 1)) * std::sin(angle * static_cast<double>(i + 1)), 1e-10)
            << n;
    }
  }
}

}  // namespace
}  // namespace sgmcmc
