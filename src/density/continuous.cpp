// Univariate densities: on the real line, on the positive half line and on intervals.
#include "density/stable.hpp"
#include "graph/build.hpp"

#include <sgmcmc/distributions.hpp>

namespace sgmcmc {

Expression std_normal_lpdf(const Expression& x) { return -0.5 * square(x) - half_log_two_pi; }

Expression normal_lpdf(const Expression& x, const Expression& mean, const Expression& sd) {
  return -0.5 * square(standardised(x, mean, sd)) - (log(sd) + half_log_two_pi);
}

Expression student_t_lpdf(const Expression& x, const Expression& degrees, const Expression& location,
                          const Expression& scale) {
  const Expression half = 0.5 * degrees;
  const Expression normaliser = scaled_log_gamma_ratio(half, 0.5) - (log(scale) + half_log_two_pi);
  return normaliser - (half + 0.5) * log1p_square(standardised(x, location, scale * sqrt(degrees)));
}

Expression double_exponential_lpdf(const Expression& x, const Expression& location, const Expression& scale) {
  return -abs(standardised(x, location, scale)) - (log(scale) + log_two);
}

Expression laplace_lpdf(const Expression& x, const Expression& location, const Expression& scale) {
  return double_exponential_lpdf(x, location, scale);
}

Expression cauchy_lpdf(const Expression& x, const Expression& location, const Expression& scale) {
  return -log1p_square(standardised(x, location, scale)) - (log(scale) + log_pi);
}

Expression logistic_lpdf(const Expression& x, const Expression& location, const Expression& scale) {
  const Expression minus_z = -standardised(x, location, scale);
  return minus_z - 2.0 * log1p_exp(minus_z) - log(scale);
}

Expression skew_normal_lpdf(const Expression& x, const Expression& location, const Expression& scale,
                            const Expression& shape) {
  const Expression z = standardised(x, location, scale);
  return log_Phi(shape * z) - 0.5 * square(z) - (log(scale) + (half_log_two_pi - log_two));
}

Expression exp_mod_normal_lpdf(const Expression& x, const Expression& mean, const Expression& sd,
                               const Expression& rate) {
  const Expression difference = x - mean;
  const Expression spread = rate * sd;
  const Expression normaliser = log(rate) + 0.5 * square(spread);
  return log_Phi(standardised(x, mean, sd) - spread) - rate * difference + normaliser;
}

Expression gumbel_lpdf(const Expression& x, const Expression& location, const Expression& scale) {
  const Expression z = standardised(x, location, scale);
  return -z - exp(-z) - log(scale);
}

Expression von_mises_lpdf(const Expression& x, const Expression& location, const Expression& concentration) {
  const Expression normaliser = build::unary(Op::log_bessel_i0, concentration) + 2.0 * half_log_two_pi;
  return concentration * cos(x - location) - normaliser;
}

Expression lognormal_lpdf(const Expression& x, const Expression& log_mean, const Expression& log_sd) {
  const Expression inside = x > 0.0;
  const Expression log_x = log(inside_or(inside, x, 1.0));
  return within_support(inside, normal_lpdf(log_x, log_mean, log_sd) - log_x);
}

Expression gamma_lpdf(const Expression& x, const Expression& shape, const Expression& rate) {
  const Expression inside = x > 0.0;
  const Expression safe_x = inside_or(inside, x, 1.0);
  const Expression normaliser = shape * log(rate) - lgamma(shape);
  return within_support(inside, (shape - 1.0) * log(safe_x) - rate * safe_x + normaliser);
}

Expression inv_gamma_lpdf(const Expression& x, const Expression& shape, const Expression& scale) {
  const Expression inside = x > 0.0;
  const Expression safe_x = inside_or(inside, x, 1.0);
  const Expression normaliser = shape * log(scale) - lgamma(shape);
  return within_support(inside, normaliser - (shape + 1.0) * log(safe_x) - scale / safe_x);
}

Expression exponential_lpdf(const Expression& x, const Expression& rate) {
  return within_support(x >= 0.0, log(rate) - rate * x);
}

Expression weibull_lpdf(const Expression& x, const Expression& shape, const Expression& scale) {
  const Expression inside = x > 0.0;
  const Expression log_z = log(inside_or(inside, x, 1.0)) - log(scale);
  const Expression normaliser = log(shape) - log(scale);
  return within_support(inside, (shape - 1.0) * log_z - exp(shape * log_z) + normaliser);
}

Expression chi_square_lpdf(const Expression& x, const Expression& degrees) { return gamma_lpdf(x, 0.5 * degrees, 0.5); }

Expression inv_chi_square_lpdf(const Expression& x, const Expression& degrees) {
  return inv_gamma_lpdf(x, 0.5 * degrees, 0.5);
}

Expression scaled_inv_chi_square_lpdf(const Expression& x, const Expression& degrees, const Expression& scale) {
  const Expression half = 0.5 * degrees;
  return inv_gamma_lpdf(x, half, half * square(scale));
}

Expression frechet_lpdf(const Expression& x, const Expression& shape, const Expression& scale) {
  const Expression inside = x > 0.0;
  const Expression log_z = log(inside_or(inside, x, 1.0)) - log(scale);
  const Expression normaliser = log(shape) - log(scale);
  return within_support(inside, normaliser - (shape + 1.0) * log_z - exp(-(shape * log_z)));
}

Expression rayleigh_lpdf(const Expression& x, const Expression& scale) {
  const Expression inside = x > 0.0;
  const Expression safe_x = inside_or(inside, x, 1.0);
  return within_support(inside, log(safe_x) - 0.5 * square(standardised(safe_x, 0.0, scale)) - 2.0 * log(scale));
}

Expression pareto_lpdf(const Expression& x, const Expression& minimum, const Expression& shape) {
  const Expression inside = x >= minimum;
  const Expression log_x = log(inside_or(inside, x, 1.0));
  return within_support(inside, log(shape) + shape * log(minimum) - (shape + 1.0) * log_x);
}

Expression pareto_type_2_lpdf(const Expression& x, const Expression& location, const Expression& scale,
                              const Expression& shape) {
  const Expression z = standardised(x, location, scale);
  const Expression inside = z >= 0.0;
  const Expression normaliser = log(shape) - log(scale);
  return within_support(inside, normaliser - (shape + 1.0) * log1p(inside_or(inside, z, 1.0)));
}

Expression half_normal_lpdf(const Expression& x, const Expression& sd) {
  return within_support(x >= 0.0, normal_lpdf(x, 0.0, sd) + log_two);
}

Expression half_cauchy_lpdf(const Expression& x, const Expression& scale) {
  return within_support(x >= 0.0, cauchy_lpdf(x, 0.0, scale) + log_two);
}

Expression half_student_t_lpdf(const Expression& x, const Expression& degrees, const Expression& scale) {
  return within_support(x >= 0.0, student_t_lpdf(x, degrees, 0.0, scale) + log_two);
}

Expression beta_lpdf(const Expression& x, const Expression& a, const Expression& b) {
  const Expression inside = (x >= 0.0) * (x <= 1.0);
  const Expression safe_x = inside_or(inside, x, 0.5);
  return within_support(inside, multiply_log(a - 1.0, safe_x) + multiply_log(b - 1.0, 1.0 - safe_x) - lbeta(a, b));
}

Expression beta_proportion_lpdf(const Expression& x, const Expression& mean, const Expression& precision) {
  return beta_lpdf(x, mean * precision, (1.0 - mean) * precision);
}

Expression uniform_lpdf(const Expression& x, const Expression& lower, const Expression& upper) {
  return within_support((lower <= x) * (x <= upper), -log(upper - lower));
}

}  // namespace sgmcmc
