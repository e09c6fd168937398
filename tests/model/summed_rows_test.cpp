// Likelihoods from sums over the rows against the rows themselves, and those that have none.
#include "model/log_posterior.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t rows = 500;

std::vector<double> normals(std::size_t count, std::uint64_t which, double mean = 0, double sd = 1) {
  std::vector<double> x(count);
  fill_normal({5, 0, which, Purpose::data}, x);
  for (double& each : x) each = mean + sd * each;
  return x;
}

Dataset data(double offset = 0) {
  std::vector<std::int32_t> count(rows);
  for (std::size_t i = 0; i < rows; ++i) count[i] = static_cast<std::int32_t>(i % 3);
  return Dataset::Builder()
      .real("y", normals(rows, 1, offset, 2))
      .real("x", normals(rows * 3, 2, offset, 1), Shape{3})
      .real("z", normals(rows, 3, 1, 0.5))
      .integer("count", count)
      .build();
}

/// Value and gradient by rows and by sums.
void expect_same(const Model& model, double tolerance = 1e-9) {
  const LogPosterior posterior(model);
  ASSERT_TRUE(posterior.has_summed_rows());
  const auto size = static_cast<std::size_t>(posterior.dimension());
  auto by_rows = posterior.executor(ProgramKind::value_and_gradient, {});
  auto by_sums = posterior.whole_executor(ProgramKind::value_and_gradient, {});
  for (std::uint64_t k = 0; k < 3; ++k) {
    const auto theta = normals(size, 10 + k, 0, 0.5);
    std::vector<double> expected(size + 1), found(size + 1);
    by_rows->set_point(Point::current, theta);
    by_rows->run(posterior.all_rows(), expected);
    by_sums->set_point(Point::current, theta);
    by_sums->run(posterior.whole_batch(), found);
    for (std::size_t c = 0; c <= size; ++c)
      EXPECT_NEAR(found[c], expected[c], tolerance * (1 + std::abs(expected[c]))) << "number " << c;
  }
}

/// y ~ normal(alpha + x . beta, sigma)
Model regression(double offset) {
  Model model(data(offset));
  const auto alpha = model.parameter("alpha"), beta = model.parameter("beta", {3});
  const auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  model.prior(normal_lpdf(beta, 0.0, 1.0));
  model.likelihood(normal_lpdf(model.row("y"), alpha + dot(model.row("x"), beta), sigma));
  return model;
}

TEST(SummedRows, NormalRegression_IsThatOfTheRows) {
  expect_same(regression(0));
  expect_same(regression(1e4), 1e-7);  // the rows themselves lose eight digits here
}

TEST(SummedRows, KnownWeightsAndOtherData_AreTakenIn) {
  Model model(data());
  const auto a = model.parameter("a"), b = model.parameter("b");
  const auto mean = a + b * model.row("z") + 0.1 * model.row("count");
  model.likelihood(normal_lpdf(log(2.0 + square(model.row("y"))), mean, model.row("z") * model.row("z") + 0.1));
  expect_same(model);
}

TEST(SummedRows, ProductsOfDifferentSums_AreTakenIn) {
  Model model(data());
  const auto a = model.parameter("a"), b = model.parameter("b", {3});
  model.prior(normal_lpdf(a, 0.0, 1.0));
  model.likelihood((a + dot(model.row("x"), b)) * (model.row("y") - exp(a) * model.row("z")) / (1.0 + square(a)));
  expect_same(model);
}

TEST(SummedRows, OtherLikelihoods_HaveNone) {
  Model logistic(data());
  const auto b = logistic.parameter("b", {3});
  logistic.likelihood(bernoulli_logit_lpmf(logistic.row("count"), dot(logistic.row("x"), b)));
  EXPECT_FALSE(LogPosterior(logistic).has_summed_rows());

  Model grouped(data());
  const auto theta = grouped.parameter("theta", {3});
  grouped.likelihood(normal_lpdf(grouped.row("y"), gather(theta, grouped.row("count")), 1.0));
  EXPECT_FALSE(LogPosterior(grouped).has_summed_rows());

  Model student(data());
  const auto mu = student.parameter("mu");
  student.likelihood(student_t_lpdf(student.row("y"), 4.0, mu, 1.0));
  EXPECT_FALSE(LogPosterior(student).has_summed_rows());
}

}  // namespace
}  // namespace sgmcmc::testing
