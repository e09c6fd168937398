// Data simulated given parameters: which are drawn, for all rows or some, and errors.
#include "stan/forward/replicate.hpp"

#include "errors/message_of.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sgmcmc::stan {
namespace {

using Row = std::vector<double>;

DataVariables rows_of(const Row& x, const Row& y) {
  DataVariables data;
  const auto size = static_cast<std::int64_t>(x.size());
  data.by_name["N"] = {DataArray::scalar(static_cast<std::int32_t>(x.size())), "test"};
  data.by_name["x"] = {DataArray::copy_of(x, {size}), "test"};
  data.by_name["y"] = {DataArray::copy_of(y, {size}), "test"};
  return data;
}

/// A replicator at fixed parameters.
Replicator replicator(const std::string& text, const DataVariables& data, const Row& draw, const std::string& rows = "",
                      std::size_t most = 100) {
  return {read_model_text("m.stan", text), data, [&](const auto&) { return draw; }, rows, most};
}

std::string refusal(const std::string& text, const DataVariables& data, const Row& draw) {
  return sgmcmc::testing::message_of<Error>([&] { replicator(text, data, draw); });
}

const std::string line =
    "data { int N; vector[N] x; vector[N] y; } parameters { real beta; real<lower=0> sigma; } "
    "model { beta ~ normal(0, 1); sigma ~ normal(0, 1); y ~ normal(x * beta, sigma); }";

TEST(Replicate, GivenParameters_TheirPriorsPlayNoPart) {
  const Replicator drawer = replicator(line, rows_of({1, 2, 3}, {5, 5, 5}), {200, 1e-9});
  EXPECT_EQ(drawer.parameters(), (std::vector<std::string>{"beta", "sigma"}));
  ASSERT_EQ(drawer.outcomes().size(), 1u);
  EXPECT_EQ(drawer.outcomes()[0].name, "y");
  EXPECT_EQ(drawer.outcomes()[0].observed, (Row{5, 5, 5}));
  const auto made = drawer.draw({200, 1e-9}, 1, 0);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(made[0][k], 200.0 * static_cast<double>(k + 1), 1e-6);
}

TEST(Replicate, Replications_HaveTheLawOfTheData) {
  const Replicator drawer = replicator(line, rows_of({1}, {0}), {2, 3});
  Row values, squares;
  for (std::uint64_t r = 0; r < 4000; ++r) {
    values.push_back(drawer.draw({2, 3}, 1, r)[0][0]);
    squares.push_back((values.back() - 2) * (values.back() - 2));
  }
  const double limit = sgmcmc::testing::z_threshold(1e-4, 2);
  const auto mean = sgmcmc::testing::mean_of_replicates(values), square = sgmcmc::testing::mean_of_replicates(squares);
  EXPECT_LT(std::abs(mean.value - 2), limit * mean.standard_error);
  EXPECT_LT(std::abs(square.value - 9), limit * square.standard_error);
  EXPECT_EQ(drawer.draw({2, 3}, 1, 5), drawer.draw({2, 3}, 1, 5));
}

TEST(Replicate, ManyRows_AreThinnedTogetherWithTransformedData) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } transformed data { vector[N] z = x - mean(x); } "
      "parameters { real beta; } transformed parameters { vector[N] mu = beta * z; } "
      "model { beta ~ normal(0, 1); for (n in 1:N) y[n] ~ normal(mu[n], 1e-9); }";
  Row x, y;
  for (int n = 0; n < 1000; ++n) x.push_back(n);
  for (const double each : x) y.push_back(2 * (each - 499.5));
  const Replicator drawer = replicator(text, rows_of(x, y), {2}, "N", 50);
  const auto& outcome = drawer.outcomes().at(0);
  EXPECT_EQ(outcome.elements, 1000u);
  ASSERT_EQ(outcome.observed.size(), 50u);
  EXPECT_TRUE(std::is_sorted(outcome.observed.begin(), outcome.observed.end()));
  EXPECT_EQ(std::set<double>(outcome.observed.begin(), outcome.observed.end()).size(), 50u);
  EXPECT_LT(outcome.observed.front(), y[200]);  // chosen from all rows
  EXPECT_GT(outcome.observed.back(), y[799]);
  const auto made = drawer.draw({2}, 1, 0)[0];
  for (std::size_t k = 0; k < 50; ++k) EXPECT_NEAR(made[k], outcome.observed[k], 1e-6);
}

TEST(Replicate, RowsThatTheModelCountsInNumbers_AreNotThinned) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } parameters { real beta; } "
      "model { y ~ normal(x * beta, 1.0 / N); }";
  const Row many(300, 1.0);
  EXPECT_EQ(replicator(text, rows_of(many, many), {1}, "N", 50).outcomes()[0].observed.size(), 300u);
}

TEST(Replicate, RowsOfASparseMatrix_AreChosenBeforeItIsWrittenOut) {
  const std::string text =
      "data { int N; matrix[N, 100000] x; vector[N] y; } parameters { vector[100000] beta; } "
      "model { y ~ normal(x * beta, 1e-9); }";
  constexpr std::size_t rows = 2000, columns = 100000;  // 200 million numbers
  GrowingMemory<std::int64_t> start;
  GrowingMemory<std::int32_t> column;
  GrowingMemory<double> value;
  start.resize(rows + 1);
  column.resize(rows);
  value.resize(rows);
  for (std::size_t n = 0; n < rows; ++n) {
    start.data()[n] = static_cast<std::int64_t>(n);
    column.data()[n] = static_cast<std::int32_t>(n);
    value.data()[n] = 3;
  }
  start.data()[rows] = rows;
  DataVariables data;
  data.by_name["N"] = {DataArray::scalar(std::int32_t{rows}), "test"};
  data.by_name["x"] = {DataArray(std::move(start), std::move(column), std::move(value), columns), "test"};
  Row y, beta(columns);
  for (std::size_t n = 0; n < rows; ++n) y.push_back(3 * (beta[n] = static_cast<double>(n)));
  data.by_name["y"] = {DataArray::copy_of(y, {rows}), "test"};
  const Replicator drawer = replicator(text, data, beta, "N", 10);
  const auto made = drawer.draw(beta, 1, 0)[0];
  ASSERT_EQ(made.size(), 10u);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(made[k], drawer.outcomes()[0].observed[k], 1e-6);
}

TEST(Replicate, ManyElementsThatCannotBeLeftOut_AreRefusedBeforeTheModelRuns) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } parameters { real beta; } "
      "model { y ~ normal(x * beta, 1.0 / N); }";
  const Row many(300, 1.0);
  const auto never = [](const auto&) -> Row { throw DataError("the model was run"); };
  EXPECT_EQ(sgmcmc::testing::message_of<Error>(
                [&] { Replicator(read_model_text("m.stan", text), rows_of(many, many), never, "N", 50, 200); }),
            "'y' has 300 elements, and the model does not allow to draw the data of some rows only");
}

TEST(Replicate, ASeries_IsDrawnFromItsFirstElementOn) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } parameters { real phi; } "
      "model { phi ~ normal(0, 1); y[2:N] ~ normal(phi * y[1:(N - 1)], 1e-9); }";
  const Replicator drawer = replicator(text, rows_of({0, 0, 0}, {1, 7, 7}), {0.5});
  EXPECT_EQ(drawer.outcomes()[0].observed, (Row{7, 7}));
  const auto made = drawer.draw({0.5}, 1, 0)[0];
  EXPECT_NEAR(made[0], 0.5, 1e-6);
  EXPECT_NEAR(made[1], 0.25, 1e-6);
}

TEST(Replicate, AStandardisedOutcome_IsReplicatedAsSuch) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } transformed data { vector[N] s = (y - mean(y)) / sd(y); } "
      "parameters { real mu; } model { s ~ normal(mu, 1e-9); }";
  const Replicator drawer = replicator(text, rows_of({0, 0}, {1, 3}), {4});
  EXPECT_EQ(drawer.outcomes()[0].name, "s");
  EXPECT_NEAR(drawer.draw({4}, 1, 0)[0][0], 4, 1e-6);
}

TEST(Replicate, AnUndrawablePrior_DoesNotMatter) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } parameters { real<lower=0> s; } "
      "model { target += -log(s); target += normal_lpdf(y | 0, s); }";
  EXPECT_EQ(replicator(text, rows_of({0, 0}, {1, 3}), {4}).outcomes().size(), 1u);
}

TEST(Replicate, AnUndrawableLikelihood_IsRefused) {
  const std::string text =
      "data { int N; vector[N] x; vector[N] y; } parameters { real<lower=0> s; } "
      "model { s ~ normal(0, 1); for (n in 1:N) target += log_mix(0.3, normal_lpdf(y[n] | 0, s), normal_lpdf(y[n] | 1, "
      "s)); }";
  EXPECT_NE(refusal(text, rows_of({0, 0}, {1, 3}), {4}).find("this adds to the log density without saying how to draw"),
            std::string::npos);
}

TEST(Replicate, AModelWithoutData_HasNoOutcomes) {
  EXPECT_TRUE(replicator("parameters { real mu; } model { mu ~ normal(0, 1); }", {}, {1}).outcomes().empty());
}

}  // namespace
}  // namespace sgmcmc::stan
