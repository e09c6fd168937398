// Distribution functions of counts: incomplete gamma and beta functions in their parameters.
#include "density/stable.hpp"
#include "graph/build.hpp"

#include <sgmcmc/distribution_functions.hpp>

#include <limits>

namespace sgmcmc {
namespace {

using E = const Expression&;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

Expression log_tail_of_counts(E a, E b, E x) {
  return build::ternary(Op::log_inc_beta, a, b, x, "distribution function of counts");
}

/// Probability 0 below 0; `counted` is y with negative values replaced by 0.
struct Count {
  explicit Count(E y) : inside(y >= 0.0), counted(select(inside, y, 0.0)) {}
  Expression lower_tail(E log_probability) const { return select(inside, log_probability, minus_infinity); }
  Expression upper_tail(E log_probability) const { return select(inside, log_probability, 0.0); }
  Expression inside, counted;
};

/// Counts up to `trials`: there the lower tail has probability 1 and the upper one 0.
struct BoundedCount {
  BoundedCount(E y, E trials)
      : inside((y >= 0.0) * (y < trials)),
        counted(select(inside, y, 0.0)),
        others(select(inside, trials - y, 1.0)),
        beyond(y >= trials) {}
  Expression lower_tail(E log_probability) const {
    return select(inside, log_probability, log_or_minus_infinity(beyond));
  }
  Expression upper_tail(E log_probability) const {
    return select(inside, log_probability, log_or_minus_infinity(1.0 - beyond));
  }
  Expression inside, counted, others, beyond;
};

}  // namespace

Expression bernoulli_lcdf(E y, E probability) { return BoundedCount(y, 1.0).lower_tail(log1m(probability)); }
Expression bernoulli_lccdf(E y, E probability) { return BoundedCount(y, 1.0).upper_tail(log(probability)); }

Expression binomial_lcdf(E y, E trials, E probability) {
  const BoundedCount count(y, trials);
  return count.lower_tail(log_tail_of_counts(count.others, count.counted + 1.0, 1.0 - probability));
}
Expression binomial_lccdf(E y, E trials, E probability) {
  const BoundedCount count(y, trials);
  return count.upper_tail(log_tail_of_counts(count.counted + 1.0, count.others, probability));
}

Expression poisson_lcdf(E y, E rate) {
  const Count count(y);
  return count.lower_tail(build::binary(Op::log_gamma_q, count.counted + 1.0, rate, "poisson_lcdf"));
}
Expression poisson_lccdf(E y, E rate) {
  const Count count(y);
  return count.upper_tail(build::binary(Op::log_gamma_p, count.counted + 1.0, rate, "poisson_lccdf"));
}

Expression neg_binomial_lcdf(E y, E shape, E inverse_scale) {
  const Count count(y);
  return count.lower_tail(log_tail_of_counts(shape, count.counted + 1.0, inverse_scale / (1.0 + inverse_scale)));
}
Expression neg_binomial_lccdf(E y, E shape, E inverse_scale) {
  const Count count(y);
  return count.upper_tail(log_tail_of_counts(count.counted + 1.0, shape, reciprocal(1.0 + inverse_scale)));
}

Expression neg_binomial_2_lcdf(E y, E mean, E dispersion) {
  const Count count(y);
  return count.lower_tail(log_tail_of_counts(dispersion, count.counted + 1.0, dispersion / (mean + dispersion)));
}
Expression neg_binomial_2_lccdf(E y, E mean, E dispersion) {
  const Count count(y);
  return count.upper_tail(log_tail_of_counts(count.counted + 1.0, dispersion, mean / (mean + dispersion)));
}

Expression bernoulli_cdf(E y, E probability) { return exp(bernoulli_lcdf(y, probability)); }
Expression binomial_cdf(E y, E trials, E probability) { return exp(binomial_lcdf(y, trials, probability)); }
Expression poisson_cdf(E y, E rate) { return exp(poisson_lcdf(y, rate)); }
Expression neg_binomial_cdf(E y, E shape, E inverse_scale) { return exp(neg_binomial_lcdf(y, shape, inverse_scale)); }
Expression neg_binomial_2_cdf(E y, E mean, E dispersion) { return exp(neg_binomial_2_lcdf(y, mean, dispersion)); }

}  // namespace sgmcmc
