// Minibatch methods on the ring: estimates without bias, blocks that share nothing, draws like those of the exact
// sampler.
#include "factors/ring/ring_factors.hpp"

#include "factors/ring/block_kernel.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::uint32_t users = 60, items = 45;

/// Two factors and biases with noise of sd 0.6; most ratings are of the first users and items.
std::vector<Rating> simulated_ratings() {
  const auto normals = [](std::uint64_t part, std::size_t count) {
    std::vector<double> values(count);
    fill_normal({12, 0, part, Purpose::data}, values);
    return values;
  };
  const auto u = normals(0, users * 3), v = normals(1, items * 3), noise = normals(2, users * items);
  std::vector<double> uniforms(users * items);
  fill_uniform({12, 0, 3, Purpose::data}, uniforms);
  std::vector<Rating> ratings;
  for (std::uint32_t i = 0; i < users; ++i)
    for (std::uint32_t j = 0; j < items; ++j) {
      const std::size_t pair = i * items + j;
      if (uniforms[pair] > 0.9 - 0.6 * i / users) continue;
      const double mean = 3 + u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] + 0.4 * (u[3 * i + 2] + v[3 * j + 2]);
      ratings.push_back({i, j, static_cast<float>(mean + 0.6 * noise[pair])});
    }
  return ratings;
}

Ratings as_ratings(const std::vector<Rating>& list) {
  Ratings::Builder builder(users, items);
  for (const Rating& rating : list) builder.add(rating.user, rating.item, static_cast<double>(rating.value));
  return builder.build();
}

TEST(RatingBlocks, APart_TouchesUsersAndItemsInOneBlockEach) {
  const auto ratings = simulated_ratings();
  const RatingBlocks blocks(ratings, users, items, 5, 1.0, 2.0);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  double sum = 0, expected = 0;
  for (const Rating& rating : ratings) expected += (static_cast<double>(rating.value) - 1) / 2;
  for (std::uint32_t part = 0; part < 5; ++part) {
    std::vector<int> user_block(users, -1), item_block(items, -1);
    std::uint64_t size = 0;
    for (std::uint32_t group = 0; group < 5; ++group) {
      const auto block = blocks.block(part, group);
      const BlockRating* rating = block.ratings.data();
      for (const BlockRun& run : block.runs) {
        EXPECT_EQ(user_block[run.user], -1);
        user_block[run.user] = static_cast<int>(group);
        for (std::uint32_t k = 0; k < run.count; ++k, ++rating) {
          int& of_item = item_block[rating->item];
          EXPECT_TRUE(of_item == -1 || of_item == static_cast<int>(group));
          of_item = static_cast<int>(group);
          EXPECT_TRUE(seen.emplace(run.user, rating->item).second);
          sum += static_cast<double>(rating->value);
        }
      }
      size += block.ratings.size();
    }
    EXPECT_EQ(size, blocks.part_size(part));
    EXPECT_NEAR(static_cast<double>(size), 0.2 * static_cast<double>(ratings.size()),
                0.1 * static_cast<double>(ratings.size()));
  }
  EXPECT_EQ(seen.size(), ratings.size());
  EXPECT_NEAR(sum, expected, 1e-3);
}

TEST(BlockKernel, Gradients_AreSumsOfErrorsTimesRows) {
  const auto ratings = simulated_ratings();
  const RatingBlocks blocks(ratings, users, items, 1, 0.0, 1.0);
  for (const std::size_t stride : {16U, 32U, 48U, 64U}) {
    AlignedBuffer<float> u(users * stride), v(items * stride), gu(users * stride), gv(items * stride);
    fill_normal({1, 0, 0, Purpose::data}, u.span());
    fill_normal({2, 0, 0, Purpose::data}, v.span());
    const double loss = visit_block(blocks.block(0, 0), {u.data(), v.data(), gu.data(), gv.data(), stride});
    std::vector<double> expected_u(users * stride), expected_v(items * stride);
    double expected_loss = 0;
    for (const Rating& rating : ratings) {
      double e = static_cast<double>(rating.value);
      for (std::size_t k = 0; k < stride; ++k)
        e -= static_cast<double>(u[rating.user * stride + k]) * static_cast<double>(v[rating.item * stride + k]);
      expected_loss += e * e;
      for (std::size_t k = 0; k < stride; ++k) {
        expected_u[rating.user * stride + k] += e * static_cast<double>(v[rating.item * stride + k]);
        expected_v[rating.item * stride + k] += e * static_cast<double>(u[rating.user * stride + k]);
      }
    }
    EXPECT_NEAR(loss, expected_loss, 1e-5 * expected_loss);
    for (std::size_t k = 0; k < expected_u.size(); ++k) EXPECT_NEAR(static_cast<double>(gu[k]), expected_u[k], 0.01);
    for (std::size_t k = 0; k < expected_v.size(); ++k) EXPECT_NEAR(static_cast<double>(gv[k]), expected_v[k], 0.01);
  }
}

TEST(BlockKernel, ProbitErrors_AreDerivativesOfLogProbabilities) {
  // One rating each of many users for one item: x is the first number of the user.
  constexpr std::uint32_t count = 400;
  const auto log_phi = [](double t) {
    return t > -30 ? std::log(0.5 * std::erfc(-t * std::sqrt(0.5)))
                   : -0.5 * t * t - std::log(-t) - 0.5 * std::log(2 * M_PI) + std::log1p(-1 / (t * t));
  };
  constexpr double offset = 0.3;
  for (const float value : {0.0F, 1.0F}) {
    std::vector<Rating> ratings;
    for (std::uint32_t i = 0; i < count; ++i) ratings.push_back({i, 0, value});
    const RatingBlocks blocks(ratings, count, 1, 1, 0.0, 1.0);
    AlignedBuffer<float> u(count * 16), v(16), gu(count * 16), gv(16);
    v[0] = 1.0F;
    for (std::uint32_t i = 0; i < count; ++i) u[16 * i] = 0.1F * (static_cast<float>(i) - 200.0F);
    visit_block(blocks.block(0, 0), {u.data(), v.data(), gu.data(), gv.data(), 16},
                {.observations = Observations::bernoulli, .offset = static_cast<float>(offset)});
    for (std::uint32_t i = 0; i < count; ++i) {
      const double sign = value > 0 ? 1 : -1, t = sign * (offset + static_cast<double>(u[16 * i])), step = 1e-4;
      const double expected = sign * (log_phi(t + step) - log_phi(t - step)) / (2 * step);
      EXPECT_NEAR(static_cast<double>(gu[16 * i]), expected, 1e-4 * std::max(1.0, std::abs(expected))) << t;
    }
  }
}

TEST(RingFactors, OnBernoulliRatings_PredictsLikeTheExactSampler) {
  Ratings::Builder builder(users, items);
  for (const Rating& rating : simulated_ratings()) builder.add(rating.user, rating.item, rating.value > 3 ? 1.0 : 0.0);
  const Ratings ratings = builder.build();
  FactorOptions options;
  options.observations = Observations::bernoulli;
  options.factors = 2;
  options.iterations = 400;
  const FactorResult exact = factorize(ratings, options);
  EXPECT_LT(exact.scores.log_predictive, -0.1);
  EXPECT_GT(exact.scores.log_predictive, -0.6);  // a coin: -0.69
  for (const char* name : {"sgld", "sglm", "sghmc", "hamcmc", "sgld-saga"}) {
    set_factor_method(options, name);
    options.iterations = 3000;
    const FactorResult result = factorize(ratings, options);
    EXPECT_NEAR(result.scores.log_predictive, exact.scores.log_predictive, 0.04) << name;
  }
}

TEST(RingFactors, Estimates_HaveTheFullGradientAsTheirMean) {
  const auto ratings = simulated_ratings();
  for (const char* name : {"sgld", "sgld-saga", "sgld-cv"}) {
    FactorOptions options;
    set_factor_method(options, name);
    options.factors = 3;
    options.iterations = 10;
    ThreadPool pool(2);
    std::vector<double> mean_user(users * 4, 0.0), mean_item(items * 4, 0.0);
    FactorState at(users, items, {3, true});
    for (std::uint32_t part = 0; part < options.blocks; ++part) {
      RingFactors moved(ratings, {users, items}, options, pool);
      const std::uint64_t iterations =
          options.saga || options.control_variate ? 3 : 0;  // so that what is kept is of another place
      for (std::uint64_t t = 0; t < iterations; ++t) EXPECT_TRUE(moved.iterate(t));
      const double share = 1.0 / options.blocks;
      moved.estimate(part);
      moved.state();
      at.offset = moved.draw().offset;
      at.scale = moved.draw().scale;
      std::copy(moved.draw().users.numbers.begin(), moved.draw().users.numbers.end(), at.users.numbers.begin());
      std::copy(moved.draw().items.numbers.begin(), moved.draw().items.numbers.end(), at.items.numbers.begin());
      for (std::size_t i = 0; i < users; ++i)
        for (std::size_t k = 0; k < 4; ++k) mean_user[4 * i + k] += share * moved.gradient_of_user(i, k);
      for (std::size_t i = 0; i < items; ++i)
        for (std::size_t k = 0; k < 4; ++k) mean_item[4 * i + k] += share * moved.gradient_of_item(i, k);
    }
    std::vector<double> user(users * 4, 0.0), item(items * 4, 0.0);
    for (const Rating& rating : ratings) {
      const double e = (static_cast<double>(rating.value) - at.parameter(rating.user, rating.item)) / at.scale;
      for (std::size_t k = 0; k < 4; ++k) {
        user[4 * rating.user + k] += e * (k < 3 ? at.items.row(rating.item)[k] : 1.0);
        item[4 * rating.item + k] += e * (k < 3 ? at.users.row(rating.user)[k] : 1.0);
      }
    }
    for (std::size_t k = 0; k < user.size(); ++k) EXPECT_NEAR(mean_user[k], user[k], 2e-4) << name;
    for (std::size_t k = 0; k < item.size(); ++k) EXPECT_NEAR(mean_item[k], item[k], 2e-4) << name;
  }
}

TEST(RingFactors, ARound_VisitsEveryPartOnce) {
  FactorOptions options;
  set_factor_method(options, "sgld");
  options.blocks = 5;
  options.iterations = 100;
  ThreadPool pool(1);
  const RingFactors chain(simulated_ratings(), {users, items}, options, pool);
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::vector<std::uint32_t> order;
    for (std::uint64_t t = 0; t < 5; ++t) order.push_back(chain.choose_part(5 * round + t));
    orders.insert(order);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 5U);
  }
  EXPECT_GT(orders.size(), 10U);  // 20 of 120 orders; fewer than 15 different ones: less than one in a million
}

FactorOptions options_of_spread() {
  FactorOptions options;
  options.factors = 2;
  options.prior_precision = 1;
  options.noise_precision = 2.5;
  options.hold_out = 0;
  options.draws = 1500;
  options.iterations = 2000;
  return options;
}

/// The sum of the variances of predictions over draws.
double spread_of_predictions(const FactorOptions& options) {
  const FactorResult result = factorize(as_ratings(simulated_ratings()), options);
  double sum = 0;
  for (std::uint32_t i = 0; i < users; i += 3)
    for (std::uint32_t j = 0; j < items; j += 3) {
      const double sd = result.model.predict(i, j).sd;
      sum += sd * sd - 1 / options.noise_precision;
    }
  return sum;
}

/// The variance of predictions with few ratings per step, beside that of the exact sampler: parts chosen at random
/// instead of in rounds inflate it more than this allows.
TEST(RingFactors, Rounds_KeepTheVarianceOfDraws) {
  FactorOptions options = options_of_spread();
  const double exact = spread_of_predictions(options);
  set_factor_method(options, "sglm");
  options.iterations = 20000;
  options.evaluate_every = 10;
  const double ratio = spread_of_predictions(options) / exact;
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_NEAR(ratio, 1.0, 0.1);
}

TEST(RingFactors, ControlVariates_VaryLessNearTheirCentre) {
  const auto ratings = simulated_ratings();
  ThreadPool pool(2);
  const auto spread = [&](RingFactors& chain) {
    std::vector<double> sum(4 * users, 0.0), squares(4 * users, 0.0);
    const auto parts = static_cast<double>(chain.blocks().groups());
    for (std::uint32_t part = 0; part < chain.blocks().groups(); ++part) {
      chain.estimate(part);
      for (std::size_t k = 0; k < sum.size(); ++k) {
        const double value = chain.gradient_of_user(k / 4, k % 4);
        sum[k] += value / parts;
        squares[k] += value * value / parts;
      }
    }
    double total = 0;
    for (std::size_t k = 0; k < sum.size(); ++k) total += squares[k] - sum[k] * sum[k];
    return total;
  };
  FactorOptions options;
  set_factor_method(options, "sgld-cv");
  options.factors = 3;
  options.iterations = 500;
  RingFactors centred(ratings, {users, items}, options, pool);
  for (std::uint64_t t = 0; t <= 50; ++t) EXPECT_TRUE(centred.iterate(t));  // one step from the centre
  set_factor_method(options, "sgld");
  RingFactors plain(ratings, {users, items}, options, pool);
  const auto follow = [&] {
    const FactorState& at = centred.state();
    std::copy(at.users.numbers.begin(), at.users.numbers.end(), plain.draw().users.numbers.begin());
    std::copy(at.items.numbers.begin(), at.items.numbers.end(), plain.draw().items.numbers.begin());
    plain.load_state();
  };
  follow();
  EXPECT_LT(spread(centred), 0.3 * spread(plain));
  for (std::uint64_t t = 51; t < 500; ++t) EXPECT_TRUE(centred.iterate(t));
  follow();
  EXPECT_GT(spread(centred), 0.3 * spread(plain));  // far from the centre they help little
}

TEST(RingFactors, EveryMethod_PredictsLikeTheExactSampler) {
  const Ratings ratings = as_ratings(simulated_ratings());
  FactorOptions options;
  options.factors = 2;
  options.iterations = 300;
  const FactorResult exact = factorize(ratings, options);
  for (const std::string& name : factor_method_names()) {
    if (name == "gibbs") continue;
    set_factor_method(options, name);
    options.iterations = 4000;
    const FactorResult result = factorize(ratings, options);
    const double allowed = name == "psgld" ? 0.1 : 0.03;  // psgld starts slowly
    EXPECT_NEAR(result.scores.rmse, exact.scores.rmse, allowed * exact.scores.rmse) << name;
    EXPECT_NEAR(result.scores.log_predictive, exact.scores.log_predictive, 2 * allowed) << name;
    EXPECT_NEAR(std::log(result.mean_noise_precision / exact.mean_noise_precision), 0.0, 0.25) << name;
  }
}

TEST(RingFactors, Sglm_HasTheVarianceOfTheConditional) {
  // Items fixed by a prior of huge precision are not possible here; instead the spread of predictions over draws is
  // compared with that of the exact sampler, with all ratings in every batch.
  FactorOptions options = options_of_spread();
  const double exact = spread_of_predictions(options);
  set_factor_method(options, "sglm");
  options.blocks = 1;
  options.iterations = 20000;
  options.evaluate_every = 10;
  EXPECT_NEAR(spread_of_predictions(options) / exact, 1.0, 0.08);
  set_factor_method(options, "sgld");
  options.step_size = 0.1;
  EXPECT_NEAR(spread_of_predictions(options) / exact, 1.0, 0.12);
  options.step_size = 1.0;  // a step whose error is seen
  EXPECT_GT(spread_of_predictions(options) / exact, 1.15);
}

TEST(RingFactors, Draws_DoNotDependOnThreadsOrBreaks) {
  const Ratings ratings = as_ratings(simulated_ratings());
  const auto folder = std::filesystem::temp_directory_path() / ("sgmcmc-ring-" + std::to_string(::getpid()));
  for (const std::string& name : factor_method_names()) {
    FactorOptions options;
    options.factors = 3;
    options.iterations = 90;
    set_factor_method(options, name);
    options.iterations = name == "gibbs" ? 20 : 90;
    const FactorResult whole = factorize(ratings, options);
    std::filesystem::remove_all(folder);
    std::atomic<bool> interrupt = false;
    options.threads = 3;
    options.checkpoint.folder = folder;
    options.interrupt = &interrupt;
    options.progress = [&](const FactorPoint& point) { interrupt = point.iteration >= 11; };
    EXPECT_TRUE(factorize(ratings, options).interrupted);
    options.interrupt = nullptr;
    options.checkpoint.resume = true;
    const FactorResult resumed = factorize(ratings, options);
    EXPECT_EQ(whole.scores.rmse, resumed.scores.rmse) << name;
    EXPECT_EQ(whole.scores.log_predictive, resumed.scores.log_predictive) << name;
    EXPECT_EQ(whole.model.predict(3, 4).lower, resumed.model.predict(3, 4).lower) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST(RingFactors, StepsThatAreTooLong_EndTheRun) {
  FactorOptions options;
  options.factors = 2;
  set_factor_method(options, "psgld");
  options.step_size = 1e30;
  EXPECT_THROW(factorize(as_ratings(simulated_ratings()), options), DivergenceError);
}

}  // namespace
}  // namespace sgmcmc
