// Categorical outcomes and mixtures.
#include "density/evaluate.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sgmcmc::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

reference::RowTable outcome_rows() {
  reference::RowTable rows;
  rows.rows = 4;
  rows.integers["y"] = {0, 2, 1, 2};
  rows.integers["y_from_one"] = {1, 3, 2, 3};
  rows.reals["x"] = {0.4, -1.2, 2.0, 0.3, -0.5, 0.9, 1.1, -0.2};
  return rows;
}

TEST(Categorical, GlobalProbabilities_PicksTheEntry) {
  const auto rows = outcome_rows();
  const std::vector<double> p{0.2, 0.5, 0.3};
  const std::vector<double> expected{std::log(0.2), std::log(0.3), std::log(0.5), std::log(0.3)};
  for (const auto& f : {categorical_lpmf(row_integer("y", {}), theta(0, {3})),
                        categorical_lpmf(row_integer("y_from_one", {}), theta(0, {3}), 1)}) {
    const auto values = values_at(f, p, rows);
    for (std::size_t row = 0; row < 4; ++row) EXPECT_DOUBLE_EQ(values[row], expected[row]);
    EXPECT_TRUE(reference::check_gradient(f, rows, {p, {}, {}}).agrees());
    EXPECT_TRUE(reference::check_gradient(row_sum(f), rows, {p, {}, {}}).agrees());
  }
}

TEST(Categorical, ZeroProbability_MinusInfinityOnlyWhereItHappened) {
  const auto f = categorical_lpmf(row_integer("y", {}), theta(0, {3}));
  const auto values = values_at(f, {0.0, 0.5, 0.5}, outcome_rows());
  EXPECT_EQ(values[0], -infinity);
  EXPECT_DOUBLE_EQ(values[1], std::log(0.5));
  const auto gradient = differentiate(row_sum(f), reference::parameter_leaves(f));
  const auto slopes = values_at(gradient[0], {0.0, 0.5, 0.5}, outcome_rows());
  EXPECT_EQ(slopes, (std::vector<double>{0, 2, 4}));
}

TEST(Categorical, PerRowTable_ValuesAndGradients) {
  const auto rows = outcome_rows();
  const auto logits = matmul(theta(0, {3, 2}), row_real("x", {2}));
  const auto y = row_integer("y", {});
  const std::vector<double> weights{0.3, -0.4, 0.8, 0.1, -0.6, 0.5};
  const auto by_logits = categorical_logit_lpmf(y, logits);
  const auto by_probabilities = categorical_lpmf(y, softmax(logits));
  const auto a = values_at(by_logits, weights, rows), b = values_at(by_probabilities, weights, rows);
  for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(a[row], b[row], 1e-14);
  for (const auto& f : {by_logits, by_probabilities}) {
    const auto report = reference::check_gradient(f, rows, {weights, {}, {}});
    EXPECT_TRUE(report.agrees()) << report.failure;
    EXPECT_TRUE(reference::check_gradient(row_sum(f), rows, {weights, {}, {}}).agrees());
  }
}

TEST(CategoricalLogit, HugeLogits_Exact) {
  const auto f = categorical_logit_lpmf(row_integer("y", {}), theta(0, {3}));
  const auto values = values_at(f, {1e3, 0.0, -1e3}, outcome_rows());
  EXPECT_EQ(values, (std::vector<double>{0, -2e3, -1e3, -2e3}));
  EXPECT_TRUE(reference::check_gradient(row_sum(f), outcome_rows(), {{1e3, 0.0, -1e3}, {}, {}}).agrees());
}

TEST(Categorical, ConstantOutcomes_AreTheSameAsRowData) {
  const std::vector<double> p{0.2, 0.5, 0.3};
  const auto f = categorical_lpmf(constant({1, 3, 2, 3}), theta(0, {3}), 1);
  const auto rows = values_at(categorical_lpmf(row_integer("y", {}), theta(0, {3})), p, outcome_rows());
  EXPECT_EQ(values_at(f, p), rows);
  EXPECT_NEAR(value_at(categorical_logit_lpmf(2, theta(0, {3}), 1), {1.0, 2.0, 3.0}),
              2 - std::log(std::exp(1.0) + std::exp(2.0) + std::exp(3.0)), 1e-14);
  EXPECT_THROW(categorical_lpmf(0, theta(0, {3}), 1), ShapeError);
  EXPECT_THROW(categorical_lpmf(3, theta(0, {3})), ShapeError);
}

using Ordered = Expression (*)(const Expression&, const Expression&, const Expression&, std::int64_t);

/// Probability of outcome k of 3 with distribution function F of the noise.
double ordered_probability(double (*cdf)(double), int k, double location, const std::vector<double>& cuts) {
  const double lower = k == 0 ? 0 : cdf(cuts[static_cast<std::size_t>(k) - 1] - location);
  const double upper = k == 2 ? 1 : cdf(cuts[static_cast<std::size_t>(k)] - location);
  return upper - lower;
}

TEST(Ordered, EveryOutcome_ValuesAndGradients) {
  double (*logistic_cdf)(double) = [](double x) { return 1 / (1 + std::exp(-x)); };
  double (*normal_cdf)(double) = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (const auto& [ordered, cdf] : {std::pair<Ordered, double (*)(double)>{ordered_logistic_lpmf, logistic_cdf},
                                     {ordered_probit_lpmf, normal_cdf}}) {
    const auto rows = outcome_rows();
    const std::vector<double> at{-0.6, 0.9, 0.4, -0.3};
    const auto location = dot(theta(2, {2}), row_real("x", {2}));
    const auto f = ordered(row_integer("y", {}), location, theta(0, {2}), 0);
    const auto values = values_at(f, at, rows);
    for (std::size_t row = 0; row < 4; ++row) {
      const double eta = 0.4 * rows.reals.at("x")[2 * row] - 0.3 * rows.reals.at("x")[2 * row + 1];
      const int y = static_cast<int>(rows.integers.at("y")[row]);
      EXPECT_NEAR(values[row], std::log(ordered_probability(cdf, y, eta, at)), 1e-13);
    }
    auto report = reference::check_gradient(f, rows, {at, {}, {}});
    EXPECT_TRUE(report.agrees()) << report.failure;
    report = reference::check_gradient(row_sum(f), rows, {at, {}, {}});
    EXPECT_TRUE(report.agrees()) << report.failure;
    report = reference::check_hessian_vector(row_sum(f), rows, {at, {}, {0.2, 0.5, -0.7, 0.1}});
    EXPECT_TRUE(report.agrees()) << report.failure;
    // As constants, with a vector of locations.
    const auto fixed = ordered(constant({1, 2, 3}), theta(2, {3}), theta(0, {2}), 1);
    const auto fixed_values = values_at(fixed, {-0.6, 0.9, 0.4, -0.3, 1.5});
    const std::vector<double> etas{0.4, -0.3, 1.5};
    double total = 0;
    for (int k = 0; k < 3; ++k) {
      const double eta = etas[static_cast<std::size_t>(k)];
      EXPECT_NEAR(fixed_values[static_cast<std::size_t>(k)], std::log(ordered_probability(cdf, k, eta, at)), 1e-13);
      total += std::exp(value_at(ordered(k, theta(2), theta(0, {2}), 0), {-0.6, 0.9, 0.4}));
    }
    EXPECT_NEAR(total, 1, 1e-14);
  }
}

TEST(Ordered, FarLocation_KeepsItsDigits) {
  // In both tails the probability of the middle outcome is that of its nearer cutpoint, less that of the other.
  const double gap = std::log1p(-std::exp(-3.0));
  EXPECT_NEAR(value_at(ordered_logistic_lpmf(1, theta(2), theta(0, {2})), {-1.0, 2.0, 500.0}), -498 + gap, 1e-12);
  EXPECT_NEAR(value_at(ordered_logistic_lpmf(1, theta(2), theta(0, {2})), {-1.0, 2.0, -500.0}), -499 + gap, 1e-12);
  const auto probit = ordered_probit_lpmf(1, theta(2), theta(0, {2}));
  EXPECT_NEAR(value_at(probit, {-1.0, 2.0, 32.0}), value_at(log_Phi(theta(0)), {-30.0}), 1e-12);
  EXPECT_NEAR(value_at(probit, {-1.0, 2.0, -31.0}), value_at(log_Phi(theta(0)), {-30.0}), 1e-12);
  EXPECT_NEAR(gradient_at(probit, {-1.0, 2.0, 32.0})[2], -30.0333, 1e-3);
}

TEST(Ordered, WithoutCutpoints_Error) {
  EXPECT_THROW(ordered_logistic_lpmf(0, theta(0), theta(1)), ShapeError);
  EXPECT_THROW(ordered_probit_lpmf(3, theta(0), theta(1, {2})), ShapeError);
}

TEST(LogMix, TwoNormals_EqualsTheLogOfTheSum) {
  reference::RowTable rows;
  rows.rows = 3;
  rows.reals["x"] = {-1.0, 0.4, 6.0};
  const auto x = row_real("x", {});
  const auto first = normal_lpdf(x, theta(2), theta(3)), second = normal_lpdf(x, theta(4), 1.5);
  const auto by_list = log_mix(theta(0, {2}), {first, second});
  const auto by_pair = log_mix(theta(0), first, second);
  const std::vector<double> at{0.3, 0.7, -0.5, 0.8, 2.0};
  const auto normal = [](double v, double m, double s) {
    return std::exp(-0.5 * (v - m) * (v - m) / (s * s)) / (s * std::sqrt(2 * std::acos(-1.0)));
  };
  for (const auto& f : {by_list, by_pair}) {
    const auto values = values_at(f, at, rows);
    for (std::size_t row = 0; row < 3; ++row) {
      const double v = rows.reals["x"][row];
      EXPECT_NEAR(values[row], std::log(0.3 * normal(v, -0.5, 0.8) + 0.7 * normal(v, 2.0, 1.5)), 1e-13);
    }
    EXPECT_TRUE(reference::check_gradient(f, rows, {at, {}, {}}).agrees());
    EXPECT_TRUE(reference::check_gradient(row_sum(f), rows, {at, {}, {}}).agrees());
  }
}

TEST(LogMix, VectorsAndAScalar_MixedElementByElement) {
  const auto f = log_mix(theta(0, {2}), {theta(2, {3}), Expression(-1.0)});
  EXPECT_EQ(f.shape(), Shape{3});
  const auto values = values_at(f, {0.4, 0.6, -2.0, 0.5, 1.0});
  EXPECT_NEAR(values[1], std::log(0.4 * std::exp(0.5) + 0.6 * std::exp(-1.0)), 1e-14);
}

TEST(LogMix, ComponentsFarFromRepresentable_NoUnderflow) {
  const auto f = log_mix(constant({0.5, 0.5}), {theta(0), theta(1)});
  EXPECT_DOUBLE_EQ(value_at(f, {-1e4, -1e4}), -1e4);
  EXPECT_EQ(gradient_at(f, {-1e4, -1e4}), (std::vector<double>{0.5, 0.5}));
}

TEST(LogMix, ZeroWeight_DropsTheComponent) {
  const auto f = log_mix(theta(0, {2}), {theta(2), theta(3)});
  EXPECT_DOUBLE_EQ(value_at(f, {0.0, 1.0, 5.0, -3.0}), -3.0);
  for (double slope : gradient_at(f, {0.0, 1.0, 5.0, -3.0})) EXPECT_TRUE(std::isfinite(slope));
  const auto pair = log_mix(theta(0), theta(1), theta(2));
  EXPECT_DOUBLE_EQ(value_at(pair, {0.0, 5.0, -3.0}), -3.0);
  EXPECT_DOUBLE_EQ(value_at(pair, {1.0, 5.0, -3.0}), 5.0);
}

TEST(LogMix, WeightsAndComponentsDiffer_Error) { EXPECT_THROW(log_mix(constant({0.5, 0.5}), {theta(0)}), ShapeError); }

}  // namespace
}  // namespace sgmcmc::testing
