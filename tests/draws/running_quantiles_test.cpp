// Quantiles from one pass against those of sorted values: smooth, skewed, discrete and constant columns, weights,
// several parts, and states that are saved and restored.
#include "draws/running_quantiles.hpp"

#include "base/state_bytes.hpp"

#include <sgmcmc/draws.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::array probabilities = {0.05, 0.5, 0.95};

/// Standard normal numbers.
std::vector<double> normal_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<double> z(count);
  fill_normal({seed, 0, 0, Purpose::noise}, z);
  return z;
}

/// Parts, as the chains of a run, and all of their values.
struct Parts {
  std::vector<RunningQuantiles> digests;
  MemoryDraws values;

  Parts(
      std::size_t parts, std::size_t draws, const std::function<double(double z)>& value,
      const std::function<double(std::size_t draw)>& weight = [](std::size_t) { return 1.0; })
      : digests(parts, RunningQuantiles(1)) {
    values.begin(std::vector<std::string>{"x"}, parts, draws);
    for (std::size_t part = 0; part < parts; ++part) {
      const auto z = normal_numbers(draws, 1 + part);
      for (std::size_t k = 0; k < draws; ++k) {
        const std::array x = {value(z[k])};
        digests[part].add(x, weight(k));
        values.write(part, x, weight(k));
      }
    }
  }
  std::vector<double> estimates() const { return pooled_quantiles(digests, 0, probabilities); }
  std::vector<double> exact() const { return values.quantiles(0, probabilities); }
};

void expect_close(const Parts& parts, double tolerance) {
  const auto found = parts.estimates(), exact = parts.exact();
  const double sd = parts.values.standard_deviation(0);
  for (std::size_t k = 0; k < probabilities.size(); ++k)
    EXPECT_NEAR(found[k], exact[k], tolerance * sd) << "at " << probabilities[k];
}

double exponential(double z) { return -std::log(0.5 * std::erfc(z / std::sqrt(2.0))); }

TEST(RunningQuantiles, NormalColumn_IsWithinFiveHundredthsOfAnSd) {
  for (const std::size_t draws : {1'000u, 20'000u}) {
    expect_close(Parts(1, draws, [](double z) { return z; }), 0.05);
    expect_close(Parts(4, draws, [](double z) { return 5 + 1e-3 * z; }), 0.03);
  }
}

TEST(RunningQuantiles, ExponentialColumn_IsWithinFiveHundredthsOfAnSd) {
  expect_close(Parts(1, 20'000, exponential), 0.05);
  expect_close(Parts(4, 1'000, exponential), 0.05);
}

TEST(RunningQuantiles, DiscreteColumn_HasWholeQuantiles) {
  const Parts parts(4, 5'000, [](double z) { return std::round(3 * z); });
  EXPECT_EQ(parts.estimates(), parts.exact());
  const Parts two(2, 5'000, [](double z) { return z > 1.0 ? 1.0 : 0.0; });
  EXPECT_EQ(two.estimates(), (std::vector<double>{0.0, 0.0, 1.0}));
}

TEST(RunningQuantiles, ConstantColumn_IsItself) {
  const Parts parts(3, 1'000, [](double) { return 0.1; });
  EXPECT_EQ(parts.estimates(), (std::vector<double>{0.1, 0.1, 0.1}));
}

TEST(RunningQuantiles, FewDraws_AreExact) {
  for (const std::size_t draws : {1u, 2u, 7u, 32u}) {
    const Parts parts(3, draws, [](double z) { return z; });
    const auto found = parts.estimates(), exact = parts.exact();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], exact[k], 1e-12) << draws;
  }
}

TEST(RunningQuantiles, NoDraws_AreNoNumber) {
  const std::vector<RunningQuantiles> none(2, RunningQuantiles(1));
  EXPECT_TRUE(std::isnan(pooled_quantiles(none, 0, probabilities)[1]));
}

TEST(RunningQuantiles, WeightedDraws_AreWithinThreeHundredthsOfAnSd) {
  expect_close(Parts(
                   2, 20'000, [](double z) { return z; },
                   [](std::size_t draw) { return std::pow(1.0 + static_cast<double>(draw), -0.3); }),
               0.03);
}

// A chain that drifts from one end to the other: values arrive in sorted order.
TEST(RunningQuantiles, SortedValues_AreWithinThreeHundredthsOfAnSd) {
  for (const double sign : {1.0, -1.0}) {
    std::vector<RunningQuantiles> digest(1, RunningQuantiles(1));
    for (int k = 0; k <= 10'000; ++k) digest[0].add(std::array{sign * k / 10'000.0});
    const auto found = pooled_quantiles(digest, 0, probabilities);
    const double sd = 1 / std::sqrt(12.0);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(found[k], sign > 0 ? probabilities[k] : probabilities[k] - 1, 0.03 * sd);
  }
}

TEST(RunningQuantiles, PartsInDifferentPlaces_ArePooled) {
  std::vector<RunningQuantiles> digests(2, RunningQuantiles(1));
  const auto z = normal_numbers(20'000, 9);
  for (std::size_t k = 0; k < z.size(); ++k) digests[k % 2].add(std::array{z[k] + (k % 2 == 0 ? -10.0 : 10.0)});
  const auto found = pooled_quantiles(digests, 0, probabilities);
  EXPECT_NEAR(found[0], -10 - 1.2816, 0.06);  // a tenth of the lower part
  EXPECT_NEAR(found[2], 10 + 1.2816, 0.06);
}

TEST(RunningQuantiles, SavedAndRestored_GoesOnAsIfNothingHadHappened) {
  const auto z = normal_numbers(4'000, 4);
  const auto add = [&](RunningQuantiles& to, std::size_t from, std::size_t until) {
    for (std::size_t k = from; k < until; k += 2) to.add(std::span(z).subspan(k, 2), 1.0 + 0.1 * z[k] * z[k]);
  };
  RunningQuantiles undisturbed(2), before(2), after(2);
  add(undisturbed, 0, z.size());
  add(before, 0, 1'234);
  StateWriter writer;
  before.visit_state(writer);
  const std::string bytes = writer.take();
  StateReader reader(bytes);
  after.visit_state(reader);
  reader.finish();
  add(after, 1'234, z.size());
  for (std::size_t column = 0; column < 2; ++column)
    EXPECT_EQ(pooled_quantiles({&after, 1}, column, probabilities),
              pooled_quantiles({&undisturbed, 1}, column, probabilities));
}

}  // namespace
}  // namespace sgmcmc
