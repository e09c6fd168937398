// Pieces of log densities written so that they keep their digits, and stay finite, at the edges of their domain.
#include "density/stable.hpp"

#include "graph/node.hpp"

#include <limits>
#include <optional>

namespace sgmcmc {

namespace {

/// Above this a, Stirling's series with one correction term is exact to rounding (error 1/(360 a^3) = 4e-13), while
/// lgamma(a) begins to lose digits. No round number: at a tie min() and max() have no derivative.
constexpr double stirling_from = 1999.7316;

std::optional<double> constant_scalar(const Expression& x) {
  const Node& node = x.node();
  if (node.op != Op::constant || node.shape.size() != 1) return std::nullopt;
  return node.attributes.values->front();
}

/// lgamma(a + y) - lgamma(a) - y log(a) by Stirling's series.
Expression stirling_ratio(const Expression& a, const Expression& y) {
  const Expression inverse = reciprocal(a);
  return (y + (a - 0.5)) * log1p(y * inverse) - y - y * (inverse / 12.0) / (y + a);
}

}  // namespace

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

Expression log1p_square(const Expression& x) {
  // Where x^2 nearly overflows the 1 is nothing beside it, and x may be scaled before squaring. The comparison has no
  // derivative, so the overflow inside it is harmless. Good up to |x| = 2e300.
  constexpr double scale = 0x1p-486;
  constexpr double minus_two_log_scale = 2 * 486 * log_two;
  const Expression huge = square(x) > 1e307;
  return log1p(square(x * select(huge, scale, 1.0))) + select(huge, minus_two_log_scale, 0.0);
}

Expression log_gamma_ratio(const Expression& a, const Expression& y) {
  if (const auto value = constant_scalar(a)) {
    return *value > stirling_from ? stirling_ratio(a, y) + y * log(a) : lgamma(y + a) - lgamma(a);
  }
  // Each branch sees only arguments it can bear, so that its derivative is finite where it is not taken.
  const Expression small = min(a, stirling_from);
  const Expression large = max(a, stirling_from);
  return select(a > stirling_from, stirling_ratio(large, y) + y * log(large), lgamma(y + small) - lgamma(small));
}

Expression scaled_log_gamma_ratio(const Expression& a, const Expression& y) {
  if (const auto value = constant_scalar(a)) {
    return *value > stirling_from ? stirling_ratio(a, y) : lgamma(y + a) - lgamma(a) - y * log(a);
  }
  const Expression small = min(a, stirling_from);
  const Expression large = max(a, stirling_from);
  return select(a > stirling_from, stirling_ratio(large, y), lgamma(y + small) - lgamma(small) - y * log(small));
}

Expression log_beta(const Expression& a, const Expression& b) {
  // By select and not min() and max(): at a = b each argument must get exactly one of the two derivatives.
  const Expression ascending = a < b;
  const Expression smaller = select(ascending, a, b);
  const Expression larger = select(ascending, b, a);
  return lgamma(smaller) - log_gamma_ratio(larger, smaller);
}

Expression log_choose(const Expression& total, const Expression& chosen) {
  return log_gamma_ratio(total - chosen + 1.0, chosen) - lgamma(chosen + 1.0);
}

Expression log_multivariate_gamma(const Expression& a, std::int64_t dimension) {
  std::vector<double> halves(static_cast<std::size_t>(dimension));
  for (std::size_t j = 0; j < halves.size(); ++j) halves[j] = 0.5 * static_cast<double>(j);
  const double count = static_cast<double>(dimension);
  return sum(lgamma(a - constant(std::move(halves)))) + 0.25 * count * (count - 1.0) * log_pi;
}

}  // namespace sgmcmc
