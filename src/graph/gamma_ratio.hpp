// Numerically stable ratios of gamma functions for large arguments, where log gamma functions cancel.
#pragma once

#include <sgmcmc/expression.hpp>

namespace sgmcmc {

/// lgamma(a + y) - lgamma(a) for a > 0, without the cancellation that costs all digits when a is much larger than y.
Expression log_gamma_ratio(const Expression& a, const Expression& y);
/// log_gamma_ratio(a, y) - y log(a), which goes to 0 as a grows.
Expression scaled_log_gamma_ratio(const Expression& a, const Expression& y);

}  // namespace sgmcmc
