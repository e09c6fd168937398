// The univariate distributions, with test points and an independent value of each log density.
#include "density/cases.hpp"

#include <sgmcmc/distributions.hpp>

#include <boost/math/distributions.hpp>

#include <cmath>
#include <limits>

namespace sgmcmc::testing {

namespace {

using Arguments = std::vector<Expression>;
using Numbers = std::vector<long double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Law>
long double log_pdf(const Law& law, long double x) {
  return std::log(boost::math::pdf(law, x));
}

/// log of Gamma(a + y) / Gamma(a) for a count y, as a product: no cancellation.
long double log_rising(long double a, long double y) {
  long double total = 0;
  for (int k = 0; k < y; ++k) total += std::log(a + k);
  return total;
}

}  // namespace

std::vector<Distribution> continuous_distributions() {
  using namespace boost::math;
  std::vector<Distribution> all;
  all.push_back({"std_normal",
                 [](const Arguments& a) { return std_normal_lpdf(a[0]); },
                 [](const Numbers& v) { return log_pdf(normal_distribution<long double>(0, 1), v[0]); },
                 {{0.3}, {-2.5}, {7.0}},
                 {true},
                 -infinity,
                 infinity});
  all.push_back({"normal",
                 [](const Arguments& a) { return normal_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(normal_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-20.0, 3.0, 4.0}},
                 {true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"student_t",
                 [](const Arguments& a) { return student_t_lpdf(a[0], a[1], a[2], a[3]); },
                 [](const Numbers& v) {
                   return log_pdf(students_t_distribution<long double>(v[1]), (v[0] - v[2]) / v[3]) - std::log(v[3]);
                 },
                 {{0.3, 4.0, -0.4, 1.7}, {5.0, 0.5, 4.5, 0.2}, {-20.0, 55.0, 3.0, 4.0}, {1.0, 5000.0, 0.1, 0.7}},
                 {true, true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"double_exponential",
                 [](const Arguments& a) { return double_exponential_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(laplace_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, -0.4, 1.7}, {5.0, 5.5, 0.2}, {-20.0, 3.0, 4.0}},
                 {true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"laplace",
                 [](const Arguments& a) { return laplace_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(laplace_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, -0.4, 1.7}, {5.0, 5.5, 0.2}},
                 {true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"cauchy",
                 [](const Arguments& a) { return cauchy_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(cauchy_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-2000.0, 3.0, 4.0}},
                 {true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"logistic",
                 [](const Arguments& a) { return logistic_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(logistic_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-20.0, 3.0, 4.0}},
                 {true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"skew_normal",
                 [](const Arguments& a) { return skew_normal_lpdf(a[0], a[1], a[2], a[3]); },
                 [](const Numbers& v) {
                   const long double z = (v[0] - v[1]) / v[2];
                   const normal_distribution<long double> law(0, 1);
                   return std::log(2 / v[2]) + log_pdf(law, z) + std::log(cdf(law, v[3] * z));
                 },
                 {{0.3, -0.4, 1.7, 2.0}, {5.0, 4.5, 0.2, -3.0}, {-4.0, 3.0, 4.0, 0.5}},
                 {true, true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"exp_mod_normal",
                 [](const Arguments& a) { return exp_mod_normal_lpdf(a[0], a[1], a[2], a[3]); },
                 [](const Numbers& v) {
                   const long double w = (v[1] + v[3] * v[2] * v[2] - v[0]) / (std::sqrt(2.0L) * v[2]);
                   return std::log(v[3] / 2) + v[3] / 2 * (2 * v[1] + v[3] * v[2] * v[2] - 2 * v[0]) +
                          std::log(std::erfc(w));
                 },
                 {{0.3, -0.4, 1.7, 0.8}, {5.0, 4.5, 0.2, 3.0}, {-4.0, 3.0, 4.0, 0.5}},
                 {true, true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"gumbel",
                 [](const Arguments& a) { return gumbel_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(extreme_value_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-4.0, 3.0, 4.0}},
                 {true, true, true},
                 -infinity,
                 infinity});
  all.push_back({"von_mises",
                 [](const Arguments& a) { return von_mises_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) {
                   return v[2] * std::cos(v[0] - v[1]) - std::log(2 * std::acos(-1.0L) * cyl_bessel_i(0, v[2]));
                 },
                 {{0.3, -0.4, 1.7}, {2.5, 1.5, 20.0}, {-1.0, 1.0, 0.1}},
                 {true, true, true},
                 -std::acos(-1.0),
                 std::acos(-1.0)});
  all.push_back({"lognormal",
                 [](const Arguments& a) { return lognormal_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(lognormal_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.8, 0.4, 0.7}, {5.0, 1.5, 0.9}, {0.01, -3.0, 1.5}},
                 {true, true, true},
                 0,
                 infinity});
  all.push_back({"gamma",
                 [](const Arguments& a) { return gamma_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(gamma_distribution<long double>(v[1], 1 / v[2]), v[0]); },
                 {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {30.0, 40.0, 1.5}},
                 {true, true, true},
                 0,
                 infinity});
  all.push_back({"inv_gamma",
                 [](const Arguments& a) { return inv_gamma_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(inverse_gamma_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {0.3, 4.0, 1.5}},
                 {true, true, true},
                 0,
                 infinity});
  all.push_back({"exponential",
                 [](const Arguments& a) { return exponential_lpdf(a[0], a[1]); },
                 [](const Numbers& v) { return log_pdf(exponential_distribution<long double>(v[1]), v[0]); },
                 {{0.8, 2.4}, {5.0, 0.6}, {0.3, 4.0}},
                 {true, true},
                 0,
                 infinity});
  all.push_back({"weibull",
                 [](const Arguments& a) { return weibull_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(weibull_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {0.3, 1.0, 1.5}},
                 {true, true, true},
                 0,
                 infinity});
  all.push_back({"chi_square",
                 [](const Arguments& a) { return chi_square_lpdf(a[0], a[1]); },
                 [](const Numbers& v) { return log_pdf(chi_squared_distribution<long double>(v[1]), v[0]); },
                 {{0.8, 3.4}, {5.0, 0.6}, {30.0, 40.0}},
                 {true, true},
                 0,
                 infinity});
  all.push_back(
      {"inv_chi_square",
       [](const Arguments& a) { return inv_chi_square_lpdf(a[0], a[1]); },
       [](const Numbers& v) { return log_pdf(inverse_chi_squared_distribution<long double>(v[1], 1 / v[1]), v[0]); },
       {{0.8, 3.4}, {5.0, 1.6}, {0.03, 40.0}},
       {true, true},
       0,
       infinity});
  all.push_back(
      {"scaled_inv_chi_square",
       [](const Arguments& a) { return scaled_inv_chi_square_lpdf(a[0], a[1], a[2]); },
       [](const Numbers& v) { return log_pdf(inverse_chi_squared_distribution<long double>(v[1], v[2] * v[2]), v[0]); },
       {{0.8, 3.4, 1.3}, {5.0, 1.6, 0.7}, {0.3, 40.0, 0.6}},
       {true, true, true},
       0,
       infinity});
  all.push_back({"frechet",
                 [](const Arguments& a) { return frechet_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) {
                   // 1 / x has a Weibull law.
                   return log_pdf(weibull_distribution<long double>(v[1], 1 / v[2]), 1 / v[0]) - 2 * std::log(v[0]);
                 },
                 {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {3.0, 1.0, 1.5}},
                 {true, true, true},
                 0,
                 infinity});
  all.push_back({"rayleigh",
                 [](const Arguments& a) { return rayleigh_lpdf(a[0], a[1]); },
                 [](const Numbers& v) { return log_pdf(rayleigh_distribution<long double>(v[1]), v[0]); },
                 {{0.8, 2.4}, {5.0, 1.6}, {0.3, 0.1}},
                 {true, true},
                 0,
                 infinity});
  all.push_back({"pareto",
                 [](const Arguments& a) { return pareto_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(pareto_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.8, 0.4, 1.7}, {5.0, 0.6, 0.9}, {3.0, 0.1, 4.5}},
                 {true, true, true},
                 0.4,
                 infinity});
  all.push_back(
      {"pareto_type_2",
       [](const Arguments& a) { return pareto_type_2_lpdf(a[0], a[1], a[2], a[3]); },
       [](const Numbers& v) { return log_pdf(pareto_distribution<long double>(v[2], v[3]), v[0] - v[1] + v[2]); },
       {{0.8, 0.4, 1.7, 2.2}, {5.0, -0.6, 0.9, 0.7}, {3.0, 0.1, 4.5, 1.4}},
       {true, true, true, true},
       0.4,
       infinity});
  all.push_back(
      {"half_normal",
       [](const Arguments& a) { return half_normal_lpdf(a[0], a[1]); },
       [](const Numbers& v) { return std::log(2.0L) + log_pdf(normal_distribution<long double>(0, v[1]), v[0]); },
       {{0.8, 2.4}, {5.0, 1.6}},
       {true, true},
       0,
       infinity});
  all.push_back(
      {"half_cauchy",
       [](const Arguments& a) { return half_cauchy_lpdf(a[0], a[1]); },
       [](const Numbers& v) { return std::log(2.0L) + log_pdf(cauchy_distribution<long double>(0, v[1]), v[0]); },
       {{0.8, 2.4}, {5.0, 1.6}},
       {true, true},
       0,
       infinity});
  all.push_back({"half_student_t",
                 [](const Arguments& a) { return half_student_t_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) {
                   return std::log(2 / v[2]) + log_pdf(students_t_distribution<long double>(v[1]), v[0] / v[2]);
                 },
                 {{0.8, 3.5, 2.4}, {5.0, 7.0, 1.6}},
                 {true, true, true},
                 0,
                 infinity});
  all.push_back({"beta",
                 [](const Arguments& a) { return beta_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return log_pdf(beta_distribution<long double>(v[1], v[2]), v[0]); },
                 {{0.3, 2.4, 1.7}, {0.8, 0.6, 0.9}, {0.02, 2.0, 2.0}, {0.5, 40.0, 45.0}, {1e-4, 3.0, 30000.0}},
                 {true, true, true},
                 0,
                 1});
  all.push_back(
      {"beta_proportion",
       [](const Arguments& a) { return beta_proportion_lpdf(a[0], a[1], a[2]); },
       [](const Numbers& v) { return log_pdf(beta_distribution<long double>(v[1] * v[2], (1 - v[1]) * v[2]), v[0]); },
       {{0.3, 0.4, 5.7}, {0.8, 0.6, 1.9}, {0.02, 0.1, 20.0}},
       {true, true, true},
       0,
       1});
  all.push_back({"uniform",
                 [](const Arguments& a) { return uniform_lpdf(a[0], a[1], a[2]); },
                 [](const Numbers& v) { return -std::log(v[2] - v[1]); },
                 {{0.3, -2.4, 1.7}, {1.0, -0.6, 1.9}},
                 {true, true, true},
                 -2.4,
                 1.7});
  return all;
}

std::vector<Distribution> discrete_distributions() {
  using namespace boost::math;
  std::vector<Distribution> all;
  all.push_back({"bernoulli",
                 [](const Arguments& a) { return bernoulli_lpmf(a[0], a[1]); },
                 [](const Numbers& v) { return std::log(v[0] == 1 ? v[1] : 1 - v[1]); },
                 {{1, 0.3}, {0, 0.3}, {1, 0.999}, {0, 1e-3}},
                 {false, true},
                 0,
                 1});
  all.push_back({"bernoulli_logit",
                 [](const Arguments& a) { return bernoulli_logit_lpmf(a[0], a[1]); },
                 [](const Numbers& v) { return -std::log1p(std::exp(v[0] == 1 ? -v[1] : v[1])); },
                 {{1, 0.3}, {0, 0.3}, {1, -12.0}, {0, 5.0}},
                 {false, true},
                 0,
                 1});
  const auto binomial_oracle = [](long double y, long double n, long double p) {
    return log_pdf(binomial_distribution<long double>(n, p), y);
  };
  all.push_back({"binomial",
                 [](const Arguments& a) { return binomial_lpmf(a[0], a[1], a[2]); },
                 [=](const Numbers& v) { return binomial_oracle(v[0], v[1], v[2]); },
                 {{3, 10, 0.35}, {0, 10, 0.2}, {10, 10, 0.7}, {40, 5000, 0.01}},
                 {false, false, true},
                 0,
                 10});
  all.push_back({"binomial_logit",
                 [](const Arguments& a) { return binomial_logit_lpmf(a[0], a[1], a[2]); },
                 [=](const Numbers& v) { return binomial_oracle(v[0], v[1], 1 / (1 + std::exp(-v[2]))); },
                 {{3, 10, -0.8}, {0, 10, -1.5}, {10, 10, 0.9}, {40, 5000, -4.5}},
                 {false, false, true},
                 0,
                 10});
  all.push_back({"beta_binomial",
                 [](const Arguments& a) { return beta_binomial_lpmf(a[0], a[1], a[2], a[3]); },
                 [](const Numbers& v) {
                   return log_rising(v[2], v[0]) + log_rising(v[3], v[1] - v[0]) - log_rising(v[2] + v[3], v[1]) +
                          std::lgamma(v[1] + 1) - std::lgamma(v[0] + 1) - std::lgamma(v[1] - v[0] + 1);
                 },
                 {{3, 10, 1.4, 2.2}, {0, 10, 0.3, 5.0}, {10, 10, 0.7, 0.4}, {4, 50, 30.0, 200.0}},
                 {false, false, true, true},
                 0,
                 10});
  all.push_back({"beta_neg_binomial",
                 [](const Arguments& a) { return beta_neg_binomial_lpmf(a[0], a[1], a[2], a[3]); },
                 [](const Numbers& v) {
                   return log_rising(v[1], v[0]) - std::lgamma(v[0] + 1) + std::lgamma(v[2] + v[1]) +
                          std::lgamma(v[3] + v[0]) - std::lgamma(v[2] + v[1] + v[3] + v[0]) - std::lgamma(v[2]) -
                          std::lgamma(v[3]) + std::lgamma(v[2] + v[3]);
                 },
                 {{3, 2.5, 9.4, 2.2}, {0, 0.4, 8.3, 1.0}, {4, 30.0, 40.0, 2.5}},
                 {false, true, true, true},
                 0,
                 3000});
  all.push_back({"hypergeometric",
                 [](const Arguments& a) { return hypergeometric_lpmf(a[0], a[1], a[2], a[3]); },
                 [](const Numbers& v) {
                   const auto whole = [](long double x) { return static_cast<unsigned>(x); };
                   return log_pdf(
                       hypergeometric_distribution<long double>(whole(v[2]), whole(v[1]), whole(v[2] + v[3])), v[0]);
                 },
                 {{3, 8, 10, 12}, {0, 5, 4, 9}, {4, 4, 7, 2}},
                 {false, false, false, false},
                 0,
                 8});
  all.push_back({"poisson",
                 [](const Arguments& a) { return poisson_lpmf(a[0], a[1]); },
                 [](const Numbers& v) { return log_pdf(poisson_distribution<long double>(v[1]), v[0]); },
                 {{3, 2.3}, {0, 0.7}, {120, 100.0}},
                 {false, true},
                 0,
                 200});
  all.push_back({"poisson_log",
                 [](const Arguments& a) { return poisson_log_lpmf(a[0], a[1]); },
                 [](const Numbers& v) { return log_pdf(poisson_distribution<long double>(std::exp(v[1])), v[0]); },
                 {{3, 1.3}, {0, -0.7}, {120, 4.5}},
                 {false, true},
                 0,
                 200});
  const auto negative_binomial_oracle = [](long double y, long double mean, long double phi) {
    return log_rising(phi, y) - std::lgamma(y + 1) + y * std::log(mean / (mean + phi)) - phi * std::log1p(mean / phi);
  };
  all.push_back({"neg_binomial",
                 [](const Arguments& a) { return neg_binomial_lpmf(a[0], a[1], a[2]); },
                 [=](const Numbers& v) { return negative_binomial_oracle(v[0], v[1] / v[2], v[1]); },
                 {{3, 2.3, 1.2}, {0, 0.7, 0.9}, {25, 5000.0, 250.0}, {4, 0.3, 0.05}},
                 {false, true, true},
                 0,
                 400});
  all.push_back({"neg_binomial_2",
                 [](const Arguments& a) { return neg_binomial_2_lpmf(a[0], a[1], a[2]); },
                 [=](const Numbers& v) { return negative_binomial_oracle(v[0], v[1], v[2]); },
                 {{3, 2.3, 1.2}, {0, 0.7, 0.9}, {25, 20.0, 5000.0}, {4, 0.3, 0.05}},
                 {false, true, true},
                 0,
                 400});
  all.push_back({"neg_binomial_2_log",
                 [](const Arguments& a) { return neg_binomial_2_log_lpmf(a[0], a[1], a[2]); },
                 [=](const Numbers& v) { return negative_binomial_oracle(v[0], std::exp(v[1]), v[2]); },
                 {{3, 0.8, 1.2}, {0, -0.3, 0.9}, {25, 3.0, 5000.0}, {4, -1.2, 0.05}},
                 {false, true, true},
                 0,
                 400});
  return all;
}

}  // namespace sgmcmc::testing
