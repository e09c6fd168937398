// Bounds that an expression keeps whatever the parameters and the data are: what need not be checked at every step.
#pragma once

#include <sgmcmc/expression.hpp>

#include <limits>
#include <unordered_map>

namespace sgmcmc {
struct Node;
}

namespace sgmcmc::stan {

/// All elements lie in [low, high], infinities that cancel aside.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// Interval arithmetic on graphs; remembers the nodes it has seen.
class Ranges {
 public:
  Range of(const Expression& expression);

 private:
  struct Known {
    Range range;
    Expression node;  ///< kept, so that its address stays its own
  };
  Range compute(const Node& node) const;

  std::unordered_map<const Node*, Known> known_;
};

}  // namespace sgmcmc::stan
