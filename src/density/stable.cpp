// Numerically stable parts of log densities: precise and finite at the edges of their domain.
#include "density/stable.hpp"

#include <limits>

namespace sgmcmc {

Expression standardised(const Expression& x, const Expression& location, const Expression& scale) {
  const Expression difference = x - location;
  if (difference.per_row() && !scale.per_row()) return difference * reciprocal(scale);
  return difference / scale;
}

Expression within_support(const Expression& inside, const Expression& density) {
  return select(inside, density, -std::numeric_limits<double>::infinity());
}

Expression inside_or(const Expression& inside, const Expression& x, double harmless) {
  return select(inside, x, harmless);
}

Expression log_or_minus_infinity(const Expression& x) {
  const Expression positive = x > 0.0;
  return within_support(positive, log(inside_or(positive, x, 1.0)));
}

Expression is_probability(const Expression& x) { return (x >= 0.0) * (x <= 1.0 + 1e-8); }

Expression log1p_square(const Expression& x) {
  // If x^2 nearly overflows, the 1 is negligible, and x is scaled before squaring. The comparison has no derivative, so
  // its overflow is harmless. Valid up to |x| = 2e300.
  constexpr double scale = 0x1p-486;
  constexpr double minus_two_log_scale = 2 * 486 * log_two;
  const Expression huge = square(x) > 1e307;
  return log1p(square(x * select(huge, scale, 1.0))) + select(huge, minus_two_log_scale, 0.0);
}

}  // namespace sgmcmc
