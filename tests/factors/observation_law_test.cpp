// Laws of ratings: closed forms, numerical integrals, and simulation.
#include "factors/observation_law.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace sgmcmc {
namespace {

TEST(StableTable, AtAlphaOne_IsTheCauchyLaw) {
  const StableTable table(1.0);
  for (double log_t = -25; log_t < 80; log_t += 0.37) {
    const double log_sum = log_t > 40 ? log_t : std::log1p(std::exp(log_t));
    const double share = 1 / (1 + std::exp(-log_t));
    EXPECT_NEAR(table.density(log_t).log, -1.5 * log_sum, 1e-6) << log_t;
    EXPECT_NEAR(table.density(log_t).slope, -1.5 * share, 1e-5) << log_t;
    EXPECT_NEAR(table.tail(log_t).log, -0.5 * log_sum, 1e-6) << log_t;
  }
  EXPECT_GT(std::abs(StableTable(1.1).density(0).log - table.density(0).log), 1e-2);  // can tell others apart
}

/// For a modulus r of scale 1, E exp(-z r^2 / 2) = E 1 / (1 + z F), which follows from the Laplace transform of F.
TEST(StableTable, GaussianWindows_HaveTheExpectationOfTheMixture) {
  for (const double alpha : {1.05, 1.5, 1.9}) {
    const StableTable table(alpha);
    for (const double z : {0.1, 1.0, 5.0}) {
      // E exp(-z t / 2), by parts: 1 - (z / 2) integral h(t) exp(-z t / 2) dt, over log t.
      double integral = 0;
      constexpr double step = 0.01;
      for (double log_t = -30; log_t < 12; log_t += step)
        integral += step * std::exp(table.tail(log_t).log + log_t - 0.5 * z * std::exp(log_t));
      // E 1 / (1 + z F) = integral exp(-s - (2 z s)^(alpha / 2)) ds, over log s.
      double expected = 0;
      for (double log_s = -60; log_s < 5; log_s += step)
        expected += step * std::exp(log_s - std::exp(log_s) - std::pow(2 * z * std::exp(log_s), 0.5 * alpha));
      EXPECT_NEAR(1 - 0.5 * z * integral, expected, 1e-6) << alpha << " " << z;
    }
  }
}

TEST(ObservationLaw, Densities_AreDerivativesOfDistributionFunctions) {
  const ObservationLaw stable(Observations::stable, 1.4);
  for (const double r : {0.05, 0.7, 3.0, 40.0}) {
    const double x = 1.7, step = 1e-4 * r;
    EXPECT_NEAR((stable.below(r + step, x) - stable.below(r - step, x)) / (2 * step),
                std::exp(stable.log_density(r, x)), 1e-4 * std::exp(stable.log_density(r, x)));
  }
  const ObservationLaw poisson(Observations::poisson, 1.5), bernoulli(Observations::bernoulli, 1.5);
  double sum = 0;
  for (int count = 0; count < 20; ++count) {
    sum += std::exp(poisson.log_density(count, 3.4));
    EXPECT_NEAR(poisson.below(count, 3.4), sum, 1e-12);
  }
  for (const double x : {-40.0, -31.0, -29.0, -1.0, 0.0, 2.0}) {
    EXPECT_NEAR(std::exp(bernoulli.log_density(0, x)), bernoulli.below(0, x), 1e-12);
    EXPECT_NEAR(bernoulli.mean(x), 1 - bernoulli.below(0, x), 1e-12);
    EXPECT_NEAR(bernoulli.log_density(1, x), bernoulli.log_density(1, x + 1e-9), 1e-7);
  }
}

TEST(ObservationLaw, MeansOfStableModuli_AreThoseOfTheirTails) {
  const ObservationLaw law(Observations::stable, 1.6);
  double mean = 0;  // the integral of the tail probability
  for (double log_r = -30; log_r < 60; log_r += 0.01) {
    const double r = std::exp(log_r);
    mean += 0.01 * r * (1 - law.below(r, 2.0));
  }
  EXPECT_NEAR(law.mean(2.0), mean, 1e-3 * mean);
}

TEST(ObservationLaw, Quantiles_ReachTheirProbability) {
  const std::array<ObservationLaw::Uncertain, 2> parts{{{2.0, 0.0}, {5.0, 3.0}}};
  const auto below = [&](const ObservationLaw& law, double r) {
    return 0.5 * (law.below(r, parts[0]) + law.below(r, parts[1]));
  };
  const ObservationLaw poisson(Observations::poisson, 1.5), stable(Observations::stable, 1.5);
  for (const double p : {0.001, 0.05, 0.5, 0.95, 0.999}) {
    const double count = poisson.quantile(parts, p);
    EXPECT_EQ(count, std::floor(count));
    EXPECT_GE(below(poisson, count), p);
    EXPECT_LT(below(poisson, count - 1), p);
    EXPECT_NEAR(below(stable, stable.quantile(parts, p)), p, 1e-4);
  }
}

/// Counts with a gamma distributed mean, by summing over it.
TEST(ObservationLaw, UncertainPoissonMeans_GiveNegativeBinomialCounts) {
  const ObservationLaw law(Observations::poisson, 1.5);
  const double mean = 4, variance = 6, shape = mean * mean / variance, rate = mean / variance;
  for (const int count : {0, 3, 9}) {
    double expected = 0;
    for (double log_x = -20; log_x < 5; log_x += 0.001) {
      const double x = std::exp(log_x);
      expected +=
          0.001 * law.below(count, x) * std::exp(shape * (log_x + std::log(rate)) - rate * x - std::lgamma(shape));
    }
    EXPECT_NEAR(law.below(count, ObservationLaw::Uncertain{mean, variance}), expected, 1e-5);
  }
  EXPECT_NEAR(law.variance({mean, variance}), mean + variance, 1e-12);
}

TEST(Observations, RatingsThatDoNotFit_AreRefused) {
  const auto refusal = [](Observations observations, double rating) -> std::string {
    Ratings::Builder builder(2, 2);
    builder.add(0, 0, 1).add(1, 1, rating);
    FactorOptions options;
    options.observations = observations;
    options.iterations = 2;
    try {
      factorize(builder.build(), options);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal(Observations::poisson, 1.5).find("is '1.5'; poisson observations are the counts 0, 1, 2, ..."),
            std::string::npos);
  EXPECT_NE(refusal(Observations::poisson, -1), "");
  EXPECT_NE(refusal(Observations::bernoulli, 2), "");
  EXPECT_NE(refusal(Observations::stable, 0), "");
  EXPECT_EQ(refusal(Observations::gaussian, -1.5), "");
}

TEST(Observations, OptionsThatDoNotSuitThem_AreRefused) {
  const auto refused = [](const auto& change) {
    FactorOptions options;
    options.observations = Observations::poisson;
    change(options);
    EXPECT_THROW(options.validate(), OptionError);
  };
  refused([](FactorOptions& o) { o.noise_precision = 1; });
  refused([](FactorOptions& o) { o.offset = -1; });
  refused([](FactorOptions& o) { o.method = FactorMethod::hamcmc; });
  refused([](FactorOptions& o) { o.observations = Observations::stable, o.alpha = 2; });
  EXPECT_EQ(observations_of_name("bernoulli"), Observations::bernoulli);
  EXPECT_THROW(observations_of_name("bernouli"), OptionError);
}

}  // namespace
}  // namespace sgmcmc
