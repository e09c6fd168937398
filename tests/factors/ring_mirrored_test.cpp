// Minibatch sampling of factors that are not negative: slopes of the laws, and draws beside those of the exact sampler.
#include "factors/ring/ring_factors.hpp"

#include "factors/ring/block_kernel.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::uint32_t users = 25, items = 20;

/// Two factors; counts, or moduli with heavy tails.
Ratings positive_ratings(Observations observations) {
  const ObservationLaw law(observations, 1.5);
  std::vector<double> u(2 * users), v(2 * items), uniforms(users * items);
  fill_exponential({31, 0, 0, Purpose::data}, u);
  fill_exponential({31, 0, 1, Purpose::data}, v);
  fill_uniform({31, 0, 2, Purpose::data}, uniforms);
  Ratings::Builder builder(users, items);
  for (std::uint32_t i = 0; i < users; ++i)
    for (std::uint32_t j = 0; j < items; ++j) {
      const ObservationLaw::Uncertain x{3 * (u[2 * i] * v[2 * j] + u[2 * i + 1] * v[2 * j + 1]) + 0.5, 0};
      builder.add(i, j, law.quantile({&x, 1}, uniforms[i * items + j]));
    }
  return builder.build();
}

TEST(ObservationLaw, Slopes_AreDerivativesOfLogDensities) {
  for (const auto observations : {Observations::poisson, Observations::stable}) {
    const ObservationLaw law(observations, 1.5);
    for (const double rating : {1.0, 4.0, 60.0})
      for (const double x : {0.03, 1.0, 8.0, 200.0}) {
        const double h = 1e-5 * x;
        const double expected = (law.log_density(rating, x + h) - law.log_density(rating, x - h)) / (2 * h);
        EXPECT_NEAR(law.slope(rating, x), expected, 1e-4 * std::abs(expected) + 1e-6) << rating << " at " << x;
      }
  }
}

/// Averages over pairs: of means of the parameter, and of its variance.
struct Moments {
  std::vector<double> mean, variance;
};

Moments moments_of(Observations observations, const FactorOptions& options) {
  const Ratings ratings = positive_ratings(observations);
  ThreadPool pool(1);
  const auto chain = make_factor_chain(FactorShare::whole(ratings.entries(), {users, items}, options), options, pool);
  Moments moments{std::vector<double>(users * items), std::vector<double>(users * items)};
  double draws = 0;
  for (std::uint64_t t = 0; t < options.iterations; ++t) {
    EXPECT_TRUE(chain->iterate(t));
    if (t < options.iterations / 5 || t % 5 != 0) continue;
    const FactorState& state = chain->state();
    draws += 1;
    for (std::uint32_t i = 0; i < users; ++i)
      for (std::uint32_t j = 0; j < items; ++j) {
        const double x = std::log(state.parameter(i, j));
        moments.mean[i * items + j] += x;
        moments.variance[i * items + j] += x * x;
      }
  }
  EXPECT_LT(chain->limited_share(), 0.01);
  for (std::size_t k = 0; k < moments.mean.size(); ++k) {
    moments.mean[k] /= draws;
    moments.variance[k] = moments.variance[k] / draws - moments.mean[k] * moments.mean[k];
  }
  return moments;
}

/// The differences of means in units of posterior standard deviations, and of standard deviations in all.
struct Difference {
  double mean = 0, sd = 0;
};

FactorOptions options_for(Observations observations) {
  FactorOptions options;
  options.observations = observations;
  options.factors = 2;
  options.biases = false;
  options.prior_precision = 1;
  options.iterations = observations == Observations::stable ? 3000 : 20000;
  return options;
}

const Moments& exact_moments(Observations observations) {
  static std::map<Observations, Moments> known;
  if (known.count(observations) == 0) known[observations] = moments_of(observations, options_for(observations));
  return known[observations];
}

enum class Mistake { none, prior, offset };

Difference from_exact(Observations observations, std::uint32_t blocks, double step, std::uint64_t iterations,
                      Mistake mistake = Mistake::none) {
  FactorOptions options = options_for(observations);
  const Moments& exact = exact_moments(observations);
  options.method = FactorMethod::sgld;
  options.blocks = blocks;
  options.step_size = step;
  options.iterations = iterations;
  if (mistake == Mistake::prior) options.prior_precision = 25;
  if (mistake == Mistake::offset) options.offset = 0.5;
  const Moments found = moments_of(observations, options);
  Difference difference;
  double variances = 0, expected = 0;
  for (std::size_t k = 0; k < exact.mean.size(); ++k) {
    difference.mean += std::pow(found.mean[k] - exact.mean[k], 2) / exact.variance[k];
    variances += found.variance[k];
    expected += exact.variance[k];
  }
  difference.mean = std::sqrt(difference.mean / static_cast<double>(exact.mean.size()));
  difference.sd = std::sqrt(variances / expected) - 1;
  return difference;
}

constexpr double most_at_default = 0.35;  // difference of means with minibatches and default steps

TEST(RingMirrored, ShortSteps_HaveTheExactLaw) {
  for (const auto observations : {Observations::poisson, Observations::stable}) {
    const Difference difference = from_exact(observations, 1, 0.05, 60000);
    EXPECT_LT(difference.mean, 0.2) << static_cast<int>(observations);
    EXPECT_NEAR(difference.sd, 0, 0.08) << static_cast<int>(observations);
  }
}

TEST(RingMirrored, MinibatchesAtTheDefaultStep_AreNearTheExactLaw) {
  for (const auto observations : {Observations::poisson, Observations::stable}) {
    const Difference difference = from_exact(observations, 4, 0, 20000);
    EXPECT_LT(difference.mean, most_at_default) << static_cast<int>(observations);
    EXPECT_NEAR(difference.sd, 0, 0.2) << static_cast<int>(observations);
  }
}

TEST(RingMirrored, OtherPriorsAndParameters_AreSeen) {
  EXPECT_GT(from_exact(Observations::poisson, 4, 0, 10000, Mistake::prior).mean, most_at_default);
  EXPECT_GT(from_exact(Observations::poisson, 4, 0, 10000, Mistake::offset).mean, most_at_default);
}

TEST(RingMirrored, Draws_DoNotDependOnThreadsOrBreaks) {
  const Ratings ratings = positive_ratings(Observations::poisson);
  const auto folder = std::filesystem::temp_directory_path() / ("ring_mirrored." + std::to_string(::getpid()));
  for (const bool saga : {false, true}) {
    FactorOptions options;
    options.observations = Observations::poisson;
    options.method = FactorMethod::sgld;
    options.saga = saga;
    options.factors = 3;
    options.iterations = 90;
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
    EXPECT_EQ(whole.scores.log_predictive, factorize(ratings, options).scores.log_predictive) << saga;
  }
  std::filesystem::remove_all(folder);
}

TEST(RingMirrored, WholeRuns_PredictLikeTheExactSampler) {
  for (const auto observations : {Observations::poisson, Observations::stable})
    for (const bool saga : {false, true}) {
      const Ratings ratings = positive_ratings(observations);
      FactorOptions options;
      options.observations = observations;
      options.factors = 2;
      options.iterations = 300;
      const FactorResult exact = factorize(ratings, options);
      options.method = FactorMethod::sgld;
      options.saga = saga;
      options.iterations = 6000;
      const FactorResult result = factorize(ratings, options);
      EXPECT_NEAR(result.scores.log_predictive, exact.scores.log_predictive, 0.05) << saga;
      EXPECT_NEAR(result.scores.coverage, exact.scores.coverage, 0.1) << saga;
    }
}

/// The ratings in another unit.
Ratings in_unit(const Ratings& ratings, double unit) {
  Ratings::Builder builder(users, items);
  for (const Rating& rating : ratings.entries())
    builder.add(rating.user, rating.item, unit * static_cast<double>(rating.value));
  return builder.build();
}

TEST(RingMirrored, StableRatingsInAnyUnit_HaveTheSameLaw) {
  const Ratings ratings = positive_ratings(Observations::stable);
  for (const bool is_fixed : {false, true})
    for (const char* name : {"gibbs", "sgld", "sgld-saga"}) {
      FactorOptions options;
      options.observations = Observations::stable;
      set_factor_method(options, name);
      options.factors = 2;
      options.biases = false;
      options.iterations = options.method == FactorMethod::gibbs ? 60 : 2000;
      const auto run = [&](double unit) {
        options.prior_precision = is_fixed ? std::pow(unit, -options.alpha) : 0;
        const FactorResult result = factorize(in_unit(ratings, unit), options);
        EXPECT_TRUE(result.usable) << name << " " << unit;
        return result.scores.log_predictive + std::log(unit);
      };
      const double expected = run(1);
      for (const double unit : {1e-7, is_fixed ? 1e3 : 1e25})
        EXPECT_NEAR(run(unit), expected, 0.02) << name << " " << unit;
    }
}

TEST(BlockKernel, ParametersOfAnyUnit_HaveTheirSlopes) {
  constexpr std::uint32_t count = 100;
  const std::vector<double> places = {1e-4, 0.2, 1, 30};
  for (const auto observations : {Observations::poisson, Observations::stable}) {
    const ObservationLaw law(observations, 1.9);
    const bool counts = observations == Observations::poisson;
    for (const double scale : {1e-20, 1e-3, 1.0, counts ? 1e5 : 1e50}) {
      const auto value = counts ? 3.0F : static_cast<float>(std::pow(scale, 1 / 1.9));
      std::vector<Rating> ratings;
      for (std::uint32_t i = 0; i < count; ++i) ratings.push_back({i, 0, value});
      const RatingBlocks blocks(ratings, count, 1, 1, 0.0, 1.0);
      AlignedBuffer<float> u(count * 16), v(16), gu(count * 16), gv(16);
      v[0] = 1.0F;
      for (std::uint32_t i = 0; i < count; ++i) u[16 * i] = static_cast<float>(places[i % places.size()]);
      visit_block(blocks.block(0, 0), {u.data(), v.data(), gu.data(), gv.data(), 16},
                  {observations, 0.5 * scale, scale, 1e-6 * scale, &law});
      for (std::uint32_t i = 0; i < count; ++i) {
        const double x = 0.5 * scale + scale * static_cast<double>(u[16 * i]);
        const double expected = scale * law.slope(static_cast<double>(value), x);
        EXPECT_NEAR(static_cast<double>(gu[16 * i]), expected, 1e-5 * std::abs(expected)) << scale;
      }
    }
  }
}

TEST(RingMirrored, MethodsThatCannotMirror_AreRefused) {
  FactorOptions options;
  options.observations = Observations::poisson;
  for (const char* name : {"sglm", "sghmc", "psgld", "hamcmc", "sgld-cv"}) {
    set_factor_method(options, name);
    EXPECT_THROW(options.validate(), OptionError) << name;
  }
}

}  // namespace
}  // namespace sgmcmc
