// Distribution functions: for each distribution X, the log cdf X_lcdf, the log complementary cdf X_lccdf, and X_cdf.
//
// Names, arguments and order are those of the density X_lpdf or X_lpmf. Element by element, broadcasting; every real
// argument has a derivative. A value below the support has X_lcdf = -infinity, one above X_lccdf = -infinity, with
// gradient zero. Counts y are integers. Derivatives with respect to the shapes of gamma, beta and Student distributions
// are of first order only.
#pragma once

#include <sgmcmc/expression.hpp>

namespace sgmcmc {

// On the real line ---------------------------------------------------------------------------------------------------
Expression std_normal_lcdf(const Expression& x);
Expression std_normal_lccdf(const Expression& x);
Expression std_normal_cdf(const Expression& x);
Expression normal_lcdf(const Expression& x, const Expression& mean, const Expression& sd);
Expression normal_lccdf(const Expression& x, const Expression& mean, const Expression& sd);
Expression normal_cdf(const Expression& x, const Expression& mean, const Expression& sd);
Expression student_t_lcdf(const Expression& x, const Expression& degrees, const Expression& location,
                          const Expression& scale);
Expression student_t_lccdf(const Expression& x, const Expression& degrees, const Expression& location,
                           const Expression& scale);
Expression student_t_cdf(const Expression& x, const Expression& degrees, const Expression& location,
                         const Expression& scale);
Expression double_exponential_lcdf(const Expression& x, const Expression& location, const Expression& scale);
Expression double_exponential_lccdf(const Expression& x, const Expression& location, const Expression& scale);
Expression double_exponential_cdf(const Expression& x, const Expression& location, const Expression& scale);
Expression cauchy_lcdf(const Expression& x, const Expression& location, const Expression& scale);
Expression cauchy_lccdf(const Expression& x, const Expression& location, const Expression& scale);
Expression cauchy_cdf(const Expression& x, const Expression& location, const Expression& scale);
Expression logistic_lcdf(const Expression& x, const Expression& location, const Expression& scale);
Expression logistic_lccdf(const Expression& x, const Expression& location, const Expression& scale);
Expression logistic_cdf(const Expression& x, const Expression& location, const Expression& scale);
Expression skew_normal_lcdf(const Expression& x, const Expression& location, const Expression& scale,
                            const Expression& shape);
Expression skew_normal_lccdf(const Expression& x, const Expression& location, const Expression& scale,
                             const Expression& shape);
Expression skew_normal_cdf(const Expression& x, const Expression& location, const Expression& scale,
                           const Expression& shape);
Expression exp_mod_normal_lcdf(const Expression& x, const Expression& mean, const Expression& sd,
                               const Expression& rate);
Expression exp_mod_normal_lccdf(const Expression& x, const Expression& mean, const Expression& sd,
                                const Expression& rate);
Expression exp_mod_normal_cdf(const Expression& x, const Expression& mean, const Expression& sd,
                              const Expression& rate);
Expression gumbel_lcdf(const Expression& x, const Expression& location, const Expression& scale);
Expression gumbel_lccdf(const Expression& x, const Expression& location, const Expression& scale);
Expression gumbel_cdf(const Expression& x, const Expression& location, const Expression& scale);

// On the positive half line ------------------------------------------------------------------------------------------
Expression lognormal_lcdf(const Expression& x, const Expression& log_mean, const Expression& log_sd);
Expression lognormal_lccdf(const Expression& x, const Expression& log_mean, const Expression& log_sd);
Expression lognormal_cdf(const Expression& x, const Expression& log_mean, const Expression& log_sd);
Expression gamma_lcdf(const Expression& x, const Expression& shape, const Expression& rate);
Expression gamma_lccdf(const Expression& x, const Expression& shape, const Expression& rate);
Expression gamma_cdf(const Expression& x, const Expression& shape, const Expression& rate);
Expression inv_gamma_lcdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression inv_gamma_lccdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression inv_gamma_cdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression chi_square_lcdf(const Expression& x, const Expression& degrees);
Expression chi_square_lccdf(const Expression& x, const Expression& degrees);
Expression chi_square_cdf(const Expression& x, const Expression& degrees);
Expression inv_chi_square_lcdf(const Expression& x, const Expression& degrees);
Expression inv_chi_square_lccdf(const Expression& x, const Expression& degrees);
Expression inv_chi_square_cdf(const Expression& x, const Expression& degrees);
Expression scaled_inv_chi_square_lcdf(const Expression& x, const Expression& degrees, const Expression& scale);
Expression scaled_inv_chi_square_lccdf(const Expression& x, const Expression& degrees, const Expression& scale);
Expression scaled_inv_chi_square_cdf(const Expression& x, const Expression& degrees, const Expression& scale);
Expression exponential_lcdf(const Expression& x, const Expression& rate);
Expression exponential_lccdf(const Expression& x, const Expression& rate);
Expression exponential_cdf(const Expression& x, const Expression& rate);
Expression weibull_lcdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression weibull_lccdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression weibull_cdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression frechet_lcdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression frechet_lccdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression frechet_cdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression rayleigh_lcdf(const Expression& x, const Expression& scale);
Expression rayleigh_lccdf(const Expression& x, const Expression& scale);
Expression rayleigh_cdf(const Expression& x, const Expression& scale);
Expression pareto_lcdf(const Expression& x, const Expression& minimum, const Expression& shape);
Expression pareto_lccdf(const Expression& x, const Expression& minimum, const Expression& shape);
Expression pareto_cdf(const Expression& x, const Expression& minimum, const Expression& shape);
Expression pareto_type_2_lcdf(const Expression& x, const Expression& location, const Expression& scale,
                              const Expression& shape);
Expression pareto_type_2_lccdf(const Expression& x, const Expression& location, const Expression& scale,
                               const Expression& shape);
Expression pareto_type_2_cdf(const Expression& x, const Expression& location, const Expression& scale,
                             const Expression& shape);

// On an interval -----------------------------------------------------------------------------------------------------
Expression beta_lcdf(const Expression& x, const Expression& a, const Expression& b);
Expression beta_lccdf(const Expression& x, const Expression& a, const Expression& b);
Expression beta_cdf(const Expression& x, const Expression& a, const Expression& b);
Expression beta_proportion_lcdf(const Expression& x, const Expression& mean, const Expression& precision);
Expression beta_proportion_lccdf(const Expression& x, const Expression& mean, const Expression& precision);
Expression beta_proportion_cdf(const Expression& x, const Expression& mean, const Expression& precision);
Expression uniform_lcdf(const Expression& x, const Expression& lower, const Expression& upper);
Expression uniform_lccdf(const Expression& x, const Expression& lower, const Expression& upper);
Expression uniform_cdf(const Expression& x, const Expression& lower, const Expression& upper);

// Counts -------------------------------------------------------------------------------------------------------------
Expression bernoulli_lcdf(const Expression& y, const Expression& probability);
Expression bernoulli_lccdf(const Expression& y, const Expression& probability);
Expression bernoulli_cdf(const Expression& y, const Expression& probability);
Expression binomial_lcdf(const Expression& y, const Expression& trials, const Expression& probability);
Expression binomial_lccdf(const Expression& y, const Expression& trials, const Expression& probability);
Expression binomial_cdf(const Expression& y, const Expression& trials, const Expression& probability);
Expression poisson_lcdf(const Expression& y, const Expression& rate);
Expression poisson_lccdf(const Expression& y, const Expression& rate);
Expression poisson_cdf(const Expression& y, const Expression& rate);
Expression neg_binomial_lcdf(const Expression& y, const Expression& shape, const Expression& inverse_scale);
Expression neg_binomial_lccdf(const Expression& y, const Expression& shape, const Expression& inverse_scale);
Expression neg_binomial_cdf(const Expression& y, const Expression& shape, const Expression& inverse_scale);
Expression neg_binomial_2_lcdf(const Expression& y, const Expression& mean, const Expression& dispersion);
Expression neg_binomial_2_lccdf(const Expression& y, const Expression& mean, const Expression& dispersion);
Expression neg_binomial_2_cdf(const Expression& y, const Expression& mean, const Expression& dispersion);

}  // namespace sgmcmc
