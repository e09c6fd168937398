// Gamma, beta and factorial functions made of logarithms of gamma functions, with Stirling's series for large
// arguments.
#include "graph/gamma_ratio.hpp"

#include "graph/node.hpp"

#include <cmath>
#include <numbers>
#include <optional>

namespace sgmcmc {

namespace {

/// Above this a, Stirling's series with one correction term is exact to rounding (error 1/(360 a^3) = 4e-13), while
/// lgamma(a) begins to lose digits. Not a round number, because min() and max() have no derivative at ties.
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

Expression log_gamma_ratio(const Expression& a, const Expression& y) {
  if (const auto value = constant_scalar(a)) {
    return *value > stirling_from ? stirling_ratio(a, y) + y * log(a) : lgamma(y + a) - lgamma(a);
  }
  // Each branch gets valid arguments only, so that its derivative is finite even where it is not used.
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

Expression lbeta(const Expression& a, const Expression& b) {
  // Uses select, not min() and max(): at a = b each argument must get exactly one of the two derivatives.
  const Expression ascending = a < b;
  const Expression smaller = select(ascending, a, b);
  const Expression larger = select(ascending, b, a);
  return lgamma(smaller) - log_gamma_ratio(larger, smaller);
}

Expression lchoose(const Expression& total, const Expression& chosen) {
  return log_gamma_ratio(total - chosen + 1.0, chosen) - lgamma(chosen + 1.0);
}

Expression lmgamma(std::int64_t dimension, const Expression& x) {
  std::vector<double> halves(static_cast<std::size_t>(dimension));
  for (std::size_t j = 0; j < halves.size(); ++j) halves[j] = 0.5 * static_cast<double>(j);
  const double count = static_cast<double>(dimension);
  if (x.shape().is_scalar())
    return sum(lgamma(x - constant(std::move(halves)))) + 0.25 * count * (count - 1.0) * std::log(std::numbers::pi);
  Expression total = 0.25 * count * (count - 1.0) * std::log(std::numbers::pi);
  for (const double half : halves) total = total + lgamma(x - half);
  return total;
}

Expression log_rising_factorial(const Expression& x, const Expression& n) { return log_gamma_ratio(x, n); }

Expression log_falling_factorial(const Expression& x, const Expression& n) { return log_gamma_ratio(x - n + 1.0, n); }

namespace {

/// The number of factors, if known and small enough to write the product explicitly, which is exact for every x.
std::optional<int> factors(const Expression& n) {
  const auto value = constant_scalar(n);
  if (!value || *value < 0 || *value > 64 || *value != std::floor(*value)) return std::nullopt;
  return static_cast<int>(*value);
}

Expression product_from(const Expression& x, int count, double step) {
  if (count == 0) return broadcast_to(1.0, x.shape());
  Expression product = x;
  for (int k = 1; k < count; ++k) product = product * (x + step * k);
  return product;
}

}  // namespace

Expression falling_factorial(const Expression& x, const Expression& n) {
  if (const auto count = factors(n)) return product_from(x, *count, -1.0);
  return exp(log_falling_factorial(x, n));
}

Expression rising_factorial(const Expression& x, const Expression& n) {
  if (const auto count = factors(n)) return product_from(x, *count, 1.0);
  return exp(log_rising_factorial(x, n));
}

}  // namespace sgmcmc
