// Numerically stable parts of log densities: precise and finite at the edges of their domain.
#pragma once

#include "graph/gamma_ratio.hpp"

#include <sgmcmc/expression.hpp>

namespace sgmcmc {

inline constexpr double log_two = 0.693147180559945309417;
inline constexpr double log_pi = 1.144729885849400174143;
inline constexpr double half_log_two_pi = 0.918938533204672741780;

/// (x - location) / scale. If only x - location is per-row, computes the reciprocal once.
Expression standardised(const Expression& x, const Expression& location, const Expression& scale);

/// `density` where `inside` holds, else -infinity with no gradient. The density must be finite wherever it is
/// evaluated: first replace values outside by inside_or(), because 0 * infinity would leak NaN into gradients.
Expression within_support(const Expression& inside, const Expression& density);
/// x where `inside` holds, else a harmless value.
Expression inside_or(const Expression& inside, const Expression& x, double harmless);

/// log(x) for x > 0, and -infinity with no gradient otherwise.
Expression log_or_minus_infinity(const Expression& x);
/// Whether x is a probability; up to 1e-8 beyond 1 count as rounding errors.
Expression is_probability(const Expression& x);

/// log(1 + x^2), also if x^2 overflows.
Expression log1p_square(const Expression& x);

}  // namespace sgmcmc
