// The programs of a model against the log posterior by hand, and against each other.
#include "model/log_posterior.hpp"

#include "model/cases.hpp"
#include "plan/executor_backend.hpp"
#include "reference/finite_difference.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace sgmcmc::testing {
namespace {

/// The arguments of one evaluation.
struct Request {
  std::vector<double> theta, centre, direction;
  RowBatch batch;
  Precision precision = Precision::float64;
};

Request request_of(const ModelCase& c) {
  Request request;
  request.theta = c.theta;
  request.batch.count = static_cast<std::uint32_t>(c.model.rows());
  for (std::size_t i = 0; i < c.theta.size(); ++i) {
    request.centre.push_back(c.theta[i] + 0.2 * std::cos(3.7 * static_cast<double>(i)));
    request.direction.push_back(std::sin(0.9 + 1.7 * static_cast<double>(i)));
  }
  return request;
}

std::unique_ptr<Executor> prepared(const LogPosterior& posterior, ProgramKind kind, const Request& request) {
  ExecutorOptions options;
  options.precision = request.precision;
  auto executor = posterior.executor(kind, options);
  set_points(*executor, {request.theta, request.centre, request.direction});
  return executor;
}

std::vector<double> run(const LogPosterior& posterior, ProgramKind kind, const Request& request) {
  const auto executor = prepared(posterior, kind, request);
  std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
  executor->run(request.batch, outputs);
  return outputs;
}

/// One vector of all outputs per row.
std::vector<std::vector<double>> run_rows(const LogPosterior& posterior, ProgramKind kind, const Request& request) {
  const auto executor = prepared(posterior, kind, request);
  const auto size = executor->output_size();
  RowCollector collector({size}, request.batch.count);
  executor->run_rows(request.batch, collector);
  std::vector<std::vector<double>> rows;
  const auto& flat = collector.collected()[0];
  for (std::uint32_t i = 0; i < request.batch.count; ++i)
    rows.emplace_back(flat.begin() + i * size, flat.begin() + (i + 1) * size);
  return rows;
}

std::vector<Slope> seeded(const std::vector<double>& theta, std::size_t j) {
  std::vector<Slope> duals(theta.begin(), theta.end());
  duals[j].derivative = 1;
  return duals;
}

double weight_of(const RowBatch& batch, std::uint32_t i) {
  return batch.weights ? batch.weights[i] : batch.uniform_weight;
}

/// [value, gradient] by hand.
std::vector<double> by_hand(const ModelCase& c, const RowBatch& batch) {
  std::vector<double> result{c.prior(c.theta)};
  for (std::uint32_t i = 0; i < batch.count; ++i) result[0] += weight_of(batch, i) * c.row(c.theta, batch.row(i));
  for (std::size_t j = 0; j < c.theta.size(); ++j) {
    double slope = c.prior_slope(seeded(c.theta, j)).derivative;
    for (std::uint32_t i = 0; i < batch.count; ++i)
      slope += weight_of(batch, i) * c.row_slope(seeded(c.theta, j), batch.row(i)).derivative;
    result.push_back(slope);
  }
  return result;
}

void expect_close(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  EXPECT_LE(worst_difference({got}, {expected}), tolerance)
      << ::testing::PrintToString(got) << " but expected " << ::testing::PrintToString(expected);
}

std::vector<double> minus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

std::vector<double> summed(const std::vector<std::vector<double>>& rows) {
  std::vector<double> total(rows.at(0).size(), 0.0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += row[i];
  return total;
}

class LogPosteriorCase : public ::testing::TestWithParam<ModelCase> {};

TEST_P(LogPosteriorCase, AllRows_ValueAndGradientMatchTheFormula) {
  const auto& c = GetParam();
  const LogPosterior posterior(c.model);
  const auto request = request_of(c);
  const auto expected = by_hand(c, request.batch);
  expect_close(run(posterior, ProgramKind::value_and_gradient, request), expected, 1e-13);
  expect_close(run(posterior, ProgramKind::gradient, request), {expected.begin() + 1, expected.end()}, 1e-13);
}

TEST_P(LogPosteriorCase, ScaledBatch_ScalesRowsButNeitherPriorNorJacobian) {
  const auto& c = GetParam();
  const LogPosterior posterior(c.model);
  auto request = request_of(c);
  const std::vector<std::uint32_t> indices{3, 17, 17, 50, 2, 0, 44};
  request.batch.indices = indices.data();
  request.batch.count = 7;
  request.batch.uniform_weight = 53.0 / 7.0;
  expect_close(run(posterior, ProgramKind::value_and_gradient, request), by_hand(c, request.batch), 1e-13);
  const std::vector<double> weights{0.5, 3.0, 0.0, 1.25, 7.0, 1.0, 2.0};
  request.batch.weights = weights.data();
  expect_close(run(posterior, ProgramKind::value_and_gradient, request), by_hand(c, request.batch), 1e-13);
  request.batch.count = 0;
  const auto without_rows = run(posterior, ProgramKind::value_and_gradient, request);
  EXPECT_NEAR(without_rows[0], c.prior(c.theta), 1e-13 * std::abs(c.prior(c.theta)));
  expect_close({without_rows.begin() + 1, without_rows.end()}, run(posterior, ProgramKind::prior_gradient, request),
               1e-14);
}

TEST_P(LogPosteriorCase, Float_AgreesToFloatPrecision) {
  const auto& c = GetParam();
  auto request = request_of(c);
  request.precision = Precision::float32;
  expect_close(run(LogPosterior(c.model), ProgramKind::value_and_gradient, request), by_hand(c, request.batch), 1e-5);
}

TEST_P(LogPosteriorCase, Rows_MatchTheFormulaAndAddUp) {
  const auto& c = GetParam();
  const LogPosterior posterior(c.model);
  const auto request = request_of(c);
  const auto values = run_rows(posterior, ProgramKind::row_log_likelihoods, request);
  const auto gradients = run_rows(posterior, ProgramKind::row_gradients, request);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i][0], c.row(c.theta, i), 1e-13) << "row " << i;
    for (std::size_t j = 0; j < c.theta.size(); ++j)
      EXPECT_NEAR(gradients[i][j], c.row_slope(seeded(c.theta, j), i).derivative, 1e-12) << "row " << i << ", " << j;
  }
  const auto all = run(posterior, ProgramKind::gradient, request);
  expect_close(summed(gradients), minus(all, run(posterior, ProgramKind::prior_gradient, request)), 1e-13);
}

TEST_P(LogPosteriorCase, Difference_IsThatOfTwoGradientsAndZeroAtTheCentre) {
  const auto& c = GetParam();
  const LogPosterior posterior(c.model);
  auto request = request_of(c);
  const std::vector<double> weights(static_cast<std::size_t>(c.model.rows()), 1.7);
  request.batch.weights = weights.data();
  const auto here = run(posterior, ProgramKind::gradient, request);
  auto at_centre = request;
  at_centre.theta = request.centre;
  const auto expected = minus(here, run(posterior, ProgramKind::gradient, at_centre));
  const auto got = run(posterior, ProgramKind::difference, request);
  for (std::size_t j = 0; j < got.size(); ++j)  // rounding of the two gradients, not of their difference
    EXPECT_NEAR(got[j], expected[j], 1e-13 * (1 + std::abs(here[j])));
  const auto rows = summed(run_rows(posterior, ProgramKind::row_gradient_differences, request));
  const auto prior = minus(run(posterior, ProgramKind::prior_gradient, request),
                           run(posterior, ProgramKind::prior_gradient, at_centre));
  for (std::size_t j = 0; j < rows.size(); ++j)
    EXPECT_NEAR(1.7 * rows[j] + prior[j], got[j], 1e-12 * (1 + std::abs(here[j])));
}

TEST_P(LogPosteriorCase, HessianVector_IsSymmetricAndTheSlopeOfTheGradient) {
  const auto& c = GetParam();
  const LogPosterior posterior(c.model);
  auto request = request_of(c);
  const auto v = request.direction;
  const auto product = run(posterior, ProgramKind::hessian_vector, request);
  auto other = request;
  for (std::size_t i = 0; i < v.size(); ++i) other.direction[i] = std::cos(0.4 + 2.1 * static_cast<double>(i));
  const auto other_product = run(posterior, ProgramKind::hessian_vector, other);
  const double forth = std::inner_product(product.begin(), product.end(), other.direction.begin(), 0.0);
  const double back = std::inner_product(other_product.begin(), other_product.end(), v.begin(), 0.0);
  EXPECT_NEAR(forth, back, 1e-12 * std::abs(forth) + 1e-12);
  // Along the line theta + t v, the gradient's slope at t = 0.
  const auto slope = reference::finite_differences(
      [&](const std::vector<double>& t) {
        auto moved = request;
        for (std::size_t i = 0; i < v.size(); ++i) moved.theta[i] += t[0] * v[i];
        return run(posterior, ProgramKind::gradient, moved);
      },
      {0.0});
  expect_close(product, slope, 1e-8);
}

TEST_P(LogPosteriorCase, Constrained_IsUndoneByUnconstrain) {
  const auto& c = GetParam();
  const auto flat = run(LogPosterior(c.model), ProgramKind::constrained, request_of(c));
  EXPECT_EQ(flat.size(), c.model.constrained_names().size());
  std::map<std::string, std::vector<double>> values;
  auto next = flat.begin();
  for (const auto& info : c.model.parameters()) {
    values[info.name].assign(next, next + info.shape.size());
    next += info.shape.size();
  }
  expect_close(c.model.unconstrain(values), c.theta, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, LogPosteriorCase, ::testing::ValuesIn(all_cases()),
                         [](const auto& tried) { return tried.param.name; });

/// Parameters met in many places, products over tiles, gathered tables: where sums of many terms could fail to cancel.
std::vector<Model> entangled_models() {
  std::vector<Model> models;
  for (const auto& c : all_cases()) models.push_back(c.model);
  const Table table;
  {
    Model model(table.data());
    const auto beta = model.parameter("beta", Shape{3});
    const auto a = model.parameter("a");
    const auto x = model.row("x"), y = model.row("y");
    model.prior(-0.5 * square(beta) - abs(beta) + a * sum(beta) - exp(a));
    model.likelihood(dot(x, beta) - a * square(y - dot(x, beta)) + sum(x * beta * exp(beta)) - sum(cos(beta * y)) + a +
                     y * a - log1p_exp(a * dot(beta, x)));
    models.push_back(model);
  }
  {
    Model model(table.data());
    const auto first = model.parameter("first", Shape{30, 3}), second = model.parameter("second", Shape{4, 30});
    const auto bias = model.parameter("bias", Shape{30});
    const auto hidden = tanh(matmul(first, model.row("x")) + bias);
    const auto again = logistic(matmul(first, model.row("x")) - bias);
    model.prior(-0.5 * square(first));
    model.likelihood(gather(log_softmax(matmul(second, hidden + again)), model.row("group"), 1) -
                     0.1 * dot(bias, again));
    models.push_back(model);
  }
  {
    Model model(table.data());
    const auto table_of_effects = model.parameter("effects", Shape{5, 2});
    const auto scale = model.parameter("scale", Shape{}, Constraint::lower(0.0));
    const auto one = gather(table_of_effects, model.row("group"), 1),
               two = gather(table_of_effects, model.row("count"));
    model.likelihood(-0.5 * square((model.row("y") - dot(one, two) - sum(one) + sum(exp(two))) / scale) - log(scale) -
                     sum(square(model.row("z") - one)));
    models.push_back(model);
  }
  return models;
}

TEST(Difference, AtTheCentre_IsExactlyZero) {
  int number = 0;
  for (const auto& model : entangled_models()) {
    SCOPED_TRACE("model " + std::to_string(number++));
    const LogPosterior posterior(model);
    Request request;
    for (std::int64_t i = 0; i < model.dimension(); ++i)
      request.theta.push_back(0.7 * std::sin(1.3 + 2.1 * static_cast<double>(i)));
    request.centre = request.theta;
    request.batch.count = static_cast<std::uint32_t>(model.rows());
    for (const auto precision : {Precision::float64, Precision::float32}) {
      request.precision = precision;
      for (const double value : run(posterior, ProgramKind::difference, request)) EXPECT_EQ(value, 0);
      for (const auto& row : run_rows(posterior, ProgramKind::row_gradient_differences, request))
        for (const double value : row) EXPECT_EQ(value, 0);
    }
    request.precision = Precision::float64;
    request.theta[0] += 1e-6;
    const auto moved = run(posterior, ProgramKind::difference, request);
    EXPECT_NE(std::count(moved.begin(), moved.end(), 0.0), static_cast<std::ptrdiff_t>(moved.size()));
  }
}

TEST(LogPosterior, WithoutLikelihood_IsThePrior) {
  Model model;
  const auto a = model.parameter("a", Shape{2}, Constraint::lower(1.0));
  model.prior(exponential_lpdf(a, 2.0));
  const LogPosterior posterior(model);
  Request request;
  request.theta = {0.3, -0.4};
  const auto got = run(posterior, ProgramKind::value_and_gradient, request);
  double value = 2 * std::log(2.0);
  for (std::size_t j = 0; j < 2; ++j) {
    value += -2 * (1 + std::exp(request.theta[j])) + request.theta[j];
    EXPECT_NEAR(got[1 + j], -2 * std::exp(request.theta[j]) + 1, 1e-14);
  }
  EXPECT_NEAR(got[0], value, 1e-14);
  EXPECT_EQ(posterior.all_rows().count, 0U);
}

TEST(LogPosterior, WithoutPrior_IsFlat) {
  const Table table;
  Model model(table.data());
  const auto a = model.parameter("a");
  model.parameter("unused", Shape{2});
  model.likelihood(-square(model.row("y") - a));
  const LogPosterior posterior(model);
  Request request;
  request.theta = {0.3, 1.0, 2.0};
  request.centre = {0.1, 1.5, 2.5};
  request.direction = {1.0, 1.0, 1.0};
  request.batch = posterior.all_rows();
  double slope = 0;
  for (const double y : table.y) slope += 2 * (y - 0.3);
  for (const auto& [kind, expected] : std::map<ProgramKind, double>{{ProgramKind::gradient, slope},
                                                                    {ProgramKind::prior_gradient, 0.0},
                                                                    {ProgramKind::difference, -2 * 0.2 * 53},
                                                                    {ProgramKind::hessian_vector, -2.0 * 53}}) {
    const auto got = run(posterior, kind, request);
    ASSERT_EQ(got.size(), 3U);
    EXPECT_NEAR(got[0], expected, 1e-12);
    EXPECT_EQ(got[1], 0);
    EXPECT_EQ(got[2], 0);
  }
}

TEST(LogPosterior, Programs_AreMadeOnceAndShared) {
  const LogPosterior posterior(all_cases()[0].model);
  EXPECT_EQ(posterior.program(ProgramKind::gradient), posterior.program(ProgramKind::gradient));
  EXPECT_NE(posterior.program(ProgramKind::gradient), posterior.program(ProgramKind::difference));
}

TEST(LogPosterior, DifferenceOfARegression_ReadsEachRowForBothPointsTogether) {
  const auto program = LogPosterior(all_cases()[0].model).program(ProgramKind::difference);
  int sums_over_x = 0;
  for (const auto& value : program->values) {
    if (value.op() != Op::row_sum_outer) continue;
    const auto& array = program->values[static_cast<std::size_t>(value.inputs[1])];
    if (array.op() == Op::row_real && array.node().attributes.name == "x") ++sums_over_x;
  }
  EXPECT_EQ(sums_over_x, 1) << "the terms of the two points are added before they are multiplied by the row";
}

TEST(LogPosterior, NothingToSample_IsRefused) {
  EXPECT_THROW(LogPosterior{Model{}}, ModelError);
  Model model;
  model.parameter("a");
  EXPECT_THROW(LogPosterior{model}, ModelError);
}

}  // namespace
}  // namespace sgmcmc::testing
