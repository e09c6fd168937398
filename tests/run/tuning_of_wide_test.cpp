// Models with hundreds of coordinates, and those with rows summed once: the choice of auto, and its accuracy.
#include "tune/tuning_of_wide.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::testing {
namespace {

std::vector<double> uniforms(std::size_t count, std::uint64_t which) {
  std::vector<double> x(count);
  fill_uniform({7, 0, which, Purpose::data}, x);
  return x;
}

SampleOptions automatic() {
  SampleOptions options;
  options.method("auto");
  options.chains = 2;
  return options;
}

/// Logistic regression with five features per row, most of them rare. Some features are in no row: their posterior is
/// the prior.
struct SparseRegression {
  static constexpr std::size_t rows = 8000, features = 700, seen = 690, per_row = 5;
  std::vector<std::int64_t> starts = {0};
  std::vector<std::int32_t> columns, hit;
  std::vector<double> values;

  SparseRegression() {
    const auto pick = uniforms(rows * per_row, 1), chance = uniforms(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) {
      double predictor = 0;
      for (std::size_t k = 0; k < per_row; ++k) {
        const double u = pick[i * per_row + k];
        const auto column = static_cast<std::int32_t>(std::pow(static_cast<double>(seen), u) - 0.5);
        columns.push_back(column);
        values.push_back(1.0);
        predictor += std::sin(column);
      }
      starts.push_back(static_cast<std::int64_t>(columns.size()));
      hit.push_back(chance[i] < 1 / (1 + std::exp(-predictor)));
    }
  }
  Model model() const {
    SparseRows sparse;
    sparse.columns = static_cast<std::int64_t>(features);
    sparse.row_start = starts;
    sparse.column = columns;
    sparse.value = values;
    Model made(Dataset::Builder().sparse("x", sparse).integer("hit", hit).build());
    const auto beta = made.parameter("beta", {static_cast<std::int64_t>(features)});
    made.prior(normal_lpdf(beta, 0.0, 1.0));
    made.likelihood(bernoulli_logit_lpmf(made.row("hit"), dot(made.row("x"), beta)));
    return made;
  }
};

TEST(TuningOfWide, SparseRegression_TakesTrajectoriesOverAllRows) {
  const Model model = SparseRegression().model();
  auto options = automatic();
  options.method("auto");
  const auto tuned = tune_wide(model, options, {}, true);
  ASSERT_TRUE(tuned);
  EXPECT_EQ(sampler_name(tuned->options.sampler), "hmc");
  const auto result = sample(model, tuned->options);
  // Features in no row: the draws follow the prior, within 5 Monte Carlo errors.
  for (std::size_t c = SparseRegression::seen + 1; c < SparseRegression::features; ++c) {
    const auto summary = summarise(QuantityDraws(result.draws, c));
    EXPECT_LT(std::abs(summary.mean), 5 * summary.mcse_mean) << c;
    EXPECT_NEAR(summary.standard_deviation, 1.0, 0.2) << c;
  }
}

TEST(TuningOfWide, SymmetricModes_AreLeftToOthers) {
  // y = a_i b_j + noise: (-a, -b) fits equally well.
  constexpr std::size_t rows = 4000, levels = 300;
  const auto u = uniforms(2 * rows, 3);
  std::vector<std::int32_t> i(rows), j(rows);
  std::vector<double> y(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    i[k] = static_cast<std::int32_t>(u[2 * k] * levels);
    j[k] = static_cast<std::int32_t>(u[2 * k + 1] * levels);
    y[k] = (1 + std::sin(i[k])) * (1 + std::cos(j[k]));
  }
  Model model(Dataset::Builder().real("y", y).integer("i", i).integer("j", j).build());
  const auto a = model.parameter("a", {levels}), b = model.parameter("b", {levels});
  model.prior(normal_lpdf(a, 0.0, 1.0) + normal_lpdf(b, 0.0, 1.0));
  model.likelihood(normal_lpdf(model.row("y"), gather(a, model.row("i")) * gather(b, model.row("j")), 0.3));
  EXPECT_FALSE(tune_wide(model, automatic(), {}, true));
}

TEST(TuningOfWide, FewCoordinates_AreLeftToOthers) {
  Model model(Dataset::Builder().real("y", uniforms(100, 4)).build());
  const auto mu = model.parameter("mu");
  model.likelihood(normal_lpdf(model.row("y"), mu, 1.0));
  EXPECT_FALSE(tune_wide(model, automatic(), {}, true));
}

TEST(Tuning, NormalRegressionOfManyRows_TakesNutsFromSumsOverThem) {
  constexpr std::size_t rows = 200'000;
  const auto x = uniforms(rows, 5), noise = uniforms(rows, 6);
  std::vector<double> y(rows);
  for (std::size_t k = 0; k < rows; ++k) y[k] = 1 + 2 * x[k] + noise[k] - 0.5;
  Model model(Dataset::Builder().real("y", y).real("x", x).build());
  const auto a = model.parameter("a"), b = model.parameter("b");
  const auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  model.likelihood(normal_lpdf(model.row("y"), a + b * model.row("x"), sigma));
  const auto result = sample(model, automatic());
  ASSERT_TRUE(result.tuning);
  EXPECT_EQ(result.tuning->why.substr(0, 4), "nuts") << result.tuning->why;
  // sd of b: sigma / sqrt(n var(x)) = 1 / sqrt(n).
  EXPECT_NEAR(result.draws.standard_deviation(1) * std::sqrt(static_cast<double>(rows)), 1.0, 0.1);
  EXPECT_NEAR(result.draws.mean(2), std::sqrt(1.0 / 12), 0.005);
}

TEST(Tuning, NormalRegressionWithColumnsOfAllSizes_HasTheRightScales) {
  // The mode search must scale steps by the curvature: from a random start, steps that suit the column of size 1e6
  // never move the other coefficient.
  constexpr std::size_t rows = 30'000;
  const auto u = uniforms(2 * rows, 8), noise = uniforms(rows, 9);
  std::vector<double> x(2 * rows), y(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    x[2 * k] = 1e6 * (u[2 * k] - 0.5);
    x[2 * k + 1] = 1e-6 * (u[2 * k + 1] - 0.5);
    y[k] = 1 + 3e-6 * x[2 * k] + 2e6 * x[2 * k + 1] + noise[k] - 0.5;
  }
  Model model(Dataset::Builder().real("y", y).real("x", x, Shape{2}).build());
  const auto a = model.parameter("a"), b = model.parameter("b", {2});
  const auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  model.likelihood(normal_lpdf(model.row("y"), a + dot(model.row("x"), b), sigma));
  const auto result = sample(model, automatic());
  const double unit = 1 / std::sqrt(static_cast<double>(rows));  // the sds of noise and columns cancel
  EXPECT_NEAR(result.draws.standard_deviation(1) / (1e-6 * unit), 1.0, 0.15);
  EXPECT_NEAR(result.draws.standard_deviation(2) / (1e6 * unit), 1.0, 0.15);
  EXPECT_NEAR(result.draws.mean(1), 3e-6, 5e-6 * unit);
  EXPECT_NEAR(result.draws.mean(2), 2e6, 5e6 * unit);
}

}  // namespace
}  // namespace sgmcmc::testing
