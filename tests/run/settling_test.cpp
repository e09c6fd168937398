// Burn-in detection: distinguishes drifting chains from settled ones.
#include "chains/settling.hpp"

#include "base/state_bytes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sgmcmc {
namespace {

/// A standard normal autoregressive chain with the given autocorrelation time, starting at `start`.
class Autoregression {
 public:
  Autoregression(std::size_t dimension, double time, double start, unsigned seed)
      : keep_(std::exp(-1.0 / time)), x_(dimension, start), random_(seed) {}
  const std::vector<double>& step() {
    for (double& x : x_) x = keep_ * x + std::sqrt(1 - keep_ * keep_) * normal_(random_);
    return x_;
  }

 private:
  double keep_;
  std::vector<double> x_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/// Returns the number of warm-up iterations.
std::uint64_t settle(Settling& settling, Autoregression chain) {
  for (std::uint64_t i = 1; !settling.over(); ++i) settling.see(i, chain.step());
  return settling.iterations();
}

TEST(Settling, AChainThatStartsInItsLaw_DropsTheFirstWindowOnly) {
  int longer = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Settling settling(20, 10'000);
    longer += settle(settling, {20, 2.0, 0.0, seed}) > 200;
    EXPECT_TRUE(settling.settled());
  }
  EXPECT_LE(longer, 5);
}

TEST(Settling, AChainFarAway_DropsTheWayToItsLaw) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Settling settling(3, 20'000);
    const auto warmup = settle(settling, {3, 100.0, 1e4, seed});
    EXPECT_TRUE(settling.settled());
    // A fraction exp(-iterations / 100) of the distance remains: less than a tenth of an sd after 1150 iterations.
    EXPECT_GE(warmup, 1150U) << seed;
    EXPECT_LE(warmup, 8'000U) << seed;
  }
}

TEST(Settling, AChainThatNeverArrives_IsToldSo) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Settling settling(2, 5'000);
    EXPECT_EQ(settle(settling, {2, 1e5, 100.0, seed}), 3'200U);
    EXPECT_FALSE(settling.settled());
  }
}

TEST(Settling, OneCoordinateOfManyThatDrifts_IsEnough) {
  Settling settling(1'000, 2'000);
  Autoregression rest(1'000, 2.0, 0.0, 3);
  for (std::uint64_t i = 1; !settling.over(); ++i) {
    auto x = rest.step();
    x[995] = 0.01 * static_cast<double>(i);  // the 200th of the coordinates that are checked
    settling.see(i, x);
  }
  EXPECT_FALSE(settling.settled());
}

TEST(Settling, SavedInTheMiddle_GoesOnAsItWas) {
  Settling whole(3, 4'000), first(3, 4'000);
  Autoregression chain(3, 60.0, 500.0, 7);
  std::uint64_t i = 0;
  for (; i < 333; ++i) {
    const auto& x = chain.step();
    whole.see(i + 1, x);
    first.see(i + 1, x);
  }
  StateWriter writer;
  first.visit_state(writer);
  Settling second(3, 4'000);
  const std::string saved = writer.take();
  StateReader reader(saved);
  second.visit_state(reader);
  reader.finish();
  while (!whole.over()) {
    const auto& x = chain.step();
    ++i;
    whole.see(i, x);
    second.see(i, x);
    ASSERT_EQ(whole.over(), second.over()) << i;
  }
  EXPECT_EQ(whole.iterations(), second.iterations());
  EXPECT_EQ(whole.settled(), second.settled());
}

}  // namespace
}  // namespace sgmcmc
