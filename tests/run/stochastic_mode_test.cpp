// Modes found with minibatch gradients are near the mode found with full gradients.
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

Model poisson_regression() {
  const int rows = 2'000;
  std::vector<double> x(rows), rate(rows), y(rows);
  fill_normal({.seed = 1, .purpose = Purpose::data}, x);
  for (int i = 0; i < rows; ++i) rate[i] = std::exp(0.3 + 0.5 * x[i]);
  fill_poisson({.seed = 2, .purpose = Purpose::data}, rate, y);
  const std::vector<int> counts(y.begin(), y.end());
  Model model(Dataset::Builder().real("x", x).integer("count", counts).build());
  auto level = model.parameter("level");
  auto slope = model.parameter("slope");
  model.prior(normal_lpdf(level, 0, 2) + normal_lpdf(slope, 0, 2));
  model.likelihood(poisson_log_lpmf(model.row("count"), level + slope * model.row("x")));
  return model;
}

/// Posterior standard deviations are about 0.02; averaged iterates should be well within one.
void expect_near_mode(const Model& model, const ModeResult& found) {
  const auto exact = find_mode(model);
  ASSERT_TRUE(exact.report.converged()) << exact.report.describe();
  for (std::size_t d = 0; d < exact.theta.size(); ++d) EXPECT_NEAR(found.theta[d], exact.theta[d], 0.01);
}

GradientOptions batches_of(std::int64_t size, Estimator estimator) {
  GradientOptions gradient;
  gradient.estimator = estimator;
  gradient.minibatch.batch_size = size;
  return gradient;
}

TEST(FindMode, Adam_ComesNearTheMode) {
  const Model model = poisson_regression();
  expect_near_mode(model, find_mode(model, AdamOptions{}, batches_of(100, Estimator::minibatch)));
}

TEST(FindMode, SgdWithSvrg_ComesNearTheMode) {
  const Model model = poisson_regression();
  SgdOptions options;
  options.step_size = 5e-5;
  expect_near_mode(model, find_mode(model, options, batches_of(100, Estimator::svrg)));
}

TEST(FindMode, ControlVariates_AreRefused) {
  const Model model = poisson_regression();
  try {
    find_mode(model, AdamOptions{}, batches_of(100, Estimator::control_variate));
    FAIL() << "no error";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("use minibatch, saga or svrg"), std::string::npos) << error.what();
  }
}

TEST(FindMode, StartOfWrongLength_NamesBothLengths) {
  try {
    find_mode(poisson_regression(), LbfgsOptions{}, {1.0});
    FAIL() << "no error";
  } catch (const OptionError& error) {
    EXPECT_STREQ(error.what(), "start has 1 elements; the model has 2 unconstrained parameters");
  }
}

}  // namespace
}  // namespace sgmcmc
