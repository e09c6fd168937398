// The functions of plain numbers that come from Boost.
#include "stan/builtins/numbers.hpp"

#include "base/boost_policy.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace sgmcmc::stan::numbers {

double lgamma(double x) {
  if (x == std::floor(x) && x <= 0) return infinity;
  return boost::math::lgamma(x, special::QuietPolicy());
}
double digamma(double x) { return boost::math::digamma(x, special::QuietPolicy()); }
double trigamma(double x) { return boost::math::trigamma(x, special::QuietPolicy()); }

}  // namespace sgmcmc::stan::numbers
