// Log distribution functions of continuous distributions.
#include "density/stable.hpp"
#include "graph/build.hpp"

#include <sgmcmc/distribution_functions.hpp>

namespace sgmcmc {
namespace {

Expression log_gamma_p(const Expression& shape, const Expression& x) {
  return build::binary(Op::log_gamma_p, shape, x, "gamma distribution function");
}
Expression log_gamma_q(const Expression& shape, const Expression& x) {
  return build::binary(Op::log_gamma_q, shape, x, "gamma distribution function");
}
Expression log_inc_beta(const Expression& a, const Expression& b, const Expression& x) {
  return build::ternary(Op::log_inc_beta, a, b, x, "beta distribution function");
}

/// The upper tail has probability 1 below the support.
Expression or_certain(const Expression& inside, const Expression& log_probability) {
  return select(inside, log_probability, 0.0);
}

/// A distribution with tail exp(-hazard): the hazard must be finite and positive outside the support.
Expression lcdf_of_hazard(const Expression& inside, const Expression& hazard) {
  return within_support(inside, log1m_exp(-hazard));
}
Expression lccdf_of_hazard(const Expression& inside, const Expression& hazard) { return or_certain(inside, -hazard); }

struct Hazard {
  Expression inside, value;
};

Hazard exponential_hazard(const Expression& x, const Expression& rate) {
  const Expression inside = x > 0.0;
  return {inside, rate * inside_or(inside, x, 1.0)};
}
Hazard weibull_hazard(const Expression& x, const Expression& shape, const Expression& scale) {
  const Expression inside = x > 0.0;
  return {inside, exp(shape * (log(inside_or(inside, x, 1.0)) - log(scale)))};
}
Hazard rayleigh_hazard(const Expression& x, const Expression& scale) {
  const Expression inside = x > 0.0;
  return {inside, 0.5 * square(standardised(inside_or(inside, x, 1.0), 0.0, scale))};
}
Hazard pareto_hazard(const Expression& x, const Expression& minimum, const Expression& shape) {
  const Expression inside = x > minimum;
  return {inside, shape * (log(select(inside, x, 2.0 * minimum)) - log(minimum))};
}
Hazard pareto_type_2_hazard(const Expression& x, const Expression& location, const Expression& scale,
                            const Expression& shape) {
  const Expression z = standardised(x, location, scale);
  const Expression inside = z > 0.0;
  return {inside, shape * log1p(inside_or(inside, z, 1.0))};
}

/// Distribution function exp(-t), for Frechet and Gumbel distributions.
Hazard frechet_mirror(const Expression& x, const Expression& shape, const Expression& scale) {
  const Expression inside = x > 0.0;
  return {inside, exp(-(shape * (log(inside_or(inside, x, 1.0)) - log(scale))))};
}

/// log Phi(u), and the log of the part subtracted by the exponential tail: exp(square(s) / 2 - rate (x - mean)) Phi(u -
/// s).
struct ModifiedNormal {
  Expression u, log_tail;
};
ModifiedNormal modified_normal(const Expression& x, const Expression& mean, const Expression& sd,
                               const Expression& rate) {
  const Expression spread = rate * sd;
  const Expression u = standardised(x, mean, sd);
  return {u, 0.5 * square(spread) - rate * (x - mean) + log_Phi(u - spread)};
}

/// Whether x is inside the interval, or at or beyond its upper end.
struct Interval {
  Expression inside, beyond;
  Expression lower_tail(const Expression& log_probability) const {
    return select(inside, log_probability, log_or_minus_infinity(beyond));
  }
  Expression upper_tail(const Expression& log_probability) const {
    return select(inside, log_probability, log_or_minus_infinity(1.0 - beyond));
  }
};
Interval interval(const Expression& x, const Expression& lower, const Expression& upper) {
  return {(x > lower) * (x < upper), x >= upper};
}

using E = const Expression&;

}  // namespace

Expression std_normal_lcdf(E x) { return log_Phi(x); }
Expression std_normal_lccdf(E x) { return log_Phi(-x); }
Expression std_normal_cdf(E x) { return Phi(x); }

Expression normal_lcdf(E x, E mean, E sd) { return log_Phi(standardised(x, mean, sd)); }
Expression normal_lccdf(E x, E mean, E sd) { return log_Phi(-standardised(x, mean, sd)); }
Expression normal_cdf(E x, E mean, E sd) { return Phi(standardised(x, mean, sd)); }

Expression student_t_lcdf(E x, E degrees, E location, E scale) {
  return build::binary(Op::log_student_t_cdf, standardised(x, location, scale), degrees, "student_t_lcdf");
}
Expression student_t_lccdf(E x, E degrees, E location, E scale) {
  return build::binary(Op::log_student_t_cdf, -standardised(x, location, scale), degrees, "student_t_lccdf");
}

Expression double_exponential_lcdf(E x, E location, E scale) {
  const Expression z = standardised(x, location, scale);
  return select(z < 0.0, z - log_two, log1m(0.5 * exp(-max(z, 0.0))));
}
Expression double_exponential_lccdf(E x, E location, E scale) { return double_exponential_lcdf(-x, -location, scale); }

// atan2(1, -z) is the angle from 0 to pi, precise for small angles.
Expression cauchy_lcdf(E x, E location, E scale) { return log(atan2(1.0, -standardised(x, location, scale))) - log_pi; }
Expression cauchy_lccdf(E x, E location, E scale) { return log(atan2(1.0, standardised(x, location, scale))) - log_pi; }

Expression logistic_lcdf(E x, E location, E scale) { return log_logistic(standardised(x, location, scale)); }
Expression logistic_lccdf(E x, E location, E scale) { return log_logistic(-standardised(x, location, scale)); }
Expression logistic_cdf(E x, E location, E scale) { return logistic(standardised(x, location, scale)); }

Expression skew_normal_cdf(E x, E location, E scale, E shape) {
  const Expression z = standardised(x, location, scale);
  return Phi(z) - 2.0 * owens_t(z, shape);
}
Expression skew_normal_lcdf(E x, E location, E scale, E shape) {
  return log(skew_normal_cdf(x, location, scale, shape));
}
Expression skew_normal_lccdf(E x, E location, E scale, E shape) {
  const Expression z = standardised(x, location, scale);
  return log(Phi(-z) + 2.0 * owens_t(z, shape));
}

Expression exp_mod_normal_lcdf(E x, E mean, E sd, E rate) {
  const auto [u, log_tail] = modified_normal(x, mean, sd, rate);
  return log_diff_exp(log_Phi(u), log_tail);
}
Expression exp_mod_normal_lccdf(E x, E mean, E sd, E rate) {
  const auto [u, log_tail] = modified_normal(x, mean, sd, rate);
  return log_add_exp(log_Phi(-u), log_tail);
}

Expression gumbel_lcdf(E x, E location, E scale) { return -exp(-standardised(x, location, scale)); }
Expression gumbel_lccdf(E x, E location, E scale) { return log1m_exp(gumbel_lcdf(x, location, scale)); }

Expression lognormal_lcdf(E x, E log_mean, E log_sd) {
  const Expression inside = x > 0.0;
  return within_support(inside, normal_lcdf(log(inside_or(inside, x, 1.0)), log_mean, log_sd));
}
Expression lognormal_lccdf(E x, E log_mean, E log_sd) {
  const Expression inside = x > 0.0;
  return or_certain(inside, normal_lccdf(log(inside_or(inside, x, 1.0)), log_mean, log_sd));
}

Expression gamma_lcdf(E x, E shape, E rate) {
  const Expression inside = x > 0.0;
  return within_support(inside, log_gamma_p(shape, rate * inside_or(inside, x, 1.0)));
}
Expression gamma_lccdf(E x, E shape, E rate) {
  const Expression inside = x > 0.0;
  return or_certain(inside, log_gamma_q(shape, rate * inside_or(inside, x, 1.0)));
}

Expression inv_gamma_lcdf(E x, E shape, E scale) {
  const Expression inside = x > 0.0;
  return within_support(inside, log_gamma_q(shape, scale / inside_or(inside, x, 1.0)));
}
Expression inv_gamma_lccdf(E x, E shape, E scale) {
  const Expression inside = x > 0.0;
  return or_certain(inside, log_gamma_p(shape, scale / inside_or(inside, x, 1.0)));
}

Expression chi_square_lcdf(E x, E degrees) { return gamma_lcdf(x, 0.5 * degrees, 0.5); }
Expression chi_square_lccdf(E x, E degrees) { return gamma_lccdf(x, 0.5 * degrees, 0.5); }
Expression inv_chi_square_lcdf(E x, E degrees) { return inv_gamma_lcdf(x, 0.5 * degrees, 0.5); }
Expression inv_chi_square_lccdf(E x, E degrees) { return inv_gamma_lccdf(x, 0.5 * degrees, 0.5); }
Expression scaled_inv_chi_square_lcdf(E x, E degrees, E scale) {
  return inv_gamma_lcdf(x, 0.5 * degrees, 0.5 * degrees * square(scale));
}
Expression scaled_inv_chi_square_lccdf(E x, E degrees, E scale) {
  return inv_gamma_lccdf(x, 0.5 * degrees, 0.5 * degrees * square(scale));
}

#define SGMCMC_BY_HAZARD(name, parameters, arguments)      \
  Expression name##_lcdf parameters {                      \
    const auto [inside, hazard] = name##_hazard arguments; \
    return lcdf_of_hazard(inside, hazard);                 \
  }                                                        \
  Expression name##_lccdf parameters {                     \
    const auto [inside, hazard] = name##_hazard arguments; \
    return lccdf_of_hazard(inside, hazard);                \
  }
SGMCMC_BY_HAZARD(exponential, (E x, E rate), (x, rate))
SGMCMC_BY_HAZARD(weibull, (E x, E shape, E scale), (x, shape, scale))
SGMCMC_BY_HAZARD(rayleigh, (E x, E scale), (x, scale))
SGMCMC_BY_HAZARD(pareto, (E x, E minimum, E shape), (x, minimum, shape))
SGMCMC_BY_HAZARD(pareto_type_2, (E x, E location, E scale, E shape), (x, location, scale, shape))
#undef SGMCMC_BY_HAZARD

Expression frechet_lcdf(E x, E shape, E scale) {
  const auto [inside, t] = frechet_mirror(x, shape, scale);
  return within_support(inside, -t);
}
Expression frechet_lccdf(E x, E shape, E scale) {
  const auto [inside, t] = frechet_mirror(x, shape, scale);
  return or_certain(inside, log1m_exp(-t));
}

Expression beta_lcdf(E x, E a, E b) {
  const auto place = interval(x, 0.0, 1.0);
  return place.lower_tail(log_inc_beta(a, b, inside_or(place.inside, x, 0.5)));
}
Expression beta_lccdf(E x, E a, E b) {
  const auto place = interval(x, 0.0, 1.0);
  return place.upper_tail(log_inc_beta(b, a, 1.0 - inside_or(place.inside, x, 0.5)));
}
Expression beta_proportion_lcdf(E x, E mean, E precision) {
  return beta_lcdf(x, mean * precision, (1.0 - mean) * precision);
}
Expression beta_proportion_lccdf(E x, E mean, E precision) {
  return beta_lccdf(x, mean * precision, (1.0 - mean) * precision);
}

Expression uniform_lcdf(E x, E lower, E upper) {
  const auto place = interval(x, lower, upper);
  return place.lower_tail(log(select(place.inside, x - lower, 1.0)) - log(upper - lower));
}
Expression uniform_lccdf(E x, E lower, E upper) {
  const auto place = interval(x, lower, upper);
  return place.upper_tail(log(select(place.inside, upper - x, 1.0)) - log(upper - lower));
}

#define SGMCMC_CDF(name, parameters, arguments) \
  Expression name##_cdf parameters { return exp(name##_lcdf arguments); }
SGMCMC_CDF(student_t, (E x, E degrees, E location, E scale), (x, degrees, location, scale))
SGMCMC_CDF(double_exponential, (E x, E location, E scale), (x, location, scale))
SGMCMC_CDF(cauchy, (E x, E location, E scale), (x, location, scale))
SGMCMC_CDF(exp_mod_normal, (E x, E mean, E sd, E rate), (x, mean, sd, rate))
SGMCMC_CDF(gumbel, (E x, E location, E scale), (x, location, scale))
SGMCMC_CDF(lognormal, (E x, E log_mean, E log_sd), (x, log_mean, log_sd))
SGMCMC_CDF(gamma, (E x, E shape, E rate), (x, shape, rate))
SGMCMC_CDF(inv_gamma, (E x, E shape, E scale), (x, shape, scale))
SGMCMC_CDF(chi_square, (E x, E degrees), (x, degrees))
SGMCMC_CDF(inv_chi_square, (E x, E degrees), (x, degrees))
SGMCMC_CDF(scaled_inv_chi_square, (E x, E degrees, E scale), (x, degrees, scale))
SGMCMC_CDF(exponential, (E x, E rate), (x, rate))
SGMCMC_CDF(weibull, (E x, E shape, E scale), (x, shape, scale))
SGMCMC_CDF(frechet, (E x, E shape, E scale), (x, shape, scale))
SGMCMC_CDF(rayleigh, (E x, E scale), (x, scale))
SGMCMC_CDF(pareto, (E x, E minimum, E shape), (x, minimum, shape))
SGMCMC_CDF(pareto_type_2, (E x, E location, E scale, E shape), (x, location, scale, shape))
SGMCMC_CDF(beta, (E x, E a, E b), (x, a, b))
SGMCMC_CDF(beta_proportion, (E x, E mean, E precision), (x, mean, precision))
SGMCMC_CDF(uniform, (E x, E lower, E upper), (x, lower, upper))
#undef SGMCMC_CDF

}  // namespace sgmcmc
