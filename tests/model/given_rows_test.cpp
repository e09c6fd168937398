// Programs of models whose likelihood the caller computes, against those of the same model as a graph.
#include "model/log_posterior.hpp"
#include "plan/executor_backend.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

namespace sgmcmc::testing {
namespace {

constexpr std::int64_t row_count = 300;  // more than a block of single rows

/// y ~ normal(x'(beta + w), sigma) with w on the simplex and sigma > 0: values are beta, w, sigma.
class Regression final : public GivenLikelihood {
 public:
  Regression() {
    for (std::int64_t i = 0; i < row_count; ++i) {
      const auto t = static_cast<double>(i);
      for (int c = 0; c < 3; ++c) x.push_back(std::sin(1.0 + 1.7 * t + 0.9 * c));
      y.push_back(1.5 * std::sin(0.2 + 0.77 * t));
    }
  }

  double add(std::span<const double> values, std::span<const std::uint32_t> rows,
             std::span<double> gradient) const override {
    most_rows = std::max<std::size_t>(most_rows, rows.size());
    const double sigma = values[6];
    double sum = 0;
    for (const auto i : rows) {
      double mean = 0;
      for (std::size_t c = 0; c < 3; ++c) mean += x[3 * i + c] * (values[c] + values[3 + c]);
      const double z = (y[i] - mean) / sigma;
      sum += -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2 * std::numbers::pi);
      for (std::size_t c = 0; c < 6; ++c) gradient[c] += z / sigma * x[3 * i + c % 3];
      gradient[6] += (z * z - 1) / sigma;
    }
    return sum;
  }

  std::vector<double> x, y;
  mutable std::atomic<std::size_t> most_rows = 0;
};

struct Both {
  std::shared_ptr<const Regression> given = std::make_shared<const Regression>();
  LogPosterior by_caller, by_graph;

  Both() : by_caller(model(true)), by_graph(model(false)) {}

  Model model(bool by_caller_too) const {
    Model made(by_caller_too ? Dataset() : Dataset::Builder().real("x", given->x, {3}).real("y", given->y).build());
    const auto beta = made.parameter("beta", {3});
    const auto w = made.parameter("w", {3}, Constraint::simplex());
    const auto sigma = made.parameter("sigma", {}, Constraint::lower(0.0));
    made.prior(normal_lpdf(beta, 0, 2));
    made.prior(normal_lpdf(sigma, 0, 1));
    if (by_caller_too)
      made.likelihood(given, row_count);
    else
      made.likelihood(normal_lpdf(made.row("y"), dot(made.row("x"), beta + w), sigma));
    return made;
  }
};

const std::vector<double> theta{0.3, -0.2, 0.5, 0.4, -0.7, 0.2}, centre{0.1, 0.0, 0.4, 0.1, -0.5, 0.3},
    direction{0.5, -0.4, 0.3, 0.2, 0.7, -0.6};

std::vector<double> result_of(const LogPosterior& posterior, ProgramKind kind, const RowBatch& batch) {
  const auto executor = posterior.executor(kind, {});
  set_points(*executor, {theta, centre, direction});
  std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
  executor->run(batch, outputs);
  return outputs;
}

std::vector<double> rows_of(const LogPosterior& posterior, ProgramKind kind, const RowBatch& batch) {
  const auto executor = posterior.executor(kind, {});
  set_points(*executor, {theta, centre, direction});
  RowCollector collector({executor->output_size()}, batch.count);
  executor->run_rows(batch, collector);
  return collector.collected()[0];
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], tolerance * (1 + std::abs(expected[k]))) << k;
}

/// All rows, a minibatch, and rows of unequal weight.
std::vector<RowBatch> batches() {
  static const std::vector<std::uint32_t> rows{5, 17, 2, 280, 33, 17};
  static const std::vector<double> weights{1.5, 0.2, 3.0, 1.0, 0.7, 2.0};
  RowBatch all, some, weighted;
  all.count = row_count;
  some.count = weighted.count = static_cast<std::uint32_t>(rows.size());
  some.indices = weighted.indices = rows.data();
  some.uniform_weight = row_count / 6.0;
  weighted.weights = weights.data();
  return {all, some, weighted};
}

TEST(GivenLikelihood, EveryProgram_GivesWhatTheGraphGives) {
  const Both both;
  for (const auto& batch : batches()) {
    for (const auto kind :
         {ProgramKind::value_and_gradient, ProgramKind::gradient, ProgramKind::difference, ProgramKind::prior_gradient})
      expect_near(result_of(both.by_caller, kind, batch), result_of(both.by_graph, kind, batch), 1e-12);
    expect_near(result_of(both.by_caller, ProgramKind::hessian_vector, batch),
                result_of(both.by_graph, ProgramKind::hessian_vector, batch), 1e-6);
    for (const auto kind :
         {ProgramKind::row_gradients, ProgramKind::row_gradient_differences, ProgramKind::row_log_likelihoods})
      expect_near(rows_of(both.by_caller, kind, batch), rows_of(both.by_graph, kind, batch), 1e-12);
  }
  expect_near(result_of(both.by_caller, ProgramKind::constrained, {}),
              result_of(both.by_graph, ProgramKind::constrained, {}), 1e-15);
}

TEST(GivenLikelihood, PointsThatCoincide_DifferByExactlyZero) {
  const Both both;
  const auto executor = both.by_caller.executor(ProgramKind::difference, {});
  executor->set_point(Point::current, theta);
  executor->set_point(Point::centre, theta);
  std::vector<double> gradient(theta.size(), 1.0);
  executor->run(batches()[1], gradient);
  for (const double g : gradient) EXPECT_EQ(g, 0.0);
}

TEST(GivenLikelihood, OfManyRows_IsCalledBlockByBlock) {
  const auto given = std::make_shared<const Regression>();
  Model model;
  model.parameter("beta", {3});
  model.parameter("w", {3}, Constraint::simplex());
  model.parameter("sigma", {}, Constraint::lower(0.0));
  model.likelihood(given, row_count);
  RowBatch repeated;
  const std::vector<std::uint32_t> rows(100'000, 7);
  repeated.indices = rows.data();
  repeated.count = static_cast<std::uint32_t>(rows.size());
  const auto sums = result_of(LogPosterior(model), ProgramKind::gradient, repeated);
  EXPECT_LE(given->most_rows, 8192u);
  EXPECT_TRUE(std::isfinite(sums[0]));
}

TEST(GivenLikelihood, BesideAnother_IsRefused) {
  const Both both;
  Model model = both.model(true);
  EXPECT_THROW(model.likelihood(both.given, row_count), ModelError);
  EXPECT_THROW(model.likelihood(Expression(1.0)), ModelError);
  Model other = both.model(false);
  EXPECT_THROW(other.likelihood(both.given, row_count), ModelError);
  Model empty;
  EXPECT_THROW(empty.likelihood(both.given, 0), ModelError);
  EXPECT_THROW(empty.likelihood(nullptr, 3), ModelError);
}

TEST(Model, WithoutJacobian_HasTheDensityOfDeclaredParameters) {
  const Both both;
  const Model model = both.model(false);
  EXPECT_TRUE(static_cast<bool>(model.log_jacobian()));
  const Model without = model.without_jacobian();
  EXPECT_FALSE(static_cast<bool>(without.log_jacobian()));
  // sigma = exp(theta): the log-Jacobian of that constraint has the slope 1.
  Model one;
  const auto sigma = one.parameter("sigma", {}, Constraint::lower(0.0));
  one.prior(normal_lpdf(sigma, 0, 1));
  const auto gradient_of = [](const Model& m) {
    const LogPosterior posterior(m);
    const auto executor = posterior.executor(ProgramKind::gradient, {});
    executor->set_point(Point::current, std::vector<double>{0.3});
    std::vector<double> gradient(1);
    executor->run(RowBatch{}, gradient);
    return gradient[0];
  };
  EXPECT_NEAR(gradient_of(one) - gradient_of(one.without_jacobian()), 1.0, 1e-12);
}

}  // namespace
}  // namespace sgmcmc::testing
