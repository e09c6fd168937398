// The data and parameters of the tests.
#include "traced/trace.hpp"

#include <cmath>

namespace sgmcmc::traced {

TestData::TestData() {
  for (std::int64_t row = 0; row < rows; ++row) {
    const double at = static_cast<double>(row);
    for (int j = 0; j < 3; ++j) X.push_back(std::sin(0.7 * at + 1.3 * j));
    for (int j = 0; j < 4; ++j) M.push_back(std::cos(0.4 * at - 0.9 * j));
    y.push_back(row % 3 == 0 ? 1 : 0);
    z.push_back(1.5 + std::cos(1.1 * at));
    k.push_back(static_cast<double>(row % 4));
    c.push_back(static_cast<double>(row * 7 % 5));
  }
}

std::vector<TracedColumn> TestData::columns() const {
  return {{"X", X, {3}}, {"y", y, {}}, {"z", z, {}}, {"k", k, {}}, {"c", c, {}}, {"M", M, {2, 2}}};
}

std::vector<TracedParameter> TestData::parameters() {
  return {{"theta", {}}, {"beta", {3}}, {"B", {3, 1}}, {"W", {3, 4}}, {"w", {4}}, {"s", {}}};
}

std::vector<double> TestData::theta() {
  std::vector<double> all;
  for (int j = 0; j < 1 + 3 + 3 + 12 + 4 + 1; ++j) all.push_back(0.6 * std::sin(1.0 + 1.7 * j));
  return all;
}

}  // namespace sgmcmc::traced
