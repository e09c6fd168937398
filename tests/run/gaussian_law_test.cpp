// Runs on Gaussian posteriors: with every estimator, each sampler has the variance of its discretised chain, including
// gradient noise; estimators without noise give the draws of full gradients.
#include "run/models.hpp"
#include "run/second_moments.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace sgmcmc::testing {
namespace {

constexpr double false_alarm_rate = 1e-5;  // of each of some forty comparisons
const double threshold = z_threshold(false_alarm_rate);
constexpr std::size_t dimension = 400;
constexpr std::int64_t batch_size = 2;
constexpr std::uint64_t refresh_every = 4;

const ManyRegressions& problem(bool slopes) {
  static const ManyRegressions means(dimension, false), regressions(dimension, true);
  return slopes ? regressions : means;
}

SampleOptions options_for(const std::string& method, bool slopes) {
  SampleOptions options;
  options.method(method);
  if (method.rfind("sgld", 0) == 0) options.step_size(0.6);
  if (method.rfind("sghmc", 0) == 0)
    options.sampler = SghmcOptions{.step_size = 0.4, .friction = 0.2, .trajectory_length = 3};
  // High friction, so that gradient noise matters little: it is not independent, because coordinates share batches.
  if (method.rfind("baoab", 0) == 0) options.sampler = BaoabOptions{.step_size = 0.4, .friction = 1.5};
  if (method.rfind("sgnht", 0) == 0) options.sampler = SgnhtOptions{.step_size = 0.1, .diffusion = 0.1};
  options.gradient.minibatch.batch_size = batch_size;
  options.gradient.refresh_every = refresh_every;
  options.gradient.centre = problem(slopes).mean();
  options.initial = {{"theta", problem(slopes).mean()}};
  options.warmup = 100;
  options.iterations = 1200;
  options.threads = 1;
  return options;
}

EstimatorNoise noise_of(const std::string& estimator, bool slopes) {
  const auto& p = problem(slopes);
  EstimatorNoise noise;
  constexpr double n = batch_size, N = ManyRegressions::rows;
  if (estimator == "minibatch") {
    noise.at_mean = p.noise_at_mean(n);
    noise.per_square = p.noise_per_square(n);
  } else if (estimator == "cv") {
    noise.per_square = p.noise_per_square(n);
  } else if (estimator == "svrg") {
    noise.per_square = p.noise_per_square(n);
    noise.refresh_every = refresh_every;
  } else if (estimator == "saga") {
    noise.share = n / N;
    noise.curvature = N / (ManyRegressions::sd * ManyRegressions::sd);
    noise.batch_variance = (1.0 - n / N) / n * N / (N - 1.0);
  }
  return noise;
}

double law(const std::string& sampler, bool slopes, const EstimatorNoise& noise) {
  const double a = problem(slopes).precision();
  if (sampler == "sgld") return sgld_variance(0.6, a, noise);
  if (sampler == "sghmc") return sghmc_variance(0.4, 0.2, 3, a, noise);
  if (sampler == "baoab") return baoab_variance(0.4, 1.5, a, noise);
  return sgnht_variance(0.1, 0.1, a, noise);
}

/// Variance about the posterior mean, with coordinates as replicates.
Estimate variance_found(const SampleResult& result, bool slopes) {
  Vector replicates(dimension, 0.0);
  const std::size_t draws = result.draws.draws(0);
  for (std::size_t t = 0; t < draws; ++t)
    for (std::size_t j = 0; j < dimension; ++j) {
      const double distance = result.draws(0, t, j) - problem(slopes).mean()[j];
      replicates[j] += distance * distance / static_cast<double>(draws);
    }
  return mean_of_replicates(replicates);
}

/// Caches runs, because mutants are tested on the same draws.
const SampleResult& run(const std::string& sampler, const std::string& estimator, bool slopes) {
  static std::map<std::string, SampleResult> done;
  const std::string method = sampler + "-" + estimator;
  auto& result = done[method + (slopes ? " slopes" : "")];
  if (result.names.empty()) result = sample(problem(slopes).model(), options_for(method, slopes));
  return result;
}

struct Combination {
  std::string sampler, estimator;
  bool slopes;
  friend void PrintTo(const Combination& c, std::ostream* out) { *out << c.sampler << " with " << c.estimator; }
};

double z_of(const Combination& c, double expected) {
  const Estimate found = variance_found(run(c.sampler, c.estimator, c.slopes), c.slopes);
  EXPECT_LT(found.standard_error, 0.01 * found.value) << "too little data to mean anything";
  return std::abs(found.z_score(expected));
}

class GaussianPosterior : public ::testing::TestWithParam<Combination> {};

TEST_P(GaussianPosterior, Variance_IsThatOfTheDiscretisedChain) {
  const auto& c = GetParam();
  EXPECT_LT(z_of(c, law(c.sampler, c.slopes, noise_of(c.estimator, c.slopes))), threshold);
}

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const char* sampler : {"sgld", "sghmc", "sgnht", "baoab"}) {
    for (const char* estimator : {"full", "minibatch", "cv", "saga", "svrg"})
      all.push_back({sampler, estimator, false});
    for (const char* estimator : {"minibatch", "cv", "svrg"}) all.push_back({sampler, estimator, true});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EverySamplerWithEveryEstimator, GaussianPosterior, ::testing::ValuesIn(combinations()),
                         [](const auto& which) {
                           return which.param.sampler + "_" + which.param.estimator +
                                  (which.param.slopes ? "_slopes" : "");
                         });

TEST(GaussianPosterior, NoiseInTheRecursion_GivesTheKnownFormulas) {
  const double step = 0.6, a = 1.3, V = 2.0;
  EstimatorNoise noise;
  noise.at_mean = V;
  EXPECT_NEAR(sgld_variance(step, a, noise), (1.0 + step * V / 4.0) / (a * (1.0 - step * a / 4.0)), 1e-9);
  EXPECT_NEAR(sghmc_variance(0.3, 0.2, 5, a, {}), 1.0 / (a * (1.0 - 0.3 * a / 4.0)), 1e-9);
  EXPECT_NEAR(baoab_variance(1.5, 0.2, a, {}), 1.0 / a, 1e-9);
  // Multiplicative noise: P = b^2 P + (step / 2)^2 u P + step.
  noise = {};
  noise.per_square = 0.5;
  const double b = 1.0 - step * a / 2.0;
  EXPECT_NEAR(sgld_variance(step, a, noise), step / (1.0 - b * b - step * step / 4.0 * 0.5), 1e-9);
}

TEST(GaussianPosterior, Mutants_AreRejected) {
  constexpr double n = batch_size, N = ManyRegressions::rows;
  for (const std::string sampler : {"sgld", "sghmc", "sgnht", "baoab"}) {
    auto noise = noise_of("minibatch", false);
    noise.at_mean = 0.0;
    EXPECT_GT(z_of({sampler, "minibatch", false}, law(sampler, false, noise)), threshold) << sampler << ", no noise";
    if (sampler == "sgnht") continue;  // it absorbs noise of any size, which hides small errors in the noise
    // Mutants: rows drawn with replacement instead of without, saga without noise, an svrg snapshot that never moves.
    noise.at_mean = noise_of("minibatch", false).at_mean / (1.0 - n / N);
    EXPECT_GT(z_of({sampler, "minibatch", false}, law(sampler, false, noise)), threshold) << sampler;
    EXPECT_GT(z_of({sampler, "saga", false}, law(sampler, false, {})), threshold) << sampler;
    EXPECT_GT(z_of({sampler, "svrg", true}, law(sampler, true, noise_of("cv", true))), threshold) << sampler;
  }
}

TEST(GaussianPosterior, RowsOfEqualCurvature_ControlVariatesAndSvrgGiveTheDrawsOfFullGradients) {
  for (const std::string sampler : {"sgld", "sghmc", "sgnht", "baoab"}) {
    const auto& full = run(sampler, "full", false);
    for (const std::string estimator : {"cv", "svrg"}) {
      const auto& other = run(sampler, estimator, false);
      double worst = 0.0;
      for (std::size_t t = 0; t < full.draws.draws(0); ++t)
        for (std::size_t j = 0; j < dimension; ++j)
          worst = std::max(worst, std::abs(full.draws(0, t, j) - other.draws(0, t, j)));
      EXPECT_LT(worst, 1e-10) << sampler << "-" << estimator;
    }
  }
}

}  // namespace
}  // namespace sgmcmc::testing
