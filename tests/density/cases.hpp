// The univariate distributions, with test points and an independent value of each log density.
#pragma once

#include <sgmcmc/expression.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace sgmcmc::testing {

struct Distribution {
  std::string name;
  std::function<Expression(const std::vector<Expression>&)> log_density;  ///< the value comes first
  std::function<long double(const std::vector<long double>&)> expected;   ///< the same, computed independently
  std::vector<std::vector<double>> points;                                ///< arguments
  std::vector<bool> continuous;                                           ///< has a derivative in this argument
  double support_from = 0;                                                ///< support at the first point
  double support_to = 0;
};

inline void PrintTo(const Distribution& distribution, std::ostream* out) { *out << distribution.name; }

std::vector<Distribution> continuous_distributions();
std::vector<Distribution> discrete_distributions();

}  // namespace sgmcmc::testing
