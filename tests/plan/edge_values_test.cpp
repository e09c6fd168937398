// Edge cases: infinite rows next to padding, NaN that must propagate, batches without rows, outputs of every kind.
#include "plan/executor_backend.hpp"
#include "plan/models.hpp"
#include "reference/cases.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sgmcmc::testing {
namespace {

using reference::Columns;

constexpr double infinity = std::numeric_limits<double>::infinity();

ParameterVectors<double> at(std::vector<double> theta) { return {std::move(theta), {}, {}}; }

/// Rows whose column x is 1 but for one row, where it is 0.
RowTable with_zero_at(std::int64_t rows, std::int64_t zero) {
  auto table = table_of(rows);
  std::fill(table.reals["x"].begin(), table.reals["x"].end(), 1.0);
  table.reals["x"][static_cast<std::size_t>(zero)] = 0;
  for (double& weight : table.weights) weight = 2;
  return table;
}

TEST(EdgeValues, OneRowMinusInfinity_MakesTheSumMinusInfinity) {
  const Columns c;
  const auto beta = parameter_leaf("beta", Shape{3}, 0);
  const auto row = log(c.x) + dot(c.z, beta);
  const std::vector<Expression> outputs{row_sum(row_weight() * row), row_sum(row), sum(row_sum(log(c.x) + c.z))};
  for (const auto precision : {Precision::float64, Precision::float32}) {
    for (const std::int64_t rows : {1, 3, 15, 16, 17, 21, 40}) {
      for (std::int64_t zero = 0; zero < rows; ++zero) {
        BackendOptions options;
        options.executor.precision = precision;
        const auto values = evaluate_planned(outputs, with_zero_at(rows, zero), at({0.1, 0.2, 0.3}), options);
        for (const auto& value : values) EXPECT_EQ(value[0], -infinity) << rows << " rows, infinite at " << zero;
      }
    }
  }
}

TEST(EdgeValues, RowsMinusInfinityAreNotVisited_SumIsFinite) {
  const Columns c;
  auto table = with_zero_at(20, 19);
  const TableData data(table, {c.x});
  const auto program = std::make_shared<const Program>(compile_program({row_sum(log(c.x) + 0.5)}, {}));
  const auto executor = make_executor(program, data.data(), 0);
  RowBatch batch = data.batch();
  batch.count = 19;
  double value = 0;
  executor->run(batch, {&value, 1});
  EXPECT_EQ(value, 9.5);
  batch.count = 20;
  executor->run(batch, {&value, 1});
  EXPECT_EQ(value, -infinity);
  batch.count = 19;
  executor->run(batch, {&value, 1});
  EXPECT_EQ(value, 9.5) << "something of the run before was left behind";
}

TEST(EdgeValues, PerRowMinusInfinity_StaysInItsRow) {
  const Columns c;
  const auto values = evaluate_planned({log(c.x)}, with_zero_at(21, 20), at({})).front();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(values[i], 0);
  EXPECT_EQ(values[20], -infinity);
}

TEST(EdgeValues, ProductsInTheLastTile_AreNotTouchedByPadding) {
  // 257 rows: the second block of rows of a matrix product holds one row and fifteen lanes of padding.
  const Columns c;
  const auto matrix = parameter_leaf("matrix", Shape{30, 3}, 0);
  const auto f = row_sum(row_weight() * (log(c.x) * 0.0 + sum(exp(matmul(matrix, c.z)))));
  const auto gradient = differentiate(f, {matrix});
  const auto theta = at(scattered(90, 0.3));
  auto table = table_of(257);
  std::fill(table.reals["x"].begin(), table.reals["x"].end(), 1.0);
  EXPECT_LE(worst_difference(evaluate_planned({f, gradient[0]}, table, theta),
                             reference::evaluate_naively({f, gradient[0]}, table, theta)),
            1e-13);
}

TEST(EdgeValues, NotANumber_IsNotLostInReductions) {
  const Columns c;
  const auto nan = sqrt(c.x - 2.0);
  for (const auto& parts : {std::vector<Expression>{nan, c.x, c.x}, {c.x, nan, c.x}, {c.x, c.x, nan}}) {
    const auto list = concatenate(parts);
    const auto values =
        evaluate_planned({maximum(list), minimum(list), log_sum_exp(list), sum(list), max(nan, c.x), min(c.x, nan)},
                         table_of(5), at({}));
    for (const auto& output : values)
      for (const double value : output) EXPECT_TRUE(std::isnan(value));
  }
  const auto global = sqrt(parameter_leaf("a", Shape{}, 0));
  for (const auto& parts : {std::vector<Expression>{global, 1.0}, {1.0, global}}) {
    const auto values =
        evaluate_planned({maximum(concatenate(parts)), log_sum_exp(concatenate(parts))}, {}, at({-1.0}));
    for (const auto& output : values) EXPECT_TRUE(std::isnan(output[0]));
  }
}

TEST(EdgeValues, AllMinusInfinity_LogSumExpIsMinusInfinity) {
  const Columns c;
  const auto list = concatenate({log(c.x), log(c.x)});
  auto table = with_zero_at(17, 4);
  const auto values =
      evaluate_planned({log_sum_exp(list), log_add_exp(log(c.x), log(c.x)), maximum(list)}, table, at({}));
  for (const auto& output : values) {
    EXPECT_EQ(output[4], -infinity);
    EXPECT_TRUE(std::isfinite(output[16]));
  }
}

TEST(EdgeValues, BatchWithoutRows_SumsToZero) {
  for (const auto& model : {logistic_regression(20), network(20), random_effects(20), sparse_regression(20)}) {
    const auto program = std::make_shared<const Program>(compile_program(model.outputs(), {}));
    const auto executor = make_executor(program, model.data, model.dimension());
    executor->set_point(Point::current, model.theta);
    std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
    RowBatch batch;
    batch.count = 20;
    executor->run(batch, outputs);
    EXPECT_NE(outputs[0], 0);
    batch.count = 0;
    executor->run(batch, outputs);
    for (const double value : outputs) EXPECT_EQ(value, 0) << model.name;
  }
}

TEST(EdgeValues, EveryKindOfOutput_IsWritten) {
  // A constant, a parameter, row data, the weight, a reshaped value, one value twice.
  const Columns c;
  const auto a = parameter_leaf("a", Shape{2, 2}, 1);
  const std::vector<Expression> outputs{constant({1.0, 2.0}), a,      c.d, c.counts, row_weight(),
                                        reshape(a, Shape{4}), exp(a), c.x, c.x,      broadcast_to(c.x, Shape{2})};
  const auto table = table_of(40);
  const auto theta = at({0.1, 0.2, 0.3, 0.4, 0.5});
  EXPECT_LE(
      worst_difference(evaluate_planned(outputs, table, theta), reference::evaluate_naively(outputs, table, theta)),
      1e-15);
}

TEST(EdgeValues, GlobalOutputsAmongPerRowOnes_AreRepeatedForEveryRow) {
  const Columns c;
  const auto a = parameter_leaf("a", Shape{2}, 0);
  const std::vector<Expression> outputs{exp(a), c.x, constant({3.0})};
  const auto table = table_of(20);
  const TableData data(table, outputs);
  BackendOptions options;
  const auto executor = executor_for(outputs, data, at({0.0, 1.0}), options);
  RowCollector collector({2, 1, 1}, table.rows);
  executor->run_rows(data.batch(), collector);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(collector.collected()[0][2 * i], 1.0);
    EXPECT_NEAR(collector.collected()[0][2 * i + 1], std::exp(1.0), 1e-15);
    EXPECT_EQ(collector.collected()[1][i], table.reals.at("x")[i]);
    EXPECT_EQ(collector.collected()[2][i], 3.0);
  }
}

TEST(EdgeValues, UniformWeight_IsEveryRowsWeight) {
  const Columns c;
  auto table = table_of(50);
  table.weights.assign(50, 2.5);
  const std::vector<Expression> outputs{row_sum(row_weight() * c.x)};
  const auto expected = evaluate_planned(outputs, table, at({}));
  table.weights.clear();
  const TableData data(table, outputs);
  const auto executor = executor_for(outputs, data, at({}), {});
  RowBatch batch = data.batch();
  batch.uniform_weight = 2.5;
  double value = 0;
  executor->run(batch, {&value, 1});
  EXPECT_EQ(value, expected[0][0]);
}

TEST(EdgeValues, CentreAndDirection_AreReadWhereSet) {
  const Columns c;
  const auto here = parameter_leaf("a", Shape{}, 0), centre = parameter_leaf("a", Shape{}, 0, Point::centre);
  const auto direction = parameter_leaf("a", Shape{}, 0, Point::direction);
  const std::vector<Expression> outputs{exp(centre) + row_sum(c.x * exp(centre)), row_sum(exp(here * c.x)) * direction};
  const auto table = table_of(20);
  const TableData data(table, outputs);
  ParameterVectors<double> point{{0.5}, {0.25}, {2.0}};
  const auto executor = executor_for(outputs, data, point, {});
  std::vector<double> values(2);
  for (const double moved : {0.25, -1.0, 3.0}) {
    point.centre[0] = moved;
    executor->set_point(Point::centre, point.centre);
    executor->run(data.batch(), values);
    const auto expected = reference::evaluate_naively(outputs, table, point);
    EXPECT_NEAR(values[0], expected[0][0], 1e-13 * std::abs(expected[0][0]));
    EXPECT_NEAR(values[1], expected[1][0], 1e-13 * std::abs(expected[1][0]));
  }
}

}  // namespace
}  // namespace sgmcmc::testing
