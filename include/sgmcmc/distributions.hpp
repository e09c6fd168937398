// Distributions: normalised log densities and log probabilities as expressions, named and parameterised as in Stan.
//
// Univariate ones work element by element and broadcast: the result has the broadcast shape of the arguments (take
// sum() for independent elements). Multivariate ones, marked so, return a scalar. Every argument may be global or
// per-row; terms of global arguments only (log(sd), lgamma(shape)) stay global expressions, computed once per batch.
//
// Edge cases: A value outside the support has log density -infinity and gradient zero, never NaN. On the boundary of a
// closed support (beta at 0, poisson with rate 0) the density is the limit, with 0 * log(0) = 0; infinite derivatives
// there are returned as infinite. Parameters outside their domain (sd < 0, a matrix that is not positive definite) give
// NaN. Counts and outcomes are assumed to be integers in range; negative counts have log probability -infinity.
#pragma once

#include <sgmcmc/distribution_functions.hpp>
#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

// On the real line ---------------------------------------------------------------------------------------------------
Expression std_normal_lpdf(const Expression& x);
Expression normal_lpdf(const Expression& x, const Expression& mean, const Expression& sd);
Expression student_t_lpdf(const Expression& x, const Expression& degrees, const Expression& location,
                          const Expression& scale);
Expression double_exponential_lpdf(const Expression& x, const Expression& location, const Expression& scale);
Expression laplace_lpdf(const Expression& x, const Expression& location, const Expression& scale);  ///< the same
Expression cauchy_lpdf(const Expression& x, const Expression& location, const Expression& scale);
Expression logistic_lpdf(const Expression& x, const Expression& location, const Expression& scale);
Expression skew_normal_lpdf(const Expression& x, const Expression& location, const Expression& scale,
                            const Expression& shape);
/// A normal plus an independent exponential with this rate.
Expression exp_mod_normal_lpdf(const Expression& x, const Expression& mean, const Expression& sd,
                               const Expression& rate);
Expression gumbel_lpdf(const Expression& x, const Expression& location, const Expression& scale);
/// On a circle: x in radians, any interval of length 2 pi.
Expression von_mises_lpdf(const Expression& x, const Expression& location, const Expression& concentration);

// On the positive half line ------------------------------------------------------------------------------------------
// Support x > 0; for exponential and the half distributions x >= 0.
Expression lognormal_lpdf(const Expression& x, const Expression& log_mean, const Expression& log_sd);
Expression gamma_lpdf(const Expression& x, const Expression& shape, const Expression& rate);
Expression inv_gamma_lpdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression exponential_lpdf(const Expression& x, const Expression& rate);
Expression weibull_lpdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression chi_square_lpdf(const Expression& x, const Expression& degrees);
Expression inv_chi_square_lpdf(const Expression& x, const Expression& degrees);
Expression scaled_inv_chi_square_lpdf(const Expression& x, const Expression& degrees, const Expression& scale);
Expression frechet_lpdf(const Expression& x, const Expression& shape, const Expression& scale);
Expression rayleigh_lpdf(const Expression& x, const Expression& scale);
Expression pareto_lpdf(const Expression& x, const Expression& minimum, const Expression& shape);  ///< x >= minimum
/// Lomax, shifted: x >= location.
Expression pareto_type_2_lpdf(const Expression& x, const Expression& location, const Expression& scale,
                              const Expression& shape);
Expression half_normal_lpdf(const Expression& x, const Expression& sd);
Expression half_cauchy_lpdf(const Expression& x, const Expression& scale);
Expression half_student_t_lpdf(const Expression& x, const Expression& degrees, const Expression& scale);

// On an interval -----------------------------------------------------------------------------------------------------
Expression beta_lpdf(const Expression& x, const Expression& a, const Expression& b);  ///< 0 <= x <= 1
/// beta(mean * precision, (1 - mean) * precision).
Expression beta_proportion_lpdf(const Expression& x, const Expression& mean, const Expression& precision);
Expression uniform_lpdf(const Expression& x, const Expression& lower,
                        const Expression& upper);  ///< lower <= x <= upper

// Binary outcomes and counts -----------------------------------------------------------------------------------------
Expression bernoulli_lpmf(const Expression& y, const Expression& probability);
Expression bernoulli_logit_lpmf(const Expression& y, const Expression& logit);
Expression binomial_lpmf(const Expression& y, const Expression& trials, const Expression& probability);
Expression binomial_logit_lpmf(const Expression& y, const Expression& trials, const Expression& logit);
Expression beta_binomial_lpmf(const Expression& y, const Expression& trials, const Expression& a, const Expression& b);
/// Negative binomial: failures before the shape-th success, with a Beta(a, b) prior on the success probability.
Expression beta_neg_binomial_lpmf(const Expression& y, const Expression& shape, const Expression& a,
                                  const Expression& b);
/// y successes in `draws` without replacement from `successes` + `failures`; no argument has a derivative.
Expression hypergeometric_lpmf(const Expression& y, const Expression& draws, const Expression& successes,
                               const Expression& failures);
Expression poisson_lpmf(const Expression& y, const Expression& rate);
Expression poisson_log_lpmf(const Expression& y, const Expression& log_rate);
/// Gamma(shape, inverse_scale) mixture of Poissons: mean shape / inverse_scale.
Expression neg_binomial_lpmf(const Expression& y, const Expression& shape, const Expression& inverse_scale);
/// Variance mean + mean^2 / dispersion; as dispersion grows, the Poisson, to full precision.
Expression neg_binomial_2_lpmf(const Expression& y, const Expression& mean, const Expression& dispersion);
Expression neg_binomial_2_log_lpmf(const Expression& y, const Expression& log_mean, const Expression& dispersion);

// One of K outcomes ---------------------------------------------------------------------------------------------------
// y is integer row data or constants, counted from `base`. The table [K] may be global or per-row.
Expression categorical_lpmf(const Expression& y, const Expression& probabilities, std::int64_t base = 0);
Expression categorical_logit_lpmf(const Expression& y, const Expression& logits, std::int64_t base = 0);
/// y = k where the latent location + noise falls between cutpoints k - 1 and k; the K - 1 cutpoints ascend.
Expression ordered_logistic_lpmf(const Expression& y, const Expression& location, const Expression& cutpoints,
                                 std::int64_t base = 0);
Expression ordered_probit_lpmf(const Expression& y, const Expression& location, const Expression& cutpoints,
                               std::int64_t base = 0);

// Multivariate: a scalar ---------------------------------------------------------------------------------------------
// x is one vector [K], or an array of vectors [G, K] whose log densities are added up; location and scale broadcast to
// it.
Expression multi_normal_diagonal_lpdf(const Expression& x, const Expression& mean, const Expression& sd);
Expression multi_normal_cholesky_lpdf(const Expression& x, const Expression& mean, const Expression& factor);
Expression multi_normal_prec_lpdf(const Expression& x, const Expression& mean, const Expression& precision);
Expression multi_normal_lpdf(const Expression& x, const Expression& mean, const Expression& covariance);
Expression multi_student_t_cholesky_lpdf(const Expression& x, const Expression& degrees, const Expression& location,
                                         const Expression& factor);
Expression multi_student_t_lpdf(const Expression& x, const Expression& degrees, const Expression& location,
                                const Expression& scale);
/// Rows of y [G, K] are normal with mean 0 and covariance / weights[g].
Expression multi_gp_lpdf(const Expression& y, const Expression& covariance, const Expression& weights);
Expression multi_gp_cholesky_lpdf(const Expression& y, const Expression& factor, const Expression& weights);
/// theta [K] or [G, K] on the simplex (does not check that entries sum to 1); alpha broadcasts to it.
Expression dirichlet_lpdf(const Expression& theta, const Expression& alpha);
/// y: K counts; the number of trials is their sum.
Expression multinomial_lpmf(const Expression& y, const Expression& probabilities);
Expression multinomial_logit_lpmf(const Expression& y, const Expression& logits);

// Matrices: symmetric positive definite arguments, of which only the lower triangle is read; a scalar -----------------
Expression wishart_lpdf(const Expression& w, const Expression& degrees, const Expression& scale);
Expression inv_wishart_lpdf(const Expression& w, const Expression& degrees, const Expression& scale);
Expression lkj_corr_lpdf(const Expression& correlation, const Expression& shape);
/// Density of the lower Cholesky factor of a correlation matrix with an LKJ(shape) law.
Expression lkj_corr_cholesky_lpdf(const Expression& factor, const Expression& shape);

// Mixtures -----------------------------------------------------------------------------------------------------------
/// log(sum_k weights[k] exp(components[k])); a weight of 0 drops its component.
Expression log_mix(const Expression& weights, const std::vector<Expression>& components);
/// log(weight exp(first) + (1 - weight) exp(second)).
Expression log_mix(const Expression& weight, const Expression& first, const Expression& second);

}  // namespace sgmcmc
