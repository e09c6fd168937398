// Tests of the alias table: its probabilities are those requested, and draws follow them.
#include "minibatch/alias_table.hpp"
#include "minibatch/chi_square.hpp"

#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace sgmcmc {
namespace {

std::vector<double> normalised(std::vector<double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
  return values;
}

// From 1e-12 to 1, in an order without pattern.
std::vector<double> spread() {
  std::vector<double> values;
  for (int k = 0; k <= 48; ++k) values.push_back(std::pow(10.0, -0.25 * ((k * 20) % 49)));
  return values;
}

std::vector<double> stated_law(const AliasTable& table) {
  const AlignedBuffer<double> law = table.probabilities();
  return {law.begin(), law.end()};
}

// The distribution of pick(), found by bisection on the second uniform within each cell.
std::vector<double> law_of(const AliasTable& table) {
  const std::size_t size = table.size();
  std::vector<double> law(size, 0.0);
  for (std::size_t cell = 0; cell < size; ++cell) {
    const double inside = (static_cast<double>(cell) + 0.5) / static_cast<double>(size);
    const std::uint32_t first = table.pick(inside, 0x1p-53), second = table.pick(inside, 1 - 0x1p-53);
    std::uint64_t low = 0, high = std::uint64_t{1} << 52;  // of the 2^52 uniforms, how many give `first`
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      const double uniform = (static_cast<double>(middle) + 0.5) * 0x1p-52;
      if (first != second && table.pick(inside, uniform) == second) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    law[first] += static_cast<double>(low) * 0x1p-52 / static_cast<double>(size);
    law[second] += (1 - static_cast<double>(low) * 0x1p-52) / static_cast<double>(size);
  }
  return law;
}

TEST(AliasTable, Law_IsExactlyTheOneItStates) {
  for (const std::vector<double>& asked :
       {spread(), std::vector<double>(10, 3.0), std::vector<double>{1e-30, 1.0, 1e-3}}) {
    const AliasTable table(asked);
    const std::vector<double> law = law_of(table), stated = stated_law(table);
    for (std::size_t row = 0; row < asked.size(); ++row) {
      EXPECT_GT(stated[row], 0);
      EXPECT_NEAR(law[row] / stated[row], 1, 1e-14) << row;
    }
  }
}

TEST(AliasTable, Law_IsTheOneAskedForUpToRounding) {
  const std::vector<double> asked = normalised(spread()), found = stated_law(AliasTable(spread()));
  for (std::size_t row = 0; row < asked.size(); ++row) EXPECT_NEAR(found[row] / asked[row], 1, 1e-5) << row;
  EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1, 1e-14);
}

TEST(AliasTable, AnyScale_GivesTheSameTable) {
  std::vector<double> tiny = spread(), huge = spread();
  for (double& value : tiny) value *= 0x1p-900;
  for (double& value : huge) value *= 0x1p1023;
  EXPECT_EQ(stated_law(AliasTable(tiny)), stated_law(AliasTable(spread())));
  EXPECT_EQ(stated_law(AliasTable(huge)), stated_law(AliasTable(spread())));
}

TEST(AliasTable, ManyRows_KeepEveryProbabilityWithinRounding) {
  std::vector<double> asked(300'000);
  for (std::size_t row = 0; row < asked.size(); ++row) asked[row] = 1e-3 + static_cast<double>(row * 7919 % 1000);
  const std::vector<double> found = stated_law(AliasTable(asked));
  asked = normalised(asked);
  double worst = 0;
  for (std::size_t row = 0; row < asked.size(); ++row) worst = std::max(worst, std::abs(found[row] / asked[row] - 1));
  EXPECT_LT(worst, 1e-3);
}

TEST(AliasTable, Draws_FollowTheProbabilities) {
  std::vector<double> asked;
  for (int k = 0; k < 30; ++k) asked.push_back(std::pow(10.0, -0.1 * ((k * 11) % 30)));
  const AliasTable table(asked);
  std::vector<double> uniforms(2'000'000);
  fill_uniform({7, 0, 0, Purpose::minibatch}, uniforms);
  std::vector<std::uint64_t> counts(asked.size(), 0);
  for (std::size_t k = 0; k < uniforms.size(); k += 2) ++counts[table.pick(uniforms[k], uniforms[k + 1])];
  EXPECT_GT(fit_p_value(counts, normalised(asked)), false_alarm);
  // Mutant: the law of a table in which one row has 2 % too much.
  std::vector<double> wrong = asked;
  wrong[0] *= 1.02;
  EXPECT_LT(fit_p_value(counts, normalised(wrong)), false_alarm);
}

}  // namespace
}  // namespace sgmcmc
