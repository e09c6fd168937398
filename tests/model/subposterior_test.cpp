// Subposteriors: their product is the posterior, exactly, at every point.
#include "data/select_rows.hpp"
#include "data/store.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/subposterior.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace sgmcmc::subposterior_test {
namespace {

std::vector<double> at(const Model& model, std::span<const double> theta) {
  const LogPosterior posterior(model);
  const auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
  std::vector<double> both(theta.size() + 1);
  executor->set_point(Point::current, theta);
  executor->run(posterior.all_rows(), both);
  return both;
}

Model regression(std::int64_t rows) {
  std::vector<double> x(static_cast<std::size_t>(2 * rows)), y(static_cast<std::size_t>(rows));
  fill_normal({.seed = 1, .purpose = Purpose::data}, x);
  fill_normal({.seed = 2, .purpose = Purpose::data}, y);
  Model model(Dataset::Builder().real("x", x, {2}).real("y", y).build());
  auto beta = model.parameter("beta", {2});
  auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  auto share = model.parameter("share", {3}, Constraint::simplex());
  model.prior(normal_lpdf(beta, 0, 2));
  model.prior(exponential_lpdf(sigma, 1));
  model.prior(sum(2.0 * log(share)));
  model.likelihood(normal_lpdf(model.row("y"), dot(model.row("x"), beta), sigma));
  return model;
}

constexpr std::array point = {0.3, -0.7, 0.4, 0.2, -0.9};

TEST(Subposterior, Product_IsThePosterior) {
  const Model model = regression(103);
  const auto whole = at(model, point);
  for (const std::uint64_t parts : {1, 2, 20, 103}) {
    std::vector<double> sum(whole.size());
    for (std::uint64_t part = 1; part <= parts; ++part) {
      const auto own = at(subposterior(model, {part, parts}), point);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += own[k];
    }
    for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k], whole[k], 1e-9 * (1 + std::abs(whole[k])));
  }
}

TEST(Subposterior, WholeJacobiansInEveryPart_AreNotThePosterior) {
  // The planted mistake: the prior of the constrained parameters to the power 1/S, and Jacobians as they are.
  const Model model = regression(40);
  constexpr std::uint64_t parts = 4;
  double sum = 0;
  for (std::uint64_t part = 1; part <= parts; ++part) {
    const Model own = subposterior(model, {part, parts});
    sum += at(own.with_densities(0.25 * model.log_prior(), own.row_log_likelihood()), point)[0];
  }
  const double jacobian = at(model, point)[0] - at(model.without_jacobian(), point)[0];
  EXPECT_GT(std::abs(jacobian), 0.1);
  EXPECT_NEAR(sum - at(model, point)[0], (parts - 1) * jacobian, 1e-9);
}

TEST(Subposterior, Parts_ShareNoRowAndHaveThemAll) {
  for (const std::int64_t rows : {1, 7, 1000}) {
    const std::uint64_t parts = rows < 7 ? 1 : 7;
    std::set<std::uint32_t> seen;
    std::size_t least = 1000000, most = 0;
    for (std::uint64_t part = 1; part <= parts; ++part) {
      const auto own = rows_of_part(rows, {part, parts});
      EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
      for (const auto row : own) EXPECT_TRUE(seen.insert(row).second) << row;
      least = std::min(least, own.size());
      most = std::max(most, own.size());
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows));
    EXPECT_LE(most - least, 1U);
  }
}

TEST(Subposterior, Rows_AreDealtAtRandom) {
  // Data are often sorted: the mean of the rows of a part must be that of all, within 5 standard errors.
  constexpr std::int64_t rows = 100000;
  for (std::uint64_t part = 1; part <= 10; ++part) {
    const auto own = rows_of_part(rows, {part, 10});
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size());
    EXPECT_NEAR(mean, 49999.5, 5 * rows / std::sqrt(12.0 * static_cast<double>(own.size())));
  }
}

TEST(Subposterior, Seeds_DifferByPart) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (std::uint64_t part = 1; part <= 20; ++part) seeds.insert(seed_of_part(seed, {part, 20}));
  EXPECT_EQ(seeds.size(), 60U);
}

TEST(Subposterior, RowsOfTheCaller_AreThoseOfThePart) {
  struct Quadratic final : GivenLikelihood {
    double add(std::span<const double> values, std::span<const std::uint32_t> rows,
               std::span<double> gradient) const override {
      double sum = 0;
      for (const auto row : rows) {
        sum -= 0.5 * std::pow(values[0] - row, 2);
        gradient[0] -= values[0] - row;
      }
      return sum;
    }
  };
  Model model;
  model.prior(normal_lpdf(model.parameter("mu"), 0, 3));
  model.likelihood(std::make_shared<Quadratic>(), 11);
  const std::array here = {1.5};
  double sum = 0;
  for (std::uint64_t part = 1; part <= 3; ++part) sum += at(subposterior(model, {part, 3}), here)[0];
  EXPECT_NEAR(sum, at(model, here)[0], 1e-9);
}

TEST(Subposterior, WhatCannotBeDealt_IsRefused) {
  Model without;
  without.prior(normal_lpdf(without.parameter("mu"), 0, 1));
  EXPECT_THROW(subposterior(without, {1, 2}), OptionError);
  const Model model = regression(5);
  EXPECT_THROW(subposterior(model, {1, 6}), OptionError);
  EXPECT_THROW(subposterior(model, {0, 2}), OptionError);
  EXPECT_THROW(subposterior(model, {3, 2}), OptionError);
}

TEST(SelectRows, EveryKindOfColumn_KeepsItsRows) {
  const std::vector<double> real = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<std::int32_t> whole = {10, 11, 12, 13};
  const std::vector<std::int64_t> starts = {0, 1, 1, 3, 4};
  const std::vector<std::int32_t> columns = {2, 0, 1, 2};
  const std::vector<double> values = {5, 6, 7, 8};
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    const Dataset data = Dataset::Builder(precision)
                             .real("real", real, {2})
                             .integer("whole", whole)
                             .sparse("sparse", {starts, columns, values, 3})
                             .build();
    const std::array<std::uint32_t, 3> rows = {3, 2, 0};
    const Dataset some = select_rows(data, rows);
    ASSERT_EQ(some.rows(), 3);
    const auto& real_column = some.store().column("real");
    const double first = precision == Precision::float64 ? *reinterpret_cast<const double*>(real_column.row(0))
                                                         : *reinterpret_cast<const float*>(real_column.row(0));
    EXPECT_EQ(first, 6.0);
    EXPECT_EQ(*reinterpret_cast<const std::int32_t*>(some.store().column("whole").row(1)), 12);
    const auto& sparse = some.store().column("sparse");
    EXPECT_EQ(sparse.row_start[1], 1);
    EXPECT_EQ(sparse.row_start[2], 3);
    EXPECT_EQ(sparse.sparse_value[1], 6.0);
    EXPECT_EQ(sparse.sparse_column[2], 1);
  }
  const std::array<std::uint32_t, 1> absent = {4};
  EXPECT_THROW(select_rows(Dataset::Builder().real("real", real, {2}).build(), absent), DataError);
}

}  // namespace
}  // namespace sgmcmc::subposterior_test
