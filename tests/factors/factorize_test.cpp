// Whole runs: the same whatever the threads and breaks, calibrated on data from the model, and their files.
#include <sgmcmc/factorize.hpp>

#include "factors/factor_state.hpp"
#include "factors/observation_law.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <cmath>

#include <array>
#include <filesystem>
#include <vector>

namespace sgmcmc {
namespace {

/// Three factors and biases, noise of sd 0.5, a third of the pairs.
Ratings simulated(std::uint32_t users, std::uint32_t items) {
  constexpr std::size_t factors = 3;
  const auto normals = [](std::uint64_t part, std::size_t count) {
    std::vector<double> values(count);
    fill_normal({8, 0, part, Purpose::data}, values);
    return values;
  };
  const auto u = normals(0, users * factors), v = normals(1, items * factors), a = normals(2, users),
             b = normals(3, items), noise = normals(4, std::size_t{users} * items);
  std::vector<double> uniforms(std::size_t{users} * items);
  fill_uniform({8, 0, 5, Purpose::data}, uniforms);
  Ratings::Builder builder(users, items);
  for (std::uint32_t i = 0; i < users; ++i)
    for (std::uint32_t j = 0; j < items; ++j) {
      const std::size_t pair = std::size_t{i} * items + j;
      if (uniforms[pair] > 1.0 / 3) continue;
      double mean = 10 + 0.5 * (a[i] + b[j]);
      for (std::size_t k = 0; k < factors; ++k) mean += u[i * factors + k] * v[j * factors + k];
      builder.add(i, j, mean + 0.5 * noise[pair]);
    }
  return builder.build();
}

FactorOptions short_run() {
  FactorOptions options;
  options.factors = 3;
  options.iterations = 60;
  options.draws = 20;
  return options;
}

void expect_same(const FactorResult& one, const FactorResult& other) {
  EXPECT_EQ(one.scores.rmse, other.scores.rmse);
  EXPECT_EQ(one.scores.log_predictive, other.scores.log_predictive);
  EXPECT_EQ(one.scores.coverage, other.scores.coverage);
  for (std::uint32_t u = 0; u < 5; ++u) {
    const auto a = one.model.predict(u, 3 * u), b = other.model.predict(u, 3 * u);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.upper, b.upper);
  }
}

TEST(Factorize, DataFromTheModel_ArePredictedAsWellAsTheNoiseAllows) {
  // 25,000 ratings: 75 of a user and 90 of an item, for four numbers each. Bounds are three standard errors.
  const Ratings ratings = simulated(300, 250);
  FactorOptions options = short_run();
  options.iterations = 120;
  const FactorResult result = factorize(ratings, options);
  EXPECT_EQ(result.held_out, static_cast<std::uint64_t>(std::llround(0.1 * static_cast<double>(ratings.size()))));
  const double variance = 0.25 * (1 + 4.0 / 71 + 4.0 / 86);
  EXPECT_NEAR(result.scores.rmse, std::sqrt(variance), 0.023);
  EXPECT_NEAR(result.scores.coverage, 0.9, 0.018);
  EXPECT_NEAR(result.mean_noise_precision, 4.0, 0.12);
  EXPECT_NEAR(result.scores.log_predictive, -0.5 * std::log(2 * M_PI * variance) - 0.5, 0.045);
}

TEST(Factorize, RatingsInAnotherUnit_HaveTheSameDrawsUnderAGivenPrior) {
  // Powers of two, which change no digit. Products of factors are in the unit of the ratings.
  constexpr double unit = 1.0 / 1024;
  const Ratings ratings = simulated(60, 50);
  Ratings::Builder builder(60, 50);
  for (const Rating& rating : ratings.entries())
    builder.add(rating.user, rating.item, unit * static_cast<double>(rating.value));
  const Ratings small = builder.build();
  for (const char* name : {"gibbs", "sgld", "sglm", "sghmc"}) {
    FactorOptions options = short_run();
    set_factor_method(options, name);
    options.biases = false;
    options.iterations = options.method == FactorMethod::gibbs ? 60 : 400;
    options.prior_precision = 1;
    const FactorResult result = factorize(ratings, options);
    options.prior_precision = 1 / unit;
    const FactorResult other = factorize(small, options);
    EXPECT_NEAR(other.scores.rmse / unit, result.scores.rmse, 1e-4 * result.scores.rmse) << name;
    EXPECT_NEAR(other.scores.coverage, result.scores.coverage, 0.01) << name;
    EXPECT_NEAR(other.mean_noise_precision * unit * unit, result.mean_noise_precision,
                1e-4 * result.mean_noise_precision)
        << name;
    EXPECT_EQ(other.usable, result.usable) << name;
  }
}

TEST(Factorize, Draws_DoNotDependOnThreads) {
  const Ratings ratings = simulated(60, 50);
  FactorOptions options = short_run();
  const FactorResult one = factorize(ratings, options);
  options.threads = 3;
  expect_same(one, factorize(ratings, options));
  options.seed = 2;
  EXPECT_NE(one.scores.rmse, factorize(ratings, options).scores.rmse);
}

TEST(Factorize, OtherUnits_GiveTheSameFactors) {
  const Ratings ratings = simulated(60, 50);
  Ratings::Builder builder(60, 50);
  for (const Rating& rating : ratings.entries())
    builder.add(rating.user, rating.item, 1024.0 * static_cast<double>(rating.value) - 4096.0);
  const FactorResult one = factorize(ratings, short_run()), other = factorize(builder.build(), short_run());
  EXPECT_NEAR(other.scores.rmse, 1024 * one.scores.rmse, 0.02 * other.scores.rmse);
  EXPECT_NEAR(other.scores.coverage, one.scores.coverage, 0.01);
}

TEST(Factorize, AResumedRun_EndsAsAnUninterruptedOne) {
  const Ratings ratings = simulated(60, 50);
  const auto folder = std::filesystem::temp_directory_path() / ("sgmcmc-factors-" + std::to_string(::getpid()));
  FactorOptions options = short_run();
  const FactorResult whole = factorize(ratings, options);
  for (const std::uint64_t stop : {7U, 12U, 40U}) {
    std::filesystem::remove_all(folder);
    std::atomic<bool> interrupt = false;
    FactorOptions broken = options;
    broken.checkpoint.folder = folder;
    broken.interrupt = &interrupt;
    broken.progress = [&](const FactorPoint& point) { interrupt = point.iteration >= stop; };
    const FactorResult part = factorize(ratings, broken);
    EXPECT_TRUE(part.interrupted);
    EXPECT_EQ(part.iterations, stop + 1);
    EXPECT_GE(part.model.draws(), 1U);
    broken.checkpoint.resume = true;
    broken.interrupt = nullptr;
    broken.threads = 2;
    const FactorResult rest = factorize(ratings, broken);
    EXPECT_EQ(rest.iterations, options.iterations);
    EXPECT_EQ(rest.model.draws(), whole.model.draws());
    expect_same(whole, rest);
  }
  std::filesystem::remove_all(folder);
}

TEST(Factorize, SavedDraws_PredictTheSame) {
  const FactorResult result = factorize(simulated(30, 20), short_run());
  const auto folder = std::filesystem::temp_directory_path() / ("sgmcmc-model-" + std::to_string(::getpid()));
  result.model.save(folder.string());
  const FactorModel loaded = FactorModel::load(folder.string());
  for (const auto& [u, i] : {std::pair(0U, 0U), std::pair(29U, 19U), std::pair(77U, 3U), std::pair(3U, 77U)}) {
    EXPECT_DOUBLE_EQ(loaded.predict(u, i).mean, result.model.predict(u, i).mean);
    EXPECT_DOUBLE_EQ(loaded.predict(u, i).lower, result.model.predict(u, i).lower);
  }
  std::filesystem::resize_file(folder / "item_factors.npy", 100);
  EXPECT_THROW(FactorModel::load(folder.string()), Error);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(FactorModel::load(folder.string()), Error);
}

TEST(FactorModel, WithoutRatings_ThePriorSpeaks) {
  const FactorResult result = factorize(simulated(150, 120), short_run());
  const FactorPrediction known = result.model.predict(1, 2), new_user = result.model.predict(1000, 2),
                         both = result.model.predict(1000, 1000);
  EXPECT_LT(known.sd, new_user.sd);
  EXPECT_LT(new_user.sd, both.sd);
  EXPECT_NEAR(both.mean, 10, 1.0);
  EXPECT_NEAR(both.sd, std::sqrt(3 + 0.5 + 0.25), 0.6);  // products, biases, noise
  EXPECT_LT(known.lower, known.mean);
  EXPECT_GT(known.upper, known.mean);
}

TEST(FactorModel, Recommendations_AreTheBestThatAreNotExcluded) {
  const FactorResult result = factorize(simulated(40, 30), short_run());
  const auto means = result.model.means(4);
  const auto best = result.model.recommend(4, 3);
  ASSERT_EQ(best.size(), 3U);
  for (const double mean : means) EXPECT_LE(mean, means[best[0].item]);
  EXPECT_NEAR(best[0].prediction.mean, means[best[0].item], 1e-6);
  const std::vector<std::uint32_t> excluded = {best[0].item};
  EXPECT_EQ(result.model.recommend(4, 3, excluded)[0].item, best[1].item);
  EXPECT_EQ(result.model.recommend(4, 1000).size(), 30U);
}

TEST(Factorize, AFewRatings_AreEnoughToRun) {
  Ratings::Builder builder(3, 3);
  builder.add(0, 0, 5);
  FactorOptions options = short_run();
  const FactorResult result = factorize(builder.build(), options);
  EXPECT_EQ(result.held_out, 0U);
  EXPECT_TRUE(std::isnan(result.scores.rmse));
  EXPECT_TRUE(std::isfinite(result.model.predict(2, 2).upper));
}

TEST(Factorize, AChainThatLearntNothing_IsNotUsable) {
  const Ratings ratings = simulated(60, 50);
  FactorOptions options = short_run();
  const FactorResult good = factorize(ratings, options);
  EXPECT_TRUE(good.usable);
  EXPECT_LT(good.training_error_ratio, 0.5);
  EXPECT_LT(good.held_out_error_ratio, 0.8);
  options.method = FactorMethod::sgld;
  options.step_size = 1e-6;
  for (const double share : {0.0, 0.1}) {
    options.hold_out = share;
    const FactorResult still = factorize(ratings, options);
    EXPECT_FALSE(still.usable) << share;
    EXPECT_GE(still.training_error_ratio, 1);
  }
  options.method = FactorMethod::psgld;
  options.step_size = 1.5;
  options.hold_out = 0;
  EXPECT_FALSE(factorize(ratings, options).usable);
}

TEST(Factorize, EqualRatings_ShowWhetherPredictionsAreUsable) {
  for (const auto observations : {Observations::gaussian, Observations::bernoulli, Observations::poisson}) {
    const bool counts = observations == Observations::poisson;
    for (const double value : {counts ? 3.0 : -4.0, 0.0, 1.0}) {
      if (observations == Observations::bernoulli && value < 0) continue;
      Ratings::Builder builder(30, 20);
      for (std::uint32_t i = 0; i < 30; ++i)
        for (std::uint32_t j = 0; j < 20; ++j) builder.add(i, j, value);
      const Ratings ratings = builder.build();
      FactorOptions options = short_run();
      options.observations = observations;
      const FactorResult good = factorize(ratings, options);
      EXPECT_TRUE(good.usable && good.equal_ratings) << static_cast<int>(observations) << " " << value;
      EXPECT_LT(good.training_error_ratio, 0.5) << static_cast<int>(observations) << " " << value;
      if (observations != Observations::gaussian) continue;
      options.method = FactorMethod::psgld;
      options.step_size = 1.5;
      EXPECT_FALSE(factorize(ratings, options).usable) << value;
    }
  }
}

TEST(Factorize, NoiseOfOtherObservations_HasNoPrecision) {
  Ratings::Builder builder(8, 5);
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t j = 0; j < 5; ++j) builder.add(i, j, (i + j) % 2);
  const Ratings ratings = builder.build();
  FactorOptions options = short_run();
  EXPECT_GT(factorize(ratings, options).mean_noise_precision, 0);
  for (const auto observations : {Observations::bernoulli, Observations::poisson}) {
    options.observations = observations;
    const FactorResult result = factorize(ratings, options);
    EXPECT_TRUE(std::isnan(result.mean_noise_precision));
    for (const FactorPoint& point : result.trace) EXPECT_TRUE(std::isnan(point.noise_precision));
  }
}

TEST(Factorize, RatingsWithoutPattern_GiveUsablePredictions) {
  std::vector<double> noise(60 * 50);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    fill_normal({seed, 0, 0, Purpose::data}, noise);
    Ratings::Builder builder(60, 50);
    for (std::uint32_t i = 0; i < 60; ++i)
      for (std::uint32_t j = 0; j < 50; j += 1 + i % 3) builder.add(i, j, noise[i * 50 + j]);
    EXPECT_TRUE(factorize(builder.build(), short_run()).usable) << seed;
  }
}

TEST(Factorize, TestPairsOfTheTraining_AreCounted) {
  const auto ratings_of = [](std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> pairs) {
    Ratings::Builder builder(4, 4);
    for (const auto& [user, item] : pairs) builder.add(user, item, user + 2.0 * item);
    return builder.build();
  };
  const Ratings training = ratings_of({{0, 1}, {1, 0}, {1, 2}, {3, 3}, {2, 1}});
  const Ratings test = ratings_of({{1, 2}, {1, 1}, {0, 2}, {3, 3}});
  EXPECT_EQ(factorize(training, short_run(), &test).repeated_pairs, 2U);
}

TEST(FactorModel, AnotherInterval_ChangesItsEndsOnly) {
  FactorModel model = factorize(simulated(30, 20), short_run()).model;
  const FactorPrediction usual = model.predict(1, 2);
  model.set_interval(0.5);
  const FactorPrediction half = model.predict(1, 2);
  EXPECT_EQ(half.mean, usual.mean);
  const double ratio = (half.upper - half.lower) / (usual.upper - usual.lower);
  EXPECT_LT(ratio, 0.43);  // 0.41 of a normal distribution, less of a mixture
  EXPECT_GT(ratio, 0.3);
  EXPECT_THROW(model.set_interval(1), OptionError);
}

TEST(FactorOptions, Mistakes_AreNamed) {
  const auto refusal = [](auto change) {
    FactorOptions options;
    change(options);
    try {
      options.validate();
    } catch (const OptionError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([](FactorOptions& o) { o.factors = 0; }), "factors is 0; it must be from 1 to 1000");
  EXPECT_EQ(refusal([](FactorOptions& o) { o.hold_out = 1; }), "hold_out is 1; it must be a share, from 0 to below 1");
  EXPECT_EQ(refusal([](FactorOptions& o) { o.blocks = 1001; }), "blocks is 1001; it must be from 1 to 1000");
  EXPECT_EQ(refusal([](FactorOptions& o) { o.noise_precision = -1; }),
            "noise_precision is -1; it must be positive and finite");
  EXPECT_EQ(refusal([](FactorOptions& o) { o.draws = 0; }), "draws is 0; at least one is needed for predictions");
  EXPECT_EQ(refusal([](FactorOptions&) {}), "");
}

/// Ratings drawn from the model of these observations, by inversion.
Ratings drawn_from(Observations observations, double alpha) {
  constexpr std::uint32_t users = 120, items = 90;
  const ObservationLaw law(observations, alpha);
  FactorState truth(users, items, {2, false});
  truth.offset = 0;
  for (FactorSide* side : {&truth.users, &truth.items})
    for (std::size_t i = 0; i < side->count; ++i) {
      std::array<double, 2> numbers;
      const StreamKey key{31, 0, side == &truth.users ? 0U : 1U, Purpose::data};
      if (is_non_negative(observations)) {
        fill_exponential(key, numbers, 2 * i);
      } else {
        fill_normal(key, numbers, 2 * i);
      }
      std::copy(numbers.begin(), numbers.end(), side->row(i));
    }
  std::vector<double> uniforms(2 * users * items);
  fill_uniform({31, 0, 2, Purpose::data}, uniforms);
  Ratings::Builder builder(users, items);
  for (std::uint32_t i = 0; i < users; ++i)
    for (std::uint32_t j = 0; j < items; ++j) {
      const std::size_t pair = std::size_t{i} * items + j;
      const ObservationLaw::Uncertain x{truth.parameter(i, j), 0};
      if (uniforms[2 * pair] < 0.6) builder.add(i, j, law.quantile({&x, 1}, uniforms[2 * pair + 1]));
    }
  return builder.build();
}

TEST(Factorize, OtherObservations_ArePredictedWithTheirUncertainty) {
  for (const auto observations : {Observations::poisson, Observations::bernoulli, Observations::stable}) {
    const std::string name = observation_names()[static_cast<std::size_t>(observations)];
    const Ratings ratings = drawn_from(observations, 1.6);
    FactorOptions options;
    options.observations = observations;
    options.alpha = 1.6;
    options.factors = 2;
    options.biases = false;
    options.iterations = 150;
    const FactorResult result = factorize(ratings, options);
    FactorOptions few = options;  // a model that can learn nothing of users or items
    few.prior_precision = 1e6;
    if (observations == Observations::bernoulli) {
      // 650 intervals of 0 and 1
      EXPECT_GE(result.scores.coverage, 0.9 - 0.035) << name;
      EXPECT_GT(result.scores.log_predictive, factorize(ratings, few).scores.log_predictive + 0.05) << name;
      continue;
    }
    EXPECT_NEAR(result.scores.coverage, observations == Observations::poisson ? 0.94 : 0.9, 0.045) << name;
    // The law of one rating knows less of it than one of its user and item.
    EXPECT_GT(result.scores.log_predictive, factorize(ratings, few).scores.log_predictive + 0.05) << name;
  }
}

TEST(Factorize, OtherObservations_SavedAndRead_PredictTheSame) {
  const std::string folder = ::testing::TempDir() + "sgmcmc-observations-" + std::to_string(::getpid());
  for (const auto observations : {Observations::poisson, Observations::bernoulli, Observations::stable}) {
    FactorOptions options;
    options.observations = observations;
    options.alpha = 1.7;
    options.factors = 2;
    options.iterations = 30;
    const FactorModel model = factorize(drawn_from(observations, 1.7), options).model;
    model.save(folder);
    const FactorModel read = FactorModel::load(folder);
    EXPECT_EQ(read.observations(), observations);
    for (const auto& [user, item] : {std::pair(0U, 5U), {3U, 100000U}, {100000U, 7U}}) {
      const auto a = model.predict(user, item), b = read.predict(user, item);
      EXPECT_EQ(a.mean, b.mean);
      EXPECT_EQ(a.upper, b.upper);
      EXPECT_LE(a.lower, a.upper);
      EXPECT_EQ(std::isfinite(a.sd), observations != Observations::stable);
      EXPECT_GE(a.mean, 0);
      EXPECT_TRUE(observations != Observations::bernoulli || a.mean <= 1);
      EXPECT_TRUE(observations == Observations::stable || a.upper == std::floor(a.upper));
      EXPECT_NEAR(model.means(user)[5], model.predict(user, 5).mean, 1e-6);
    }
    const auto cold = model.recommend(100000, 3);
    ASSERT_EQ(cold.size(), 3U);
    EXPECT_GE(cold[0].prediction.mean, cold[2].prediction.mean);
    std::filesystem::remove_all(folder);
  }
}

}  // namespace
}  // namespace sgmcmc
