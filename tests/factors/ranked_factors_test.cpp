// Factorisations on several ranks, simulated by threads: the same draws, checkpoints and errors as in one process.
#include "factors/ranked_factors.hpp"

#include "ranks/thread_ranks.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t users = 150, items = 70;

/// A factor and biases; some users and items have most of the ratings, the last ones none.
Ratings simulated() {
  std::vector<double> u(2 * users), v(2 * items), noise(users * items), uniforms(users * items);
  fill_normal({21, 0, 0, Purpose::data}, u);
  fill_normal({21, 0, 1, Purpose::data}, v);
  fill_normal({21, 0, 2, Purpose::data}, noise);
  fill_uniform({21, 0, 3, Purpose::data}, uniforms);
  Ratings::Builder builder(users, items);
  for (std::uint32_t i = 0; i < users; ++i)
    for (std::uint32_t j = 0; j < items; ++j) {
      const std::size_t pair = std::size_t{i} * items + j;
      if (uniforms[pair] > 0.6 - 0.5 * i / users || i + 3 > users || j + 2 > items) continue;
      builder.add(i, j, 3 + u[2 * i] * v[2 * j] + 0.4 * (u[2 * i + 1] + v[2 * j + 1]) + 0.5 * noise[pair]);
    }
  return builder.build();
}

FactorOptions options_for(const std::string& method) {
  FactorOptions options;
  set_factor_method(options, method);
  options.factors = 3;
  options.blocks = 5;
  options.shards = 7;
  options.iterations = method == "gibbs" ? 12 : 45;
  options.evaluate_every = 3;
  options.draws = 4;
  return options;
}

FactorResult factorize_over(int size, const Ratings& ratings, const FactorOptions& options,
                            const FactorFeatures& features = {}) {
  FactorResult result;
  run_as_ranks(size, [&](Communicator& ranks) {
    if (ranks.rank() == 0) {
      result = factorize_on_ranks(ratings, options, nullptr, features, &ranks);
    } else {
      serve_factor_chain(ranks);
    }
  });
  return result;
}

void expect_same(const FactorResult& one, const FactorResult& other, const std::string& what) {
  ASSERT_EQ(one.trace.size(), other.trace.size()) << what;
  for (std::size_t t = 0; t < one.trace.size(); ++t) {
    EXPECT_EQ(one.trace[t].rmse, other.trace[t].rmse) << what << ", evaluation " << t;
    const double a = one.trace[t].noise_precision, b = other.trace[t].noise_precision;
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << what << ", evaluation " << t;
  }
  EXPECT_EQ(one.limited_share, other.limited_share) << what;
  for (std::uint32_t u = 0; u < users; ++u)
    EXPECT_EQ(one.model.means(u), other.model.means(u)) << what << ", user " << u;
}

TEST(RankedFactors, AnyNumberOfRanks_GivesTheDrawsOfOneProcess) {
  const Ratings ratings = simulated();
  for (const std::string& method : factor_method_names()) {
    const FactorOptions options = options_for(method);
    FactorResult serial;
    ASSERT_NO_THROW(serial = factorize(ratings, options)) << method;
    for (const int ranks : {1, 2, 3, 6})  // the ring has five groups: the sixth rank has no rows
      expect_same(factorize_over(ranks, ratings, options), serial, method + " on " + std::to_string(ranks));
  }
}

TEST(RankedFactors, SideFeatures_GiveTheDrawsOfOneProcess) {
  const Ratings ratings = simulated();
  std::vector<double> numbers(std::size_t{2} * users);
  fill_normal({22, 0, 0, Purpose::data}, numbers);
  const FactorFeatures features{
      SideFeatures::from_rows(numbers, 2),
      SideFeatures::from_rows(std::vector<double>(numbers.begin(), numbers.begin() + items), 1)};
  FactorOptions options = options_for("gibbs");
  const FactorResult serial = factorize(ratings, options, nullptr, features);
  EXPECT_NE(serial.trace.back().rmse, factorize(ratings, options).trace.back().rmse);
  for (const int ranks : {2, 3, 6})
    expect_same(factorize_over(ranks, ratings, options, features), serial, std::to_string(ranks) + " ranks");
  options.threads = 2;
  expect_same(factorize(ratings, options, nullptr, features), serial, "two threads");
}

/// Counts, signs or moduli in place of the ratings.
Ratings observed(Observations observations) {
  const Ratings plain = simulated();
  Ratings::Builder builder(users, items);
  for (const Rating& rating : plain.entries()) {
    const auto value = static_cast<double>(rating.value);
    builder.add(rating.user, rating.item,
                observations == Observations::poisson     ? std::floor(std::abs(value))
                : observations == Observations::bernoulli ? (value > 3 ? 1.0 : 0.0)
                                                          : 0.1 + std::abs(value));
  }
  return builder.build();
}

TEST(RankedFactors, OtherObservations_GiveTheDrawsOfOneProcess) {
  for (const auto observations : {Observations::poisson, Observations::bernoulli, Observations::stable})
    for (const std::string method : {"gibbs", "sgld", "hamcmc"}) {
      if (method == "hamcmc" && observations != Observations::bernoulli) continue;
      const Ratings ratings = observed(observations);
      FactorOptions options = options_for(method);
      options.observations = observations;
      options.iterations = 9;
      const FactorResult serial = factorize(ratings, options);
      for (const int ranks : {2, 3})
        expect_same(factorize_over(ranks, ratings, options), serial,
                    observation_names()[static_cast<std::size_t>(observations)] + " " + method);
      options.threads = 2;
      expect_same(factorize(ratings, options), serial, "threads");
    }
}

TEST(RankedFactors, Shards_DoNotChangeDraws) {
  const Ratings ratings = simulated();
  FactorOptions options = options_for("gibbs");
  const FactorResult serial = factorize(ratings, options);
  options.shards = 64;  // more than groups of rows
  expect_same(factorize_over(3, ratings, options), serial, "64 shards");
  options.shards = 1;
  expect_same(factorize_over(2, ratings, options), serial, "1 shard");
}

TEST(RankedFactors, InterruptedAndResumedOnOtherRanks_GivesTheDrawsOfOneProcess) {
  const Ratings ratings = simulated();
  const fs::path folder = fs::path(::testing::TempDir()) / ("sgmcmc-ranked-factors-" + std::to_string(::getpid()));
  for (const std::string method : {"gibbs", "sghmc", "hamcmc", "sgld-saga", "sgld-cv"}) {
    fs::remove_all(folder);
    FactorOptions options = options_for(method);
    const FactorResult serial = factorize(ratings, options);
    options.checkpoint.folder = folder;
    options.checkpoint.every_seconds = 1e-9;
    options.checkpoint.identity = "one";
    std::atomic<bool> stop{false};
    FactorOptions first = options;
    first.interrupt = &stop;
    first.progress = [&](const FactorPoint& point) { stop.store(point.iteration >= 6); };
    EXPECT_TRUE(factorize_over(3, ratings, first).interrupted) << method;
    options.checkpoint.resume = true;
    FactorOptions second = options;
    stop.store(false);
    second.interrupt = &stop;
    second.progress = [&](const FactorPoint& point) { stop.store(point.iteration >= 9); };
    EXPECT_TRUE(factorize_over(2, ratings, second).interrupted) << method;
    expect_same(factorize(ratings, options), serial, method + " resumed");
    fs::remove_all(folder);
  }
}

TEST(RankedFactors, EachRank_HoldsItsShareOfTheRatings) {
  const Ratings ratings = simulated();
  for (const std::string method : {"gibbs", "hamcmc"}) {
    const FactorCut cut = cut_for(ratings.entries(), {users, items}, options_for(method));
    EXPECT_EQ(cut.users.front(), 0u);
    EXPECT_EQ(cut.users.back(), users);
    EXPECT_EQ(cut.items.back(), items);
    EXPECT_TRUE(std::is_sorted(cut.users.begin(), cut.users.end()));
    for (std::size_t s = 0; method == "gibbs" && s + 1 < cut.users.size(); ++s) EXPECT_EQ(cut.users[s] % 8, 0u);
    std::vector<std::uint64_t> of_user(users);
    for (const Rating& rating : ratings.entries()) ++of_user[rating.user];
    run_as_ranks(2, [&](Communicator& communicator) {
      const RowRange rows = FactorRanks(&communicator).own_rows(cut.users);
      const auto own = std::accumulate(of_user.begin() + static_cast<std::ptrdiff_t>(rows.begin),
                                       of_user.begin() + static_cast<std::ptrdiff_t>(rows.end), std::uint64_t{0});
      EXPECT_LT(static_cast<double>(own), 0.65 * static_cast<double>(ratings.size())) << method;
    });
  }
}

TEST(RankedFactors, StepsThatAreTooLong_EndTheRunOnAllRanks) {
  const Ratings ratings = simulated();
  FactorOptions options = options_for("psgld");
  options.step_size = 1e30;
  EXPECT_THROW(factorize(ratings, options), DivergenceError);
  EXPECT_THROW(factorize_over(3, ratings, options), DivergenceError);
}

}  // namespace
}  // namespace sgmcmc
