// Batches of draws: their lengths, the moments of halves, and states that are saved and restored.
#include "draws/batch_moments.hpp"

#include "base/state_bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

double value(std::size_t draw) { return std::sin(1.7 * static_cast<double>(draw)) + 1e-3 * static_cast<double>(draw); }

BatchMoments moments_of(std::size_t draws) {
  BatchMoments moments(2);
  for (std::size_t k = 0; k < draws; ++k) moments.add(std::array{value(k), -2 * value(k)}, 1.0 + 0.5 * (k % 3));
  return moments;
}

TEST(BatchMoments, ManyDraws_HaveFrom16To32BatchesOfOneLength) {
  for (const std::size_t draws : {1u, 5u, 32u, 33u, 64u, 65u, 1'000u, 4'097u}) {
    const BatchMoments moments = moments_of(draws);
    const auto& batches = moments.batches();
    EXPECT_EQ(moments.draws(), draws);
    EXPECT_LE(batches.size(), 32u);
    EXPECT_GE(batches.size(), std::min<std::size_t>(draws, 16));
    for (std::size_t k = 0; k + 1 < batches.size(); ++k) EXPECT_EQ(batches[k].count(), moments.batch_size());
    EXPECT_EQ(batches.back().count(), draws - (batches.size() - 1) * moments.batch_size());
  }
}

TEST(BatchMoments, BatchesTogether_AreTheMomentsOfAllDraws) {
  const BatchMoments moments = moments_of(1'001);
  RunningMoments sum(2), all(2);
  for (const auto& batch : moments.batches()) sum.merge(batch);
  for (std::size_t k = 0; k < 1'001; ++k) all.add(std::array{value(k), -2 * value(k)}, 1.0 + 0.5 * (k % 3));
  for (std::size_t column = 0; column < 2; ++column) {
    EXPECT_NEAR(sum.mean()[column], all.mean()[column], 1e-13);
    EXPECT_NEAR(sum.variance(column), all.variance(column), 1e-12);
  }
}

TEST(BatchMoments, Halves_AreThoseOfTheChain) {
  const BatchMoments moments = moments_of(1'024);
  RunningMoments first(2), second(2);
  for (std::size_t k = 0; k < 1'024; ++k)
    (k < 512 ? first : second).add(std::array{value(k), -2 * value(k)}, 1.0 + 0.5 * (k % 3));
  EXPECT_NEAR(moments.half(false).mean()[0], first.mean()[0], 1e-13);
  EXPECT_NEAR(moments.half(true).mean()[1], second.mean()[1], 1e-13);
  EXPECT_NEAR(moments.half(true).variance(0), second.variance(0), 1e-12);
  const BatchMoments odd = moments_of(1'000);  // batch 16 of 32 draws is in the middle
  EXPECT_EQ(odd.half(false).count(), 15u * 32);
  EXPECT_EQ(odd.half(true).count(), 1'000u - 16 * 32);
}

TEST(BatchMoments, SavedAndRestored_GoesOnAsIfNothingHadHappened) {
  for (const std::size_t at : {0u, 20u, 700u}) {
    BatchMoments before = moments_of(at), after(2);
    StateWriter writer;
    before.visit_state(writer);
    const std::string bytes = writer.take();
    StateReader reader(bytes);
    after.visit_state(reader);
    reader.finish();
    for (std::size_t k = at; k < 2'000; ++k) after.add(std::array{value(k), -2 * value(k)}, 1.0 + 0.5 * (k % 3));
    const BatchMoments undisturbed = moments_of(2'000);
    ASSERT_EQ(after.batches().size(), undisturbed.batches().size());
    for (std::size_t k = 0; k < after.batches().size(); ++k) {
      EXPECT_EQ(after.batches()[k].mean()[1], undisturbed.batches()[k].mean()[1]);
      EXPECT_EQ(after.batches()[k].variance(0), undisturbed.batches()[k].variance(0));
    }
  }
}

}  // namespace
}  // namespace sgmcmc
