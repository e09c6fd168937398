// Random numbers have their distributions: uniform when transformed by the distribution function, or with the right
// moments.
#include "stan/builtins/table.hpp"
#include "stan/read_value.hpp"

#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace sgmcmc::stan {
namespace {

class Stream final : public UniformSource {
 public:
  explicit Stream(std::uint64_t seed) : key_{seed, 0, 0, Purpose::user} {}
  double next() override {
    if (at_ == buffer_.size()) {
      fill_uniform(key_, buffer_, first_);
      first_ += buffer_.size();
      at_ = 0;
    }
    return buffer_[at_++];
  }

 private:
  StreamKey key_;
  std::vector<double> buffer_ = std::vector<double>(512);
  std::uint64_t first_ = 0;
  std::size_t at_ = 512;
};

std::vector<double> draws(std::string_view function, const std::vector<Operand>& arguments, std::size_t count) {
  Stream uniform(17);
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto numbers = apply_rng(function, arguments, uniform).numbers;
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

std::vector<Operand> arguments_of(std::string_view text) {
  return read_call("f(" + std::string(text) + ") = 0").arguments;
}

// Kolmogorov-Smirnov: sqrt(n) D exceeds 2.3 with probability 5e-5; 26 laws, false alarm rate 0.13 %.
constexpr double largest_distance = 2.3;

double distance_to_law(const std::string& law, const std::string& generator_arguments,
                       const std::string& law_arguments) {
  constexpr std::size_t count = 4000;
  auto sample = draws(law + "_rng", arguments_of(generator_arguments), count);
  std::sort(sample.begin(), sample.end());
  double distance = 0;
  auto arguments = arguments_of("0.0" + std::string(law_arguments.empty() ? "" : ", ") + law_arguments);
  for (std::size_t i = 0; i < count; ++i) {
    arguments[0].numbers[0] = sample[i];
    const double below = apply_builtin(law + "_cdf", arguments).numbers[0];
    distance = std::max({distance, std::fabs(below - static_cast<double>(i) / count),
                         std::fabs(below - static_cast<double>(i + 1) / count)});
  }
  return distance * std::sqrt(static_cast<double>(count));
}

TEST(Generators, ContinuousLaws_PassKolmogorovSmirnov) {
  const std::map<std::string, std::string> laws{{"std_normal", ""},
                                                {"normal", "0.3, 1.4"},
                                                {"student_t", "3.5, 0.3, 1.4"},
                                                {"cauchy", "0.3, 1.4"},
                                                {"logistic", "0.3, 1.4"},
                                                {"double_exponential", "0.3, 1.4"},
                                                {"gumbel", "0.3, 1.4"},
                                                {"lognormal", "0.3, 1.4"},
                                                {"skew_normal", "0.3, 1.4, 2.2"},
                                                {"chi_square", "3.5"},
                                                {"inv_chi_square", "3.5"},
                                                {"scaled_inv_chi_square", "3.5, 1.3"},
                                                {"exponential", "0.8"},
                                                {"gamma", "0.4, 0.8"},
                                                {"inv_gamma", "2.5, 0.8"},
                                                {"weibull", "2.5, 1.3"},
                                                {"frechet", "2.5, 1.3"},
                                                {"rayleigh", "1.3"},
                                                {"pareto", "0.3, 2.5"},
                                                {"pareto_type_2", "0.1, 1.3, 2.5"},
                                                {"beta", "2.5, 0.8"},
                                                {"uniform", "-1.0, 2.0"},
                                                {"exp_mod_normal", "0.3, 1.4, 0.8"},
                                                {"beta_proportion", "0.3, 4.0"},
                                                {"loglogistic", "1.3, 2.5"},
                                                {"skew_double_exponential", "0.3, 1.4, 0.3"}};
  for (const auto& [law, arguments] : laws)
    EXPECT_LT(distance_to_law(law, arguments, arguments), largest_distance) << law;
  EXPECT_GT(distance_to_law("normal", "0.3, 1.4", "0.45, 1.4"), largest_distance) << "a planted mistake is seen";
  EXPECT_GT(distance_to_law("gamma", "0.4, 0.8", "0.45, 0.8"), largest_distance) << "a planted mistake is seen";
}

/// Chi-square of counts of 0 to 19 and of more, against the probabilities of the law.
double count_discrepancy(const std::string& law, const std::string& generator_arguments,
                         const std::string& law_arguments, double& cells) {
  constexpr std::size_t count = 8000, most = 20;
  std::vector<double> seen(most + 1, 0.0);
  for (const double value : draws(law + "_rng", arguments_of(generator_arguments), count))
    ++seen[std::min(most, static_cast<std::size_t>(value))];
  double statistic = 0, left = 1, left_seen = count;
  cells = -1;
  for (std::size_t k = 0; k <= most; ++k) {
    const auto arguments = arguments_of(std::to_string(k) + ", " + law_arguments);
    double share = left;
    if (k < most) {
      try {
        share = std::exp(apply_builtin(law + "_lpmf", arguments).numbers[0]);
      } catch (const ArgumentError&) {
        share = 0;  // more than the trials
      }
    }
    share = std::max(share, 0.0);  // what is left may be rounded below 0
    left -= share;
    left_seen -= seen[k];
    if (share * count < 5) {
      EXPECT_LT(seen[k], share * count + 6 * std::sqrt(share * count) + 6);
      continue;
    }
    statistic += (seen[k] - share * count) * (seen[k] - share * count) / (share * count);
    ++cells;
  }
  return statistic;
}

TEST(Generators, Counts_PassChiSquare) {
  const std::map<std::string, std::string> laws{{"bernoulli", "0.3"},
                                                {"bernoulli_logit", "0.3"},
                                                {"binomial", "40, 0.2"},
                                                {"binomial_logit", "40, -1.3"},
                                                {"beta_binomial", "18, 2.5, 1.3"},
                                                {"beta_neg_binomial", "2.5, 5.5, 3.1"},
                                                {"hypergeometric", "5, 7, 9"},
                                                {"poisson", "2.7"},
                                                {"poisson_log", "2.0"},
                                                {"neg_binomial", "2.5, 0.5"},
                                                {"neg_binomial_2", "4.0, 1.3"},
                                                {"neg_binomial_2_log", "1.2, 1.3"},
                                                {"discrete_range", "2, 11"}};
  for (const auto& [law, arguments] : laws) {
    double cells = 0;
    const double statistic = count_discrepancy(law, arguments, arguments, cells);
    // Above the mean by more than 5 deviations has probability below 2e-4 for each law.
    EXPECT_LT(statistic, cells + 5 * std::sqrt(2 * cells) + 5) << law;
  }
  double cells = 0;
  EXPECT_GT(count_discrepancy("poisson", "2.7", "2.9", cells), cells + 5 * std::sqrt(2 * cells) + 5)
      << "a planted mistake is seen";
}

TEST(Generators, LargePoisson_HasItsMoments) {
  const auto sample = draws("poisson_rng", {real_operand(5000)}, 2000);
  double mean = 0, square = 0;
  for (const double value : sample) mean += value / 2000;
  for (const double value : sample) square += (value - mean) * (value - mean) / 1999;
  EXPECT_NEAR(mean, 5000, 5 * std::sqrt(5000.0 / 2000));
  EXPECT_NEAR(square, 5000, 5 * 5000 * std::sqrt(2.0 / 2000));
}

/// Means of the elements of a random vector or matrix, and of their products with the first.
struct Moments {
  std::vector<double> mean, product, deviation;
};
Moments moments(std::string_view function, const std::string& arguments, std::size_t count) {
  Stream uniform(23);
  const auto given = arguments_of(arguments);
  Moments result;
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(apply_rng(function, given, uniform).numbers);
  const std::size_t size = all[0].size();
  result.mean.assign(size, 0);
  result.product.assign(size, 0);
  result.deviation.assign(size, 0);
  const double n = static_cast<double>(count);
  for (const auto& x : all)
    for (std::size_t k = 0; k < size; ++k) result.mean[k] += x[k] / n;
  for (const auto& x : all) {
    for (std::size_t k = 0; k < size; ++k) {
      result.product[k] += (x[k] - result.mean[k]) * (x[0] - result.mean[0]) / n;
      result.deviation[k] += (x[k] - result.mean[k]) * (x[k] - result.mean[k]) / n;
    }
  }
  for (double& deviation : result.deviation) deviation = std::sqrt(deviation / n);
  return result;
}

void expect_means(const Moments& found, const std::vector<double>& expected, const char* what) {
  ASSERT_EQ(found.mean.size(), expected.size()) << what;
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found.mean[k], expected[k], 5 * found.deviation[k] + 1e-12) << what << " " << k;
}

TEST(Generators, VectorsAndMatrices_HaveTheirMoments) {
  const std::string covariance = "[[2, 0.6], [0.6, 1]]";
  const auto normal = moments("multi_normal_rng", "[1, -1]', " + covariance, 4000);
  expect_means(normal, {1, -1}, "multi_normal");
  EXPECT_NEAR(normal.product[0], 2, 0.25);
  EXPECT_NEAR(normal.product[1], 0.6, 0.15);
  const auto precise = moments("multi_normal_prec_rng", "[1, -1]', " + covariance, 4000);
  EXPECT_NEAR(precise.product[0], 1 / 1.64, 0.08);
  EXPECT_NEAR(precise.product[1], -0.6 / 1.64, 0.06);
  const auto cholesky = moments("multi_normal_cholesky_rng", "[1, -1]', [[1, 0], [0.5, 2]]", 4000);
  EXPECT_NEAR(cholesky.product[1], 0.5, 0.15);
  expect_means(moments("multi_student_t_rng", "5.0, [1, -1]', " + covariance, 4000), {1, -1}, "multi_student_t");
  const auto heavy = moments("multi_student_t_cholesky_rng", "9.0, [1, -1]', [[1, 0], [0.5, 2]]", 4000);
  expect_means(heavy, {1, -1}, "multi_student_t_cholesky");
  EXPECT_NEAR(heavy.product[1], 0.5 * 9 / 7, 0.2);
  expect_means(moments("wishart_rng", "5.0, " + covariance, 2000), {10, 3, 3, 5}, "wishart");
  expect_means(moments("inv_wishart_rng", "7.0, " + covariance, 2000), {0.5, 0.15, 0.15, 0.25}, "inv_wishart");
  const auto correlation = moments("lkj_corr_rng", "3, 2.0", 2000);
  expect_means(correlation, {1, 0, 0, 0, 1, 0, 0, 0, 1}, "lkj_corr");
  EXPECT_NEAR(correlation.deviation[1] * correlation.deviation[1] * 2000, 1.0 / 6, 0.03);  // 1 / (2 shape + K - 1)
  EXPECT_NEAR(correlation.deviation[5] * correlation.deviation[5] * 2000, 1.0 / 6, 0.03);
  const auto factor =
      moments("lkj_corr_cholesky_rng", "2, 2.0", 2000);  // the correlation has the law of 2 beta(2, 2) - 1
  expect_means(factor, {1, 0, 0, 3 * std::numbers::pi / 16 * 1.5}, "lkj_corr_cholesky");
  EXPECT_NEAR((std::pow(factor.deviation[1], 2) + std::pow(factor.deviation[2], 2)) * 2000, 0.2, 0.03);
  expect_means(moments("dirichlet_rng", "[1, 2, 5]'", 2000), {0.125, 0.25, 0.625}, "dirichlet");
  expect_means(moments("multinomial_rng", "[0.2, 0.5, 0.3]', 10", 2000), {2, 5, 3}, "multinomial");
  expect_means(moments("multinomial_logit_rng", "[0, 0]', 10", 2000), {5, 5}, "multinomial_logit");
  expect_means(moments("dirichlet_multinomial_rng", "[1, 3]', 8", 2000), {2, 6}, "dirichlet_multinomial");
  expect_means(moments("categorical_rng", "[0.2, 0.5, 0.3]'", 2000), {2.1}, "categorical");
  expect_means(moments("categorical_logit_rng", "[0, 0]'", 2000), {1.5}, "categorical_logit");
  expect_means(moments("ordered_logistic_rng", "0.0, [-1, 1]'", 2000), {2}, "ordered_logistic");
  expect_means(moments("ordered_probit_rng", "0.0, [-1, 1]'", 2000), {2}, "ordered_probit");
  expect_means(moments("bernoulli_logit_glm_rng", "[[1, 0], [0, 1]], 0.0, [0, 1]'", 2000),
               {0.5, 1 / (1 + std::exp(-1))}, "bernoulli_logit_glm");
  const auto circle = moments("von_mises_rng", "0.3, 2.3", 4000);
  expect_means(circle, {0.3}, "von_mises");
}

TEST(Generators, SameStream_SameNumbers) {
  EXPECT_EQ(draws("gamma_rng", arguments_of("{0.5, 2.0}, 1"), 5), draws("gamma_rng", arguments_of("{0.5, 2.0}, 1"), 5));
}

TEST(Generators, WrongArguments_AreRefused) {
  Stream uniform(1);
  const auto complaint = [&](std::string_view function, std::string_view arguments) {
    try {
      apply_rng(function, arguments_of(arguments), uniform);
    } catch (const ArgumentError& error) {
      return error.message;
    }
    return std::string("no complaint");
  };
  EXPECT_EQ(complaint("normal_rng", "0, -1"), "normal_rng: the scale is -1, must be positive");
  EXPECT_EQ(complaint("normal_rng", "[1, 2]', [1, 2, 3]'"), "normal_rng: the sizes differ: 2 and 3 elements");
  EXPECT_EQ(complaint("poisson_rng", "1e12"),
            "poisson_rng: the random number does not fit into an int, which has 32 bits");
  EXPECT_EQ(complaint("wishart_rng", "0.5, [[1, 0], [0, 1]]"),
            "wishart_rng: the number of degrees of freedom must be greater than the number of rows minus 1");
  EXPECT_EQ(complaint("exp", "1.0"), "there is no random number generator named exp");
}

}  // namespace
}  // namespace sgmcmc::stan
