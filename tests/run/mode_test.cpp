// find_mode: at the mode the gradient is negligible relative to the curvature, even with badly scaled columns.
#include "model/log_posterior.hpp"
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

/// The size of a Newton step in each coordinate alone, in conditional standard deviations.
Vector newton_steps(const Model& model, const Vector& theta) {
  const LogPosterior posterior(model);
  const auto dimension = static_cast<std::size_t>(model.dimension());
  const auto gradient = posterior.executor(ProgramKind::gradient, {});
  const auto product = posterior.executor(ProgramKind::hessian_vector, {});
  Vector g(dimension), column(dimension), direction(dimension), steps(dimension);
  gradient->set_point(Point::current, theta);
  gradient->run(posterior.all_rows(), g);
  product->set_point(Point::current, theta);
  for (std::size_t j = 0; j < dimension; ++j) {
    direction.assign(dimension, 0.0);
    direction[j] = 1.0;
    product->set_point(Point::direction, direction);
    product->run(posterior.all_rows(), column);
    steps[j] = std::abs(g[j]) / std::sqrt(-column[j]);
  }
  return steps;
}

TEST(FindMode, LogisticRegression_GradientVanishes) {
  const Model model = logistic_regression(LogisticData(2000, 10));
  for (const int threads : {1, 3}) {
    const auto mode = find_mode(model, {}, {}, threads);
    EXPECT_TRUE(mode.report.converged()) << mode.report.describe();
    EXPECT_LT(mode.report.evaluations, 60u);
    for (const double step : newton_steps(model, mode.theta)) EXPECT_LT(step, 1e-3);
  }
}

Model scaled_regression(const LogisticData& data, const Vector& scale) {
  LogisticData scaled = data;
  Vector prior_sd;
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t j = 0; j < data.columns; ++j) scaled.x[i * data.columns + j] *= scale[j];
  for (const double s : scale) prior_sd.push_back(2.0 / s);
  Model model(scaled.dataset());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(data.columns)});
  model.prior(normal_lpdf(beta, 0, constant(prior_sd)));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

TEST(FindMode, ColumnsFromAMillionthToAMillion_GiveTheSameModeRescaled) {
  const LogisticData data(1000, 7);
  const Vector even(7, 1.0), wild{1e-6, 1e6, 1e-3, 1.0, 1e4, 1e-2, 1e5};
  const auto plain = find_mode(scaled_regression(data, even));
  const Model model = scaled_regression(data, wild);
  const auto scaled = find_mode(model);
  EXPECT_TRUE(scaled.report.converged()) << scaled.report.describe();
  // On the original scale, posterior standard deviations are about 0.08.
  for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(scaled.theta[j] * wild[j], plain.theta[j], 1e-4) << "column " << j;
  for (const double step : newton_steps(model, scaled.theta)) EXPECT_LT(step, 1e-3);
  EXPECT_LT(scaled.report.evaluations, 300u) << scaled.report.describe();
}

TEST(FindMode, ManyRows_AreClimbedByPartsToTheSameMode) {
  const LogisticData data(24'000, 4);
  const Vector even(4, 1.0), wild{1e-3, 1e3, 1.0, 30.0};
  for (const auto& scale : {even, wild}) {
    const Model model = scaled_regression(data, scale);
    const auto mode = find_mode(model);
    EXPECT_TRUE(mode.report.converged()) << mode.report.describe();
    EXPECT_LT(mode.report.evaluations, 40u) << mode.report.describe();
    for (const double step : newton_steps(model, mode.theta)) EXPECT_LT(step, 1e-3);
    const auto far = find_mode(model, {}, Vector(4, 20.0));
    EXPECT_TRUE(far.report.converged()) << far.report.describe();
    for (const double step : newton_steps(model, far.theta)) EXPECT_LT(step, 1e-3);
  }
}

TEST(FindMode, FarStart_StillArrives) {
  const Model model = logistic_regression(LogisticData(1000, 5));
  const auto near = find_mode(model), far = find_mode(model, {}, Vector(5, 100.0));
  EXPECT_TRUE(far.report.converged()) << far.report.describe();
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(far.theta[j], near.theta[j], 1e-4);
}

TEST(FindMode, LaplacePrior_CoefficientsAtZeroStayThere) {
  // A strong prior keeps the second coefficient exactly at 0, where the density has a kink.
  const LogisticData data(200, 2);
  Model model(data.dataset());
  const auto beta = model.parameter("beta", {2});
  model.prior(laplace_lpdf(beta[0], 0, 1) + laplace_lpdf(beta[1], 0, 0.005));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  const auto mode = find_mode(model);
  EXPECT_TRUE(mode.report.converged()) << mode.report.describe();
  EXPECT_NEAR(mode.theta[1], 0.0, 1e-3);
  EXPECT_GT(std::abs(mode.theta[0]), 0.5);
}

TEST(FindMode, ConstrainedParameters_ModeIsOnTheUnconstrainedScale) {
  // log x for x ~ Gamma(5, 5): with the Jacobian, the log density 5 u - 5 exp(u) has its mode at 0.
  Model model;
  model.prior(gamma_lpdf(model.parameter("x", {}, Constraint::lower(0)), 5, 5));
  EXPECT_NEAR(find_mode(model, {}, {2.0}).theta[0], 0.0, 1e-4);
}

TEST(FindMode, WrongStart_IsRefused) {
  const Model model = standard_normal(2);
  EXPECT_THROW(find_mode(model, {}, {1.0}), OptionError);
  Model outside;
  outside.prior(log(outside.parameter("x")));
  EXPECT_THROW(find_mode(outside, {}, {-1.0}), ModelError);
}

}  // namespace
}  // namespace sgmcmc::testing
