// Densities and log likelihoods of rows at draws on the constrained scale.
#include "chains/density_at_draws.hpp"

#include "run/models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

namespace sgmcmc::testing {
namespace {

/// y ~ normal(mu, sigma), sigma positive, with observations 0.1, 0.3, ...
Model normal_model(std::size_t rows) {
  std::vector<double> y(rows);
  for (std::size_t i = 0; i < rows; ++i) y[i] = 0.1 + 0.2 * static_cast<double>(i);
  Model model(Dataset::Builder().real("y", y).build());
  const auto mu = model.parameter("mu");
  const auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  model.prior(normal_lpdf(mu, 0, 1) + normal_lpdf(sigma, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), mu, sigma));
  return model;
}

double normal_density(double y, double mu, double sigma) {
  return -0.5 * std::pow((y - mu) / sigma, 2) - std::log(sigma) - 0.5 * std::log(2 * std::acos(-1.0));
}

TEST(RowLikelihoodsAtDraws, EachRow_IsThatOfTheFormula) {
  constexpr std::size_t rows = 5000;  // more than one tile
  const auto posterior = std::make_shared<const LogPosterior>(normal_model(rows));
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    RowLikelihoodsAtDraws likelihoods(posterior, &pool);
    std::vector<double> values(rows);
    for (const double sigma : {0.5, 2.0}) {
      likelihoods.at(std::vector{0.7, sigma}, values);
      for (std::size_t i = 0; i < rows; ++i) {
        const double expected = normal_density(0.1 + 0.2 * static_cast<double>(i), 0.7, sigma);
        ASSERT_NEAR(values[i], expected, 1e-12 * std::abs(expected)) << i;
      }
    }
  }
}

TEST(RowLikelihoodsAtDraws, WithThePrior_AddUpToTheLogDensity) {
  const auto posterior = std::make_shared<const LogPosterior>(normal_model(50));
  std::vector<double> values(50);
  RowLikelihoodsAtDraws(posterior).at(std::vector{0.7, 2.0}, values);
  const double prior = normal_density(0.7, 0, 1) + normal_density(2.0, 0, 1) + std::log(2.0);  // with the Jacobian
  EXPECT_NEAR(DensityAtDraws(posterior).at(std::vector{0.7, 2.0}), std::accumulate(values.begin(), values.end(), prior),
              1e-9);
}

TEST(RowLikelihoodsAtDraws, OnTheBorderOfAConstraint_AreNotNumbers) {
  const auto posterior = std::make_shared<const LogPosterior>(normal_model(3));
  std::vector<double> values(3);
  RowLikelihoodsAtDraws(posterior).at(std::vector{0.7, 0.0}, values);
  for (const double value : values) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(DensityAtDraws(posterior).at(std::vector{0.7, 0.0})));
}

}  // namespace
}  // namespace sgmcmc::testing
