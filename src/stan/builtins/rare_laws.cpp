// Distributions that few models use, as expressions.
#include "stan/builtins/rare_laws.hpp"

#include <limits>
#include <numbers>
#include "stan/builtins/numbers.hpp"

namespace sgmcmc::stan {
namespace {

/// shape * log(x / scale), for x > 0.
Expression scaled_log(const Expression& x, const Expression& scale, const Expression& shape) {
  return shape * (log(select(x > 0.0, x, 1.0)) - log(scale));
}

/// How far x lies below and above the location, in units of half the scale; one of them is 0.
struct Sides {
  Expression below, above, is_below;
};
Sides sides(const Expression& x, const Expression& location, const Expression& scale) {
  const Expression distance = 2.0 * (x - location) / scale, is_below = x < location;
  return {select(is_below, -distance, 0.0), select(is_below, 0.0, distance), is_below};
}

// The density of the standard first-passage time as a series in exp(-1 / t) and as one in exp(-t) (Navarro and Fuss
// 2009, equations 5 and 6), each with its first factor extracted: at `switch_time` both are exact to rounding with this
// many terms.
constexpr double switch_time = 0.3;
constexpr int small_terms = 3, large_terms = 7;

Expression log_passage_small(const Expression& t, const Expression& start) {
  Expression total = start;
  for (int k = 1; k <= small_terms; ++k) {
    const double twice = 2.0 * k;
    total = total + (start + twice) * exp(-twice * (start + k) / t) + (start - twice) * exp(twice * (start - k) / t);
  }
  return log(total) - square(start) / (2.0 * t) - 1.5 * log(t) - 0.918938533204672741780;
}

Expression log_passage_large(const Expression& t, const Expression& start) {
  constexpr double pi = std::numbers::pi, half = 0.5 * pi * pi;
  Expression total = sin(pi * start);
  for (int k = 2; k <= large_terms; ++k)
    total = total + static_cast<double>(k) * sin(k * pi * start) * exp(-(k * k - 1.0) * half * t);
  return log(total) - half * t + 1.144729885849400174143;
}

}  // namespace

Expression loglogistic_lpdf(const Expression& x, const Expression& scale, const Expression& shape) {
  const Expression z = scaled_log(x, scale, shape), safe = select(x > 0.0, x, 1.0);
  return select(x > 0.0, log(shape) + z - log(safe) - 2.0 * log1p_exp(z), -numbers::infinity);
}
Expression loglogistic_lcdf(const Expression& x, const Expression& scale, const Expression& shape) {
  return select(x > 0.0, log_logistic(scaled_log(x, scale, shape)), -numbers::infinity);
}
Expression loglogistic_lccdf(const Expression& x, const Expression& scale, const Expression& shape) {
  return select(x > 0.0, log_logistic(-scaled_log(x, scale, shape)), 0.0);
}
Expression loglogistic_cdf(const Expression& x, const Expression& scale, const Expression& shape) {
  return select(x > 0.0, logistic(scaled_log(x, scale, shape)), 0.0);
}

Expression skew_double_exponential_lpdf(const Expression& x, const Expression& location, const Expression& scale,
                                        const Expression& skew) {
  const Sides z = sides(x, location, scale);
  return std::numbers::ln2 + log(skew) + log1m(skew) - log(scale) - (1.0 - skew) * z.below - skew * z.above;
}
Expression skew_double_exponential_cdf(const Expression& x, const Expression& location, const Expression& scale,
                                       const Expression& skew) {
  const Sides z = sides(x, location, scale);
  return select(z.is_below, skew * exp(-(1.0 - skew) * z.below), 1.0 - (1.0 - skew) * exp(-skew * z.above));
}
Expression skew_double_exponential_lcdf(const Expression& x, const Expression& location, const Expression& scale,
                                        const Expression& skew) {
  const Sides z = sides(x, location, scale);
  return select(z.is_below, log(skew) - (1.0 - skew) * z.below, log1m((1.0 - skew) * exp(-skew * z.above)));
}
Expression skew_double_exponential_lccdf(const Expression& x, const Expression& location, const Expression& scale,
                                         const Expression& skew) {
  const Sides z = sides(x, location, scale);
  return select(z.is_below, log1m(skew * exp(-(1.0 - skew) * z.below)), log1m(skew) - skew * z.above);
}

Expression wiener_lpdf(const Expression& x, const Expression& separation, const Expression& delay,
                       const Expression& bias, const Expression& drift) {
  const Expression started = x > delay, time = select(started, x - delay, 1.0);
  const Expression t = time / square(separation), start = 1.0 - bias;
  const Expression passage = select(t > switch_time, log_passage_large(max(t, switch_time), start),
                                    log_passage_small(min(t, switch_time), start));
  const Expression density = drift * separation * start - 0.5 * square(drift) * time - 2.0 * log(separation) + passage;
  return select(started, density, -numbers::infinity);
}

}  // namespace sgmcmc::stan
