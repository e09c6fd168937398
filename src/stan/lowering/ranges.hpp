// Bounds of an expression for all parameters and data, which need not be checked at every step.
#pragma once

#include <sgmcmc/expression.hpp>

#include <limits>
#include <unordered_map>

namespace sgmcmc {
struct Node;
}

namespace sgmcmc::stan {

/// All elements are in [low, high], ignoring infinities that cancel.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// Interval arithmetic on graphs; caches results by node.
class Ranges {
 public:
  Range of(const Expression& expression);

 private:
  struct Known {
    Range range;
    Expression node;  ///< kept alive so that its address stays unique
  };
  Range compute(const Node& node) const;

  std::unordered_map<const Node*, Known> known_;
};

}  // namespace sgmcmc::stan
