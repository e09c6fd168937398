// The curvature of regressions by one pass over the rows, against Hessians by products with vectors.
#include "gradient/row_curvature.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <vector>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t count = 301;

Dataset data() {
  std::vector<double> x(3 * count), z(2 * count), t(count);
  fill_normal({4, 0, 0, Purpose::data}, x);
  fill_normal({4, 0, 1, Purpose::data}, z);
  fill_normal({4, 0, 2, Purpose::data}, t);
  std::vector<std::int32_t> y(count);
  for (std::size_t i = 0; i < count; ++i) y[i] = x[3 * i] + t[i] > 0 ? 1 : 0;
  return Dataset::Builder().real("x", x, {3}).real("z", z, {2}).real("t", t).integer("y", y).build();
}

/// By columns, less what no row contributes.
Eigen::MatrixXd hessian_of_rows(const LogPosterior& posterior, const std::vector<double>& theta) {
  const auto size = static_cast<Eigen::Index>(theta.size());
  const auto executor = posterior.executor(ProgramKind::hessian_vector, {});
  executor->set_point(Point::current, theta);
  Eigen::MatrixXd result(size, size);
  std::vector<double> direction(theta.size()), all(theta.size()), none(theta.size());
  for (Eigen::Index j = 0; j < size; ++j) {
    direction.assign(theta.size(), 0.0);
    direction[static_cast<std::size_t>(j)] = 1.0;
    executor->set_point(Point::direction, direction);
    executor->run(posterior.all_rows(), all);
    executor->run(RowBatch{}, none);
    for (Eigen::Index i = 0; i < size; ++i)
      result(i, j) = none[static_cast<std::size_t>(i)] - all[static_cast<std::size_t>(i)];
  }
  return result;
}

void expect_hessian(const Model& model) {
  const LogPosterior posterior(model);
  std::vector<double> theta(static_cast<std::size_t>(model.dimension()));
  fill_normal({5, 0, 0, Purpose::data}, theta);
  const auto found = row_curvature(posterior, theta, posterior.all_rows(), nullptr);
  ASSERT_TRUE(found);
  const Eigen::MatrixXd expected = hessian_of_rows(posterior, theta);
  EXPECT_LT((*found - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff());
  ThreadPool pool(3);
  EXPECT_EQ((*row_curvature(posterior, theta, posterior.all_rows(), &pool) - *found).cwiseAbs().maxCoeff(), 0.0);

  RowBatch some = posterior.all_rows();
  const std::vector<std::uint32_t> rows{3, 5, 200, 5};
  some.indices = rows.data();
  some.count = 4;
  some.uniform_weight = 2.0;
  const auto part = row_curvature(posterior, theta, some, nullptr);
  some.indices = nullptr;
  some.count = 1;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(part->rows(), part->cols());
  for (const std::uint32_t row : rows) {
    some.first = row;
    sum += *row_curvature(posterior, theta, some, nullptr);
  }
  EXPECT_LT((*part - sum).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + sum.cwiseAbs().maxCoeff()));
}

TEST(RowCurvature, OneVectorOfCoefficients_IsTheHessian) {
  Model model(data());
  const auto beta = model.parameter("beta", {3});
  model.prior(normal_lpdf(beta, 0, 2));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  expect_hessian(model);
}

TEST(RowCurvature, SeveralCoefficientsAndAScale_IsTheHessian) {
  Model model(data());
  const auto beta = model.parameter("beta", {3});
  const auto gamma = model.parameter("gamma", {2});
  const auto intercept = model.parameter("intercept");
  const auto sigma = model.parameter("sigma", {}, Constraint::lower(0));
  model.prior(normal_lpdf(beta, 0, 2));
  model.likelihood(
      student_t_lpdf(model.row("t"), 4.0, intercept + dot(model.row("x"), beta) + dot(model.row("z"), gamma), sigma));
  expect_hessian(model);
}

TEST(RowCurvature, APredictorForEachClass_IsTheHessian) {
  Model model(data());
  const auto intercepts = model.parameter("intercepts", {2});
  const auto weights = model.parameter("weights", {2, 3});
  model.prior(normal_lpdf(weights, 0, 2));
  model.likelihood(categorical_logit_lpmf(model.row("y"), intercepts + matmul(weights, model.row("x")), 0));
  expect_hessian(model);
}

TEST(RowCurvature, ClassesInAnyOrderOfCoordinates_IsTheHessian) {
  Model model(data());
  const auto weights = model.parameter("weights", {3, 2});  // coefficients of a class are not neighbours
  const auto intercepts = model.parameter("intercepts", {2});
  model.likelihood(categorical_logit_lpmf(model.row("y"), intercepts + matmul(transpose(weights), model.row("x")), 0));
  expect_hessian(model);
}

TEST(RowCurvature, AClassHeldAtZero_IsTheHessian) {
  Model model(data());
  const auto weights = model.parameter("weights", {1, 3});
  const auto intercepts = model.parameter("intercepts", {1});
  const auto predictors = concatenate({intercepts + matmul(weights, model.row("x")), Expression(0.0)});
  model.likelihood(categorical_logit_lpmf(model.row("y"), predictors, 0));
  expect_hessian(model);
}

TEST(RowCurvature, OtherModels_HaveNone) {
  Model model(data());
  const auto weights = model.parameter("weights", {2, 3});
  const auto outer = model.parameter("outer", {2});
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(outer, tanh(matmul(weights, model.row("x"))))));
  EXPECT_FALSE(row_curvature(LogPosterior(model), std::vector<double>(8, 0.1), RowBatch{}, nullptr));
}

}  // namespace
}  // namespace sgmcmc::testing
