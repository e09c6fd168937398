// Distributions that few models use, as expressions: element by element.
#pragma once

#include <sgmcmc/expression.hpp>

namespace sgmcmc::stan {

/// Scale and shape; x >= 0.
Expression loglogistic_lpdf(const Expression& x, const Expression& scale, const Expression& shape);
Expression loglogistic_cdf(const Expression& x, const Expression& scale, const Expression& shape);
Expression loglogistic_lcdf(const Expression& x, const Expression& scale, const Expression& shape);
Expression loglogistic_lccdf(const Expression& x, const Expression& scale, const Expression& shape);

/// Laplace with a share `skew` of its mass below the location.
Expression skew_double_exponential_lpdf(const Expression& x, const Expression& location, const Expression& scale,
                                        const Expression& skew);
Expression skew_double_exponential_cdf(const Expression& x, const Expression& location, const Expression& scale,
                                       const Expression& skew);
Expression skew_double_exponential_lcdf(const Expression& x, const Expression& location, const Expression& scale,
                                        const Expression& skew);
Expression skew_double_exponential_lccdf(const Expression& x, const Expression& location, const Expression& scale,
                                         const Expression& skew);

/// First-passage time x at the upper of two boundaries, `separation` apart, of a diffusion that starts after `delay` at
/// the fraction `bias` between them.
Expression wiener_lpdf(const Expression& x, const Expression& separation, const Expression& delay,
                       const Expression& bias, const Expression& drift);

}  // namespace sgmcmc::stan
