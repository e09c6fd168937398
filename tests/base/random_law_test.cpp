// The distributions of the random sequences, compared with Boost's. Every test draws 2^15 or more numbers with a fixed
// seed and compares one statistic with its limit law; the false-alarm rate of each comparison is 1e-6 (chi-square and
// Kolmogorov bounds below), so of the whole file below 1e-4. Each kind of test must reject a slightly wrong
// distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <functional>
#include <sgmcmc/random.hpp>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t count = std::size_t{1} << 17;
constexpr double false_alarm = 1e-6;

StreamKey key_of(std::uint64_t seed) { return {.seed = seed, .chain = 1, .iteration = 9, .purpose = Purpose::user}; }

/// Kolmogorov's distance times sqrt(n); beyond bound it has probability 2 exp(-2 bound^2) at most.
double kolmogorov(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    worst = std::max({worst, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return worst * std::sqrt(n);
}
const double kolmogorov_bound = std::sqrt(0.5 * std::log(2.0 / false_alarm));

/// The chi-square statistic over its quantile: above 1 is an alarm. Cells with fewer than 10 expected are joined.
double chi_square_ratio(const std::vector<double>& observed, const std::vector<double>& probability) {
  double total = 0.0;
  for (const double o : observed) total += o;
  double statistic = 0.0, joined_observed = 0.0, joined_expected = 0.0;
  int cells = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    joined_observed += observed[i];
    joined_expected += total * probability[i];
    double expected_after = 0.0;
    for (std::size_t j = i + 1; j < observed.size() && expected_after < 10.0; ++j)
      expected_after += total * probability[j];
    if (joined_expected < 10.0 || (expected_after < 10.0 && i + 1 < observed.size())) continue;
    statistic += (joined_observed - joined_expected) * (joined_observed - joined_expected) / joined_expected;
    joined_observed = joined_expected = 0.0;
    ++cells;
  }
  const boost::math::chi_squared law(cells - 1);
  return statistic / quantile(complement(law, false_alarm));
}

double normal_cdf(double x) { return cdf(boost::math::normal(), x); }

TEST(UniformLaw, Sample_FollowsItAndAMutantDoesNot) {
  std::vector<double> u(count);
  fill_uniform(key_of(1), u);
  EXPECT_LT(kolmogorov(u, [](double x) { return x; }), kolmogorov_bound);
  EXPECT_GT(kolmogorov(u, [](double x) { return x * x * 0.05 + x * 0.95; }), kolmogorov_bound) << "mutant";
}

TEST(NormalLaw, Sample_FollowsItAndAMutantDoesNot) {
  std::vector<double> wide(count);
  fill_normal(key_of(2), wide);
  EXPECT_LT(kolmogorov(wide, normal_cdf), kolmogorov_bound);
  EXPECT_GT(kolmogorov(wide, [](double x) { return normal_cdf(x / 1.03); }), kolmogorov_bound) << "mutant";
  EXPECT_GT(kolmogorov(wide, [](double x) { return normal_cdf(x - 0.02); }), kolmogorov_bound) << "mutant";
  std::vector<float> narrow(count);
  fill_normal(key_of(3), narrow);
  EXPECT_LT(kolmogorov({narrow.begin(), narrow.end()}, normal_cdf), kolmogorov_bound);
}

TEST(NormalLaw, Tails_HoldTheRightShare) {
  // Counts beyond 4 in 2^24 draws: Poisson with mean 1063; 4.9 standard deviations are a rate of 1e-6.
  std::vector<double> wide(std::size_t{1} << 20);
  std::vector<float> narrow(std::size_t{1} << 20);
  double beyond_wide = 0, beyond_narrow = 0;
  for (std::uint64_t block = 0; block < 16; ++block) {
    fill_normal(key_of(4), wide, block << 20);
    fill_normal(key_of(5), narrow, block << 20);
    beyond_wide +=
        static_cast<double>(std::count_if(wide.begin(), wide.end(), [](double x) { return std::abs(x) > 4; }));
    beyond_narrow +=
        static_cast<double>(std::count_if(narrow.begin(), narrow.end(), [](float x) { return std::abs(x) > 4; }));
  }
  const double expected = 2 * normal_cdf(-4.0) * 0x1p24;
  EXPECT_NEAR(beyond_wide, expected, 4.9 * std::sqrt(expected));
  EXPECT_NEAR(beyond_narrow, expected, 4.9 * std::sqrt(expected));
}

TEST(NormalLaw, PartnersAndNeighbours_AreUncorrelated) {
  // Cosine and sine partners lie 8 apart (16 in float), neighbours 1 apart. sqrt(n) times a correlation of values or of
  // squares (over its standard deviation) is standard normal: 4.9 is a rate of 1e-6.
  std::vector<double> x(count);
  fill_normal(key_of(6), x);
  std::vector<float> narrow(count);
  fill_normal(key_of(6), narrow);
  std::vector<double> y(narrow.begin(), narrow.end());
  for (const auto* sample : {&x, &y}) {
    for (const std::size_t lag : {1U, 8U, 16U, 64U}) {
      double products = 0.0, squares = 0.0;
      for (std::size_t i = 0; i + lag < count; ++i) {
        const double a = (*sample)[i], b = (*sample)[i + lag];
        products += a * b;
        squares += (a * a - 1) * (b * b - 1) / 2;
      }
      EXPECT_LT(std::abs(products), 4.9 * std::sqrt(static_cast<double>(count))) << lag;
      EXPECT_LT(std::abs(squares), 4.9 * std::sqrt(static_cast<double>(count))) << lag;
    }
  }
}

TEST(NormalLaw, SuccessiveIterations_AreUncorrelated) {
  double products = 0.0;
  std::vector<double> before(16), now(16);
  StreamKey key = key_of(7);
  constexpr std::uint64_t iterations = 8192;
  for (std::uint64_t iteration = 0; iteration <= iterations; ++iteration, before.swap(now)) {
    key.iteration = iteration;
    fill_normal(key, now);
    if (iteration == 0) continue;
    for (std::size_t i = 0; i < now.size(); ++i) products += before[i] * now[i];
  }
  EXPECT_LT(std::abs(products), 4.9 * std::sqrt(static_cast<double>(16 * iterations)));
}

TEST(ExponentialLaw, Sample_FollowsItAndAMutantDoesNot) {
  std::vector<double> x(count);
  fill_exponential(key_of(8), x);
  const auto cdf_with_rate = [](double rate) { return [rate](double v) { return -std::expm1(-rate * v); }; };
  EXPECT_LT(kolmogorov(x, cdf_with_rate(1.0)), kolmogorov_bound);
  EXPECT_GT(kolmogorov(x, cdf_with_rate(1.03)), kolmogorov_bound) << "mutant";
}

TEST(IntegerLaw, Cells_FillEvenlyAndABiasedMutantDoesNot) {
  std::vector<std::uint32_t> values(count);
  for (const std::uint32_t bound : {1000U, 3U * (1U << 30)}) {
    fill_below(key_of(9), bound, values);
    constexpr std::size_t cells = 1000;
    std::vector<double> observed(cells), mutant(cells);
    for (const std::uint32_t value : values) {
      observed[static_cast<std::size_t>(std::uint64_t{value} * cells / bound)] += 1;
    }
    const std::vector<double> even(cells, 1.0 / cells);
    EXPECT_LT(chi_square_ratio(observed, even), 1.0) << bound;
    // The mutant takes words modulo the bound: twice as often below 2^30 when the bound is 3 * 2^30.
    fill_below(key_of(9), 0xffffffff, values);
    for (const std::uint32_t word : values)
      mutant[static_cast<std::size_t>(std::uint64_t{word % bound} * cells / bound)] += 1;
    if (bound > 1000) {
      EXPECT_GT(chi_square_ratio(mutant, even), 1.0);
    }
  }
}

constexpr std::size_t gamma_count = std::size_t{1} << 15;  // fewer: the reference is slow

TEST(GammaLaw, EveryShape_IsFollowedAndAMutantIsNot) {
  std::vector<double> value(gamma_count);
  for (const double shape : {0.2, 0.7, 1.0, 1.5, 4.0, 50.0, 1e4}) {
    const boost::math::gamma_distribution<> law(shape);
    fill_gamma(key_of(10), std::vector<double>(gamma_count, shape), value);
    EXPECT_LT(kolmogorov(value, [&](double x) { return cdf(law, x); }), kolmogorov_bound) << shape;
    const boost::math::gamma_distribution<> off(shape + 0.06 * std::sqrt(shape));
    EXPECT_GT(kolmogorov(value, [&](double x) { return cdf(off, x); }), kolmogorov_bound) << "mutant " << shape;
  }
}

TEST(GammaLaw, TinyShape_IsRightInLogs) {
  // Most of Gamma(0.001) lies below the smallest double; log(Gamma) there has cdf exp(shape y) / Gamma(shape + 1).
  constexpr double shape = 1e-3;
  std::vector<double> value(gamma_count);
  fill_log_gamma(key_of(11), std::vector<double>(gamma_count, shape), value);
  const auto law = [](double scale) {
    return [scale](double y) {
      const double power = std::exp(scale * shape * y) / std::tgamma(shape + 1);
      return y < -40 ? power : boost::math::gamma_p(scale * shape, std::exp(y));
    };
  };
  EXPECT_LT(kolmogorov(value, law(1.0)), kolmogorov_bound);
  EXPECT_GT(kolmogorov(value, law(1.1)), kolmogorov_bound) << "mutant";
}

std::vector<double> poisson_sample(double mean, std::uint64_t seed) {
  std::vector<double> value(count);
  fill_poisson(key_of(seed), std::vector<double>(count, mean), value);
  return value;
}

double poisson_ratio(const std::vector<double>& sample, double mean) {
  const boost::math::poisson_distribution<> law(mean);
  const double spread = 8 * std::sqrt(mean) + 30;
  const double low = std::max(0.0, std::floor(mean - spread));
  const auto cells = static_cast<std::size_t>(std::floor(mean + spread) - low) + 1;
  std::vector<double> observed(cells), probability(cells);
  for (std::size_t k = 0; k < cells; ++k) probability[k] = pdf(law, low + static_cast<double>(k));
  for (const double value : sample) {
    EXPECT_EQ(value, std::floor(value));
    observed[std::min(cells - 1, static_cast<std::size_t>(std::max(0.0, value - low)))] += 1;
  }
  return chi_square_ratio(observed, probability);
}

TEST(PoissonLaw, EveryMean_IsFollowedAndAMutantIsNot) {
  for (const double mean : {0.05, 1.0, 5.0, 9.9, 10.0, 12.5, 40.0, 300.0, 5000.0}) {
    const auto sample = poisson_sample(mean, 12);
    EXPECT_LT(poisson_ratio(sample, mean), 1.0) << mean;
    EXPECT_GT(poisson_ratio(sample, mean + 0.04 * std::sqrt(mean)), 1.0) << "mutant " << mean;
  }
}

TEST(PoissonLaw, HugeMeans_AreNormalInTheLimit) {
  for (const double mean : {1e8, 1e12, 1e15}) {
    const auto sample = poisson_sample(mean, 13);
    std::vector<double> scaled;
    for (const double value : sample) scaled.push_back((value - mean) / std::sqrt(mean));
    EXPECT_LT(kolmogorov(scaled, normal_cdf), kolmogorov_bound) << mean;
    for (double& value : scaled) value = value * 1.03;
    EXPECT_GT(kolmogorov(scaled, normal_cdf), kolmogorov_bound) << "mutant " << mean;
  }
}

}  // namespace
}  // namespace sgmcmc
