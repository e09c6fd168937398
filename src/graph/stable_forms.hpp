// Rewrites logistic functions, softmax and their logarithms in numerically stable forms.
#pragma once

#include <sgmcmc/expression.hpp>

namespace sgmcmc {

/// Returns an expression of the same exact value with these forms replaced, also across reshapes:
///   1 / (1 + exp(-x)), exp(x) / (1 + exp(x))  ->  logistic(x)
///   1 - logistic(x)                           ->  logistic(-x)
///   log(logistic(x))                          ->  log_logistic(x)
///   log(1 + exp(x)), log1p(exp(x))            ->  log1p_exp(x)
///   log(softmax(x))                           ->  log_softmax(x)
///   y log(p) + (1 - y) log(1 - p), p = logistic(x)  ->  y x - log1p_exp(x)
///   y log(p), y data and p of a row           ->  multiply_log(y, p): 0 where y is 0, whatever p
/// Apply before differentiation, so that gradients are those of the stable forms.
Expression with_stable_forms(const Expression& density);

}  // namespace sgmcmc
