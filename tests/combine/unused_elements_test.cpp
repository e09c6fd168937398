// Elements that few rows use, or none, and data that happen to be symmetric are not taken for exchangeable elements.
#include "combine/part_checks.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace sgmcmc {
namespace {

constexpr std::size_t many_rows = 3000;

/// Linear regression on columns of zeros and ones: uses(row, column).
Model regression(std::size_t columns, const std::function<bool(std::size_t, std::size_t)>& uses) {
  std::vector<double> y(many_rows), x(many_rows * columns);
  fill_normal({.seed = 2, .purpose = Purpose::data}, y);
  for (std::size_t i = 0; i < many_rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) x[i * columns + k] = uses(i, k) ? 1 : 0;
  Model model(Dataset::Builder().real("y", y).real("x", x, {static_cast<std::int64_t>(columns)}).build());
  auto beta = model.parameter("beta", {static_cast<std::int64_t>(columns)});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), dot(model.row("x"), beta), 1.0));
  return model;
}

std::string refused(const Model& model) {
  std::vector<double> position(static_cast<std::size_t>(model.dimension()));
  for (std::size_t k = 0; k < position.size(); ++k) position[k] = 0.3 + 0.4 * static_cast<double>(k);
  return why_not_combined(LogPosterior(model), position);
}

TEST(UnusedElements, ColumnsThatFewRowsUse_CanBeCombined) {
  EXPECT_EQ(refused(regression(2, [](std::size_t i, std::size_t k) { return i % 400 == 7 + 100 * k; })), "");
  EXPECT_EQ(refused(regression(2, [](std::size_t i, std::size_t k) { return i == 1234 + k; })), "");
}

TEST(UnusedElements, RareFirstLevelOfAFactor_CanBeCombined) {
  const auto level = [](std::size_t i) { return i % 430 == 7 ? 0 : 1 + i % 21; };
  EXPECT_EQ(refused(regression(22, [&](std::size_t i, std::size_t k) { return level(i) == k; })), "");
}

TEST(UnusedElements, ColumnsThatNoRowUses_CanBeCombined) {
  EXPECT_EQ(refused(regression(2, [](std::size_t, std::size_t) { return false; })), "");
  EXPECT_EQ(refused(regression(3, [](std::size_t, std::size_t k) { return k == 2; })), "");
}

TEST(UnusedElements, LabelsOfAMixtureOfManyRows_AreStillRefused) {
  for (const std::size_t rows : {many_rows, 25 * many_rows}) {  // the last in two stretches
    std::vector<double> y(rows);
    fill_normal({.seed = 2, .purpose = Purpose::data}, y);
    Model model(Dataset::Builder().real("y", y).build());
    auto mu = model.parameter("mu", {2});
    model.prior(normal_lpdf(mu, 0, 5));
    const auto density = [&](std::int64_t k) { return normal_lpdf(model.row("y"), take(mu, {k}, Shape{}), 1.0); };
    model.likelihood(log_mix(0.5, density(0), density(1)));
    EXPECT_NE(refused(model).find("'mu'"), std::string::npos) << rows;
  }
}

/// Logistic regression on the arm of each row, 0 or 1. The first `successes` of each arm succeed.
Model arms(std::size_t rows, std::size_t successes, const std::function<std::size_t(std::size_t)>& arm_of) {
  std::vector<double> x(2 * rows);
  std::vector<std::int32_t> y(rows);
  std::size_t seen[2] = {};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t arm = arm_of(i);
    x[2 * i + arm] = 1;
    y[i] = seen[arm]++ < successes ? 1 : 0;
  }
  Model model(Dataset::Builder().integer("y", y).real("x", x, {2}).build());
  auto beta = model.parameter("beta", {2});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

TEST(EqualArms, OfATrial_CanBeCombined) {
  EXPECT_EQ(refused(arms(100, 18, [](std::size_t i) { return i / 50; })), "");
  EXPECT_EQ(refused(arms(100, 18, [](std::size_t i) { return i % 2; })), "");
  EXPECT_EQ(refused(arms(150'000, 40'000, [](std::size_t i) { return i % 2; })), "");
  EXPECT_EQ(refused(arms(131'072, 40'000, [](std::size_t i) { return i / 65536; })), "");
}

TEST(EqualArms, ElementsOfWhichOnlyTheSumMatters_AreStillRefused) {
  std::vector<double> x(200);
  fill_normal({.seed = 3, .purpose = Purpose::data}, x);
  Model model(Dataset::Builder().real("x", x).build());
  auto beta = model.parameter("beta", {2});
  model.likelihood(normal_lpdf(model.row("x"), sum(beta), 1.0));
  EXPECT_NE(refused(model).find("'beta'"), std::string::npos);
}

}  // namespace
}  // namespace sgmcmc
