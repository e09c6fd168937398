// Averages over held-out rows, and errors for unsuitable data sets.
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

TEST(RowAverage, LogLossOnOtherRows_IsTheSumByHand) {
  Model model = logistic_regression(LogisticData(100, 2));
  const LogisticData held_out(5000, 2);
  RowAverage loss(model, model.row_log_likelihood(), held_out.dataset());
  for (const Vector& theta : {Vector{0.3, -0.8}, Vector{-1.0, 0.2}}) {
    double sum = 0.0;
    for (std::size_t i = 0; i < held_out.rows; ++i) {
      const double eta = theta[0] * held_out.x[2 * i] + theta[1] * held_out.x[2 * i + 1];
      sum += held_out.y[i] * eta - std::log1p(std::exp(eta));
    }
    EXPECT_NEAR(loss.at(theta), sum / 5000, 1e-12);
  }
}

TEST(RowAverage, WhatCannotBeAveraged_IsRefused) {
  Model model = logistic_regression(LogisticData(100, 2));
  const auto data = LogisticData(10, 2).dataset();
  const auto beta = model.parameters()[0].value;
  EXPECT_THROW(RowAverage(model, sum(beta), data), ModelError) << "no row data in it";
  EXPECT_THROW(RowAverage(model, Expression(), data), ModelError);
  EXPECT_THROW(RowAverage(model, beta * model.row("x"), data), ShapeError) << "not a scalar";
  EXPECT_THROW(RowAverage(model, model.row_log_likelihood(), Dataset()), DataError) << "no rows";
}

TEST(RowAverage, DataOfAnotherForm_AreRefusedWithTheColumn) {
  Model model = logistic_regression(LogisticData(100, 2));
  const auto complaint = [&](const Dataset& data) -> std::string {
    try {
      RowAverage average(model, model.row_log_likelihood(), data);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no complaint";
  };
  const Vector x(20, 1.0), y(10, 1.0);
  const std::vector<std::int32_t> labels(10, 1);
  EXPECT_NE(complaint(LogisticData(10, 3).dataset()).find("'x' has row shape [3]"), std::string::npos);
  EXPECT_NE(complaint(Dataset::Builder().real("x", x, {2}).real("y", y).build()).find("'y'"), std::string::npos);
  EXPECT_NE(complaint(Dataset::Builder().integer("y", labels).build()).find("'x'"), std::string::npos);
}

TEST(RowAverage, IndexBeyondItsTable_IsRefused) {
  const std::vector<std::int32_t> group{0, 1, 2, 1}, beyond{0, 1, 3};
  Model model(Dataset::Builder().integer("group", group).build());
  const auto effect = model.parameter("effect", {3});
  model.prior(std_normal_lpdf(effect));
  const auto value = gather(effect, model.row("group"));
  model.likelihood(std_normal_lpdf(value));
  EXPECT_NEAR(RowAverage(model, value, model.data()).at(Vector{1.0, 2.0, 4.0}), 9.0 / 4.0, 1e-14);
  EXPECT_THROW(RowAverage(model, value, Dataset::Builder().integer("group", beyond).build()), DataError);
}

}  // namespace
}  // namespace sgmcmc::testing
