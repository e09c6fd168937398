// Elements that few rows use, or none, are not taken for exchangeable ones.
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
  std::vector<double> y(many_rows);
  fill_normal({.seed = 2, .purpose = Purpose::data}, y);
  Model model(Dataset::Builder().real("y", y).build());
  auto mu = model.parameter("mu", {2});
  model.prior(normal_lpdf(mu, 0, 5));
  const auto density = [&](std::int64_t k) { return normal_lpdf(model.row("y"), take(mu, {k}, Shape{}), 1.0); };
  model.likelihood(log_mix(0.5, density(0), density(1)));
  EXPECT_NE(refused(model).find("'mu'"), std::string::npos);
}

}  // namespace
}  // namespace sgmcmc
