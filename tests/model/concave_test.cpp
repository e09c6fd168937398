// Detection of concave log densities.
#include "model/concave.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sgmcmc::testing {
namespace {

Dataset data() {
  const std::vector<double> y = {0.5, -0.2, 1.0}, x = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> hit = {0, 1, 1};
  return Dataset::Builder().real("y", y).real("x", x, Shape{2}).integer("hit", hit).build();
}

struct Regression {
  Regression() : model(data()), a(model.parameter("a")), b(model.parameter("b", {2})) {
    model.prior(normal_lpdf(a, 0.0, 5.0));
    model.prior(normal_lpdf(b, 0.0, 1.0));
    predictor = a + dot(model.row("x"), b);
  }
  Model model;
  Expression a, b, predictor;
};

TEST(Concave, RegressionsAre) {
  Regression logistic, poisson, normal, laplace;
  logistic.model.likelihood(bernoulli_logit_lpmf(logistic.model.row("hit"), logistic.predictor));
  poisson.model.likelihood(poisson_log_lpmf(poisson.model.row("hit"), poisson.predictor));
  normal.model.likelihood(normal_lpdf(normal.model.row("y"), normal.predictor, 2.0));
  laplace.model.prior(double_exponential_lpdf(laplace.a, 0.0, 1.0));
  for (const auto* each : {&logistic, &poisson, &normal, &laplace}) EXPECT_TRUE(is_concave(each->model));

  Model softmax(data());
  const auto weights = softmax.parameter("w", {3, 2});
  softmax.prior(std_normal_lpdf(weights));
  softmax.likelihood(categorical_logit_lpmf(softmax.row("hit"), matmul(weights, softmax.row("x"))));
  EXPECT_TRUE(is_concave(softmax));
}

TEST(Concave, OthersAreNotSaidToBe) {
  Regression heavy_tails, prior, product, network, scale;
  heavy_tails.model.likelihood(student_t_lpdf(heavy_tails.model.row("y"), 4.0, heavy_tails.predictor, 1.0));
  prior.model.prior(cauchy_lpdf(prior.a, 0.0, 1.0));
  product.model.likelihood(normal_lpdf(product.model.row("y"), product.a * product.predictor, 1.0));
  network.model.likelihood(bernoulli_logit_lpmf(network.model.row("hit"), tanh(network.predictor)));
  scale.model.likelihood(
      normal_lpdf(scale.model.row("y"), scale.predictor, scale.model.parameter("s", {}, Constraint::lower(0.0))));
  for (const auto* each : {&heavy_tails, &prior, &product, &network, &scale}) EXPECT_FALSE(is_concave(each->model));
}

}  // namespace
}  // namespace sgmcmc::testing
