// Probabilities of counts and outcomes. Terms that depend on data only (lgamma(y + 1)) have no derivative and cost
// nothing in gradients.
#include "density/stable.hpp"

#include <sgmcmc/distributions.hpp>

namespace sgmcmc {

Expression bernoulli_lpmf(const Expression& y, const Expression& probability) {
  // Takes the logarithm of the probability of the observed outcome only. It is between 0 and 1 if both are.
  const Expression observed = select(y, probability, 1.0 - probability);
  const Expression possible = (observed > 0.0) * is_probability(observed);
  return within_support(possible, log(inside_or(possible, observed, 1.0)));
}

Expression bernoulli_logit_lpmf(const Expression& y, const Expression& logit) { return y * logit - log1p_exp(logit); }

Expression binomial_lpmf(const Expression& y, const Expression& trials, const Expression& probability) {
  const Expression possible = is_probability(probability);
  const Expression success = inside_or(possible, probability, 0.5);
  // With no failures, log(1 - probability) has factor 0, even if it is -infinity.
  const Expression no_failures = equal(y, trials);
  const Expression log_failure = log1m(select(no_failures, 0.0, success));
  return within_support(possible, multiply_log(y, success) + (trials - y) * log_failure + lchoose(trials, y));
}

Expression binomial_logit_lpmf(const Expression& y, const Expression& trials, const Expression& logit) {
  return y * logit - trials * log1p_exp(logit) + lchoose(trials, y);
}

Expression beta_binomial_lpmf(const Expression& y, const Expression& trials, const Expression& a, const Expression& b) {
  const Expression inside = (y >= 0.0) * (y <= trials);
  const Expression successes = select(inside, y, 0.0);
  const Expression failures = trials - successes;
  return within_support(inside, lchoose(trials, successes) + lbeta(successes + a, failures + b) - lbeta(a, b));
}

Expression beta_neg_binomial_lpmf(const Expression& y, const Expression& shape, const Expression& a,
                                  const Expression& b) {
  return lgamma(y + shape) - lgamma(y + 1.0) + lbeta(a + shape, b + y) - (lgamma(shape) + lbeta(a, b));
}

Expression hypergeometric_lpmf(const Expression& y, const Expression& draws, const Expression& successes,
                               const Expression& failures) {
  return lchoose(successes, y) + lchoose(failures, draws - y) - lchoose(successes + failures, draws);
}

Expression poisson_lpmf(const Expression& y, const Expression& rate) {
  return multiply_log(y, rate) - rate - lgamma(y + 1.0);
}

Expression poisson_log_lpmf(const Expression& y, const Expression& log_rate) {
  return y * log_rate - exp(log_rate) - lgamma(y + 1.0);
}

Expression neg_binomial_lpmf(const Expression& y, const Expression& shape, const Expression& inverse_scale) {
  // One difference of logarithms, because both terms are large in the Poisson limit.
  const Expression log_ratio = log(shape) - log1p(inverse_scale);
  return scaled_log_gamma_ratio(shape, y) + y * log_ratio - shape * log1p(reciprocal(inverse_scale)) - lgamma(y + 1.0);
}

Expression neg_binomial_2_lpmf(const Expression& y, const Expression& mean, const Expression& dispersion) {
  return scaled_log_gamma_ratio(dispersion, y) + multiply_log(y, mean) - (y + dispersion) * log1p(mean / dispersion) -
         lgamma(y + 1.0);
}

Expression neg_binomial_2_log_lpmf(const Expression& y, const Expression& log_mean, const Expression& dispersion) {
  return scaled_log_gamma_ratio(dispersion, y) + y * log_mean -
         (y + dispersion) * log1p_exp(log_mean - log(dispersion)) - lgamma(y + 1.0);
}

Expression multinomial_lpmf(const Expression& y, const Expression& probabilities) {
  const Expression coefficient = lgamma(sum(y) + 1.0) - sum(lgamma(y + 1.0));
  return sum(multiply_log(y, probabilities)) + coefficient;
}

Expression multinomial_logit_lpmf(const Expression& y, const Expression& logits) {
  const Expression total = sum(y);
  const Expression coefficient = lgamma(total + 1.0) - sum(lgamma(y + 1.0));
  return dot(y, logits) - total * log_sum_exp(logits) + coefficient;
}

}  // namespace sgmcmc
