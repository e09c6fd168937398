// Runs of psgld, sgfs-diagonal and hamcmc on Gaussian posteriors: with every estimator they have the variance of their
// discretised chain, including gradient noise.
#include "run/models.hpp"
#include "run/second_moments.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

namespace sgmcmc::testing {
namespace {

constexpr double false_alarm_rate = 1e-5;  // of each of some thirty comparisons
const double threshold = z_threshold(false_alarm_rate);
constexpr std::size_t dimension = 400;
constexpr std::int64_t batch_size = 2;
constexpr std::uint64_t refresh_every = 4, warmup = 300, iterations = 1500;
constexpr double n = batch_size, N = ManyRegressions::rows;
constexpr double newton_step = 0.4;

/// The alpha of sgfs-diagonal: with the noise of plain minibatches, C is so large that little noise must be added.
double alpha_of(const std::string& estimator) { return estimator == "minibatch" ? 1.5 : 4.0; }

const ManyRegressions& problem(bool slopes) {
  static const ManyRegressions means(dimension, false), regressions(dimension, true);
  return slopes ? regressions : means;
}

SampleOptions options_for(const std::string& method, bool slopes) {
  SampleOptions options;
  options.method(method);
  // A regularisation so large that the root does not matter: the effective step is 0.6. Other tests cover the root.
  if (auto* psgld = std::get_if<PsgldOptions>(&options.sampler)) *psgld = {.step_size = 0.6e5, .regularisation = 1e5};
  if (auto* sgfs = std::get_if<SgfsDiagonalOptions>(&options.sampler))
    sgfs->alpha = alpha_of(std::string(estimator_name(options.gradient.estimator)));
  if (auto* hamcmc = std::get_if<HamcmcOptions>(&options.sampler)) *hamcmc = {.step_size = newton_step, .history = 2};
  options.gradient.minibatch.batch_size = batch_size;
  options.gradient.refresh_every = refresh_every;
  options.gradient.centre = problem(slopes).mean();
  options.initial = {{"theta", problem(slopes).mean()}};
  options.warmup = warmup;
  options.iterations = iterations;
  options.threads = 1;
  return options;
}

EstimatorNoise noise_of(const std::string& estimator, bool slopes) {
  const auto& p = problem(slopes);
  EstimatorNoise noise;
  if (estimator == "minibatch") noise.at_mean = p.noise_at_mean(n);
  if (estimator != "full" && estimator != "saga") noise.per_square = p.noise_per_square(n);
  if (estimator == "svrg") noise.refresh_every = refresh_every;
  if (estimator == "saga") {
    noise.share = n / N;
    noise.curvature = N / (ManyRegressions::sd * ManyRegressions::sd);
    noise.batch_variance = (1.0 - n / N) / n * N / (N - 1.0);
  }
  return noise;
}

/// Uses the expectation of C, the average over batches: the variance depends on C only in second order. mistake: a
/// factor on the noise in C.
double sgfs_variance(const std::string& estimator, bool slopes, const EstimatorNoise& noise, double mistake = 1.0) {
  const auto& p = problem(slopes);
  const double per_noise = n / (N - n);  // N times the variance of a row's gradient, over that of the estimate
  SecondMoments moments(p.precision(), noise);
  const double alpha = alpha_of(estimator), gain = 2.0 / (1.0 + alpha * alpha);
  double average = 0.0, variance = 0.0;
  for (std::uint64_t t = 0; t < warmup + iterations; ++t) {
    const double information = per_noise * (p.noise_at_mean(n) + p.noise_per_square(n) * moments.position_variance());
    const double told = information + mistake * moments.next_gradient_noise();
    if (t == 0) average = told;
    average += (told - average) / static_cast<double>(t + 2);
    const double C = average + 1.0 / (ManyRegressions::prior_sd * ManyRegressions::prior_sd);
    moments.kick(0.0, gain / C, gain * gain * alpha * alpha / C);
    moments.drift(1.0);
    if (t >= warmup) variance += moments.position_variance() / static_cast<double>(iterations);
  }
  return variance;
}

/// theta_t = (1 - e) theta_{t-2} + (e / a) noise + sqrt(2 e / a) z: H is exactly 1 / a if all rows have the same
/// curvature. With saga, the two interleaved chains share its memory.
double hamcmc_variance(const EstimatorNoise& noise) {
  const double a = problem(false).precision(), e = newton_step;
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();  // theta_{t-1}, theta_{t-2}, the mean over rows of alpha
  double mean_square = 0.0, variance = noise.at_mean;
  for (int t = 0; t < 3000; ++t) {
    Eigen::Matrix3d A;
    A << 0.0, 1.0 - e, 0.0, 1.0, 0.0, 0.0, 0.0, noise.share, 1.0 - noise.share;
    Eigen::Vector3d form(e / a, 0.0, 0.0);
    if (noise.share > 0.0) {
      variance = noise.curvature * noise.curvature * noise.batch_variance * (mean_square - m(2, 2));
      form[2] = -noise.share / noise.curvature;
      mean_square = (1.0 - noise.share) * mean_square + noise.share * m(1, 1);
    }
    m = (A * m * A.transpose() + variance * form * form.transpose()).eval();
    m(0, 0) += 2.0 * e / a;
  }
  return m(0, 0);
}

double law(const std::string& sampler, const std::string& estimator, bool slopes, const EstimatorNoise& noise) {
  if (sampler == "psgld") return sgld_variance(0.6, problem(slopes).precision(), noise);
  if (sampler == "sgfs-diagonal") return sgfs_variance(estimator, slopes, noise);
  return hamcmc_variance(noise);
}

struct Combination {
  std::string sampler, estimator;
  bool slopes;
  friend void PrintTo(const Combination& c, std::ostream* out) { *out << c.sampler << " with " << c.estimator; }
};

/// Caches runs, because mutants are tested on the same draws.
const SampleResult& run(const Combination& c) {
  static std::map<std::string, SampleResult> done;
  const std::string method = c.sampler + "-" + c.estimator;
  auto& result = done[method + (c.slopes ? " slopes" : "")];
  if (result.names.empty()) result = sample(problem(c.slopes).model(), options_for(method, c.slopes));
  return result;
}

/// z-score of the variance about the posterior mean, with coordinates as replicates.
double z_of(const Combination& c, double expected) {
  const auto& result = run(c);
  Vector replicates(dimension, 0.0);
  const std::size_t draws = result.draws.draws(0);
  for (std::size_t t = 0; t < draws; ++t)
    for (std::size_t j = 0; j < dimension; ++j) {
      const double distance = result.draws(0, t, j) - problem(c.slopes).mean()[j];
      replicates[j] += distance * distance / static_cast<double>(draws);
    }
  const Estimate found = mean_of_replicates(replicates);
  EXPECT_LT(found.standard_error, 0.01 * found.value) << "too little data to mean anything";
  return found.z_score(expected);
}

class PreconditionedLaw : public ::testing::TestWithParam<Combination> {};

TEST_P(PreconditionedLaw, Variance_IsThatOfTheDiscretisedChain) {
  const auto& c = GetParam();
  EXPECT_LT(std::abs(z_of(c, law(c.sampler, c.estimator, c.slopes, noise_of(c.estimator, c.slopes)))), threshold);
}

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const char* sampler : {"psgld", "sgfs-diagonal", "hamcmc"})
    for (const char* estimator : {"full", "minibatch", "cv", "saga", "svrg"}) {
      all.push_back({sampler, estimator, false});
      const std::string name = estimator;
      if (std::string(sampler) != "hamcmc" && name != "full" && name != "saga") all.push_back({sampler, name, true});
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EverySamplerWithEveryEstimator, PreconditionedLaw, ::testing::ValuesIn(combinations()),
                         [](const auto& which) {
                           std::string name = which.param.sampler + "_" + which.param.estimator;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + (which.param.slopes ? "_slopes" : "");
                         });

TEST(PreconditionedLaw, Mutants_AreRejected) {
  const auto z_if = [&](const Combination& c, const EstimatorNoise& noise) {
    return std::abs(z_of(c, law(c.sampler, c.estimator, c.slopes, noise)));
  };
  for (const std::string sampler : {"psgld", "hamcmc"}) {
    auto noise = noise_of("minibatch", false);
    noise.at_mean = 0.0;
    EXPECT_GT(z_if({sampler, "minibatch", false}, noise), threshold) << sampler;
    noise.at_mean = noise_of("minibatch", false).at_mean / (1.0 - n / N);  // rows drawn with replacement
    EXPECT_GT(z_if({sampler, "minibatch", false}, noise), threshold) << sampler;
    EXPECT_GT(z_if({sampler, "saga", false}, {}), threshold) << sampler;
  }
  // sgfs mutants: noise in C as if rows were drawn with replacement, and too little noise.
  for (const double mistake : {1.0 / (1.0 - n / N), 0.7})
    EXPECT_GT(std::abs(z_of({"sgfs-diagonal", "minibatch", false},
                            sgfs_variance("minibatch", false, noise_of("minibatch", false), mistake))),
              threshold)
        << mistake;
}

TEST(PreconditionedLaw, RowsOfEqualCurvature_ControlVariatesAndSvrgGiveTheDrawsOfFullGradients) {
  for (const std::string sampler : {"psgld", "hamcmc"}) {
    const auto& full = run({sampler, "full", false});
    for (const std::string estimator : {"cv", "svrg"}) {
      const auto& other = run({sampler, estimator, false});
      double worst = 0.0;
      for (std::size_t t = 0; t < full.draws.draws(0); ++t)
        for (std::size_t j = 0; j < dimension; ++j)
          worst = std::max(worst, std::abs(full.draws(0, t, j) - other.draws(0, t, j)));
      EXPECT_LT(worst, 1e-9) << sampler << "-" << estimator;
    }
  }
}

}  // namespace
}  // namespace sgmcmc::testing
