// Stein discrepancies and moments: hand-computed values, invariances, expectations under the target and away from it.
#include "errors/message_of.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/stein.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace sgmcmc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Estimate;
using testing::mean_of_replicates;
using testing::message_of;
using testing::z_threshold;

std::vector<double> normals(std::size_t count, std::uint64_t which) {
  std::vector<double> values(count);
  fill_normal({77, 0, which, Purpose::user}, values);
  return values;
}

/// Points z -> place(z), z standard normal, with exact gradients.
SteinPoints points_at(std::size_t count, std::size_t dimension, std::uint64_t which,
                      const std::function<double(double z, std::size_t coordinate)>& place,
                      const std::function<double(double x)>& gradient) {
  SteinPoints points;
  points.dimension = dimension;
  points.positions = normals(count * dimension, which);
  points.gradients.resize(points.positions.size());
  for (std::size_t k = 0; k < points.positions.size(); ++k) {
    points.positions[k] = place(points.positions[k], k % dimension);
    points.gradients[k] = gradient(points.positions[k]);
  }
  return points;
}

SteinPoints standard_normal_points(std::size_t count, std::size_t dimension, std::uint64_t which, double scale = 1.0,
                                   double shift = 0.0) {
  return points_at(
      count, dimension, which, [=](double z, std::size_t) { return shift + scale * z; }, [](double x) { return -x; });
}

/// Adds independent noise to the gradients.
SteinPoints with_noise(SteinPoints points, double sd, std::uint64_t which) {
  const auto noise = normals(points.gradients.size(), which);
  for (std::size_t k = 0; k < noise.size(); ++k) points.gradients[k] += sd * noise[k];
  return points;
}

SteinKernelOptions plain_kernel() {
  SteinKernelOptions options;
  options.scale = SteinScale::none;
  options.threads = 1;
  return options;
}

TEST(SteinDiscrepancy, TwoPoints_AreTheValuesWorkedOutByHand) {
  SteinPoints points{1, {0.0, 1.0}, {0.0, -1.0}, {}, {}};
  const auto found = stein_discrepancy(points, plain_kernel());
  const double pair = -1.5 / std::pow(2.0, 1.5);  // k0(0, 1); k0(0, 0) = 1, k0(1, 1) = 2
  EXPECT_NEAR(found.u_squared, pair, 1e-14);
  EXPECT_NEAR(found.v_squared, (1.0 + 2.0 + 2.0 * pair) / 4.0, 1e-14);
  EXPECT_NEAR(found.exact_squared, 0.75, 1e-14);
  EXPECT_EQ(found.points, 2u);
  points.weights = {3.0, 1.0};
  const auto weighted = stein_discrepancy(points, plain_kernel());
  EXPECT_NEAR(weighted.v_squared, (9.0 * 1.0 + 2.0 + 6.0 * pair) / 16.0, 1e-14);
  EXPECT_NEAR(weighted.u_squared, pair, 1e-14);
}

TEST(SteinDiscrepancy, SeveralDimensions_IsTheSteinOperatorAppliedTwiceToTheKernel) {
  constexpr std::size_t count = 6, dimension = 3;
  constexpr double c = 0.7, step = 1e-4;
  SteinPoints points{dimension, normals(count * dimension, 1), normals(count * dimension, 2), {}, {}};
  const auto kernel = [&](const VectorXd& x, const VectorXd& y) {
    return 1.0 / std::sqrt(c * c + (x - y).squaredNorm());
  };
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      const VectorXd x = Eigen::Map<VectorXd>(points.positions.data() + 3 * i, 3);
      const VectorXd y = Eigen::Map<VectorXd>(points.positions.data() + 3 * j, 3);
      const VectorXd g = Eigen::Map<VectorXd>(points.gradients.data() + 3 * i, 3);
      const VectorXd h = Eigen::Map<VectorXd>(points.gradients.data() + 3 * j, 3);
      sum += g.dot(h) * kernel(x, y);
      for (Eigen::Index d = 0; d < 3; ++d) {
        const VectorXd e = step * VectorXd::Unit(3, d);
        sum += g[d] * (kernel(x, y + e) - kernel(x, y - e)) / (2 * step);
        sum += h[d] * (kernel(x + e, y) - kernel(x - e, y)) / (2 * step);
        sum += (kernel(x + e, y + e) - kernel(x + e, y - e) - kernel(x - e, y + e) + kernel(x - e, y - e)) /
               (4 * step * step);
      }
    }
  auto options = plain_kernel();
  options.offset = c;
  EXPECT_NEAR(stein_discrepancy(points, options).u_squared, sum / (count * (count - 1.0)), 1e-6);
}

TEST(SteinDiscrepancy, ManyWeightedPoints_IsTheSumOfTheFormulaOverAllPairs) {
  constexpr std::size_t count = 150, dimension = 3;  // two whole tiles and a part of one, which ends within a pack
  SteinPoints points{dimension, normals(count * dimension, 1), normals(count * dimension, 2), {}, {}};
  for (std::size_t k = 0; k < count; ++k) points.weights.push_back(1.0 + static_cast<double>(k % 7));
  const Eigen::Map<const VectorXd> weights(points.weights.data(), count);
  double different = 0, same = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      const auto at = [&](const std::vector<double>& numbers, std::size_t k) -> VectorXd {
        return Eigen::Map<const VectorXd>(numbers.data() + dimension * k, dimension);
      };
      const VectorXd r = at(points.positions, i) - at(points.positions, j);
      const VectorXd g = at(points.gradients, i), h = at(points.gradients, j);
      const double s = 1.0 + r.squaredNorm();
      const double value = g.dot(h) * std::pow(s, -0.5) - std::pow(s, -1.5) * ((h - g).dot(r) - dimension) -
                           3.0 * r.squaredNorm() * std::pow(s, -2.5);
      (i == j ? same : different) += points.weights[i] * points.weights[j] * value / std::pow(weights.sum(), 2);
    }
  const auto found = stein_discrepancy(points, plain_kernel());
  EXPECT_NEAR(found.v_squared, different + same, 1e-12);
  EXPECT_NEAR(found.u_squared, different / (1.0 - weights.squaredNorm() / std::pow(weights.sum(), 2)), 1e-12);
}

TEST(SteinDiscrepancy, AnyNumberOfThreads_GivesTheSameBits) {
  const auto points = with_noise(standard_normal_points(300, 4, 3), 0.5, 4);
  SteinKernelOptions options;
  options.threads = 1;
  const auto one = stein_discrepancy(points, options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    const auto several = stein_discrepancy(points, options);
    EXPECT_EQ(one.u_squared, several.u_squared);
    EXPECT_EQ(one.v_squared, several.v_squared);
  }
}

TEST(SteinDiscrepancy, CoordinatesMappedLinearly_ChangeNothingOnTheScaleOfTheDraws) {
  const auto points = standard_normal_points(200, 3, 5, 1.2);
  MatrixXd map(3, 3);
  map << 2.0, 0.3, -1.0, 0.0, 50.0, 0.7, 0.5, 0.0, 0.01;
  const auto mapped_by = [&](const MatrixXd& forward) {
    const MatrixXd back = forward.inverse().transpose();
    SteinPoints mapped = points;
    for (std::size_t i = 0; i < points.count(); ++i) {
      Eigen::Map<VectorXd> x(mapped.positions.data() + 3 * i, 3), g(mapped.gradients.data() + 3 * i, 3);
      x = (forward * x).eval() + VectorXd::Constant(3, 4.0);
      g = (back * g).eval();
    }
    return mapped;
  };
  SteinKernelOptions options;
  options.scale = SteinScale::full;
  EXPECT_NEAR(stein_discrepancy(mapped_by(map), options).u_squared, stein_discrepancy(points, options).u_squared, 1e-9);
  options.scale = SteinScale::diagonal;
  EXPECT_NEAR(stein_discrepancy(mapped_by(map.diagonal().asDiagonal()), options).u_squared,
              stein_discrepancy(points, options).u_squared, 1e-10);
}

TEST(EvenlyThinned, PlacesAreSpreadFromEndToEnd) {
  EXPECT_EQ(evenly_thinned(10, 3), (std::vector<std::size_t>{1, 5, 8}));
  EXPECT_EQ(evenly_thinned(4, 9), (std::vector<std::size_t>{0, 1, 2, 3}));
}

/// Unbiased statistics over independent replicates; false alarms 1e-6 each.
Estimate replicated(const std::function<double(std::uint64_t)>& statistic, std::size_t replicates = 200) {
  std::vector<double> values;
  for (std::size_t r = 0; r < replicates; ++r) values.push_back(statistic(1000 + 10 * r));
  return mean_of_replicates(values);
}

TEST(SteinDiscrepancy, DrawsFromTheTarget_HaveExpectationZeroAlsoWithNoisyGradients) {
  const auto options = plain_kernel();
  const double z = z_threshold(1e-6);
  const auto exact =
      replicated([&](auto r) { return stein_discrepancy(standard_normal_points(30, 2, r), options).u_squared; });
  EXPECT_LT(std::abs(exact.z_score(0.0)), z);
  const auto noisy = replicated([&](auto r) {
    return stein_discrepancy(with_noise(standard_normal_points(30, 2, r), 1, r + 1), options).u_squared;
  });
  EXPECT_LT(std::abs(noisy.z_score(0.0)), z);
  // Draws that are too wide, or shifted, are not mistaken for draws from the target.
  const auto wide =
      replicated([&](auto r) { return stein_discrepancy(standard_normal_points(30, 2, r, 1.5), options).u_squared; });
  EXPECT_GT(wide.z_score(0.0), z);
  const auto away = replicated(
      [&](auto r) { return stein_discrepancy(standard_normal_points(30, 2, r, 1, 0.4), options).u_squared; });
  EXPECT_GT(away.z_score(0.0), z);
}

TEST(FiniteSetDiscrepancy, DrawsFromTheTarget_HaveExpectationZeroAlsoWithNoisyGradients) {
  const double z = z_threshold(1e-6);
  const auto exact =
      replicated([](auto r) { return finite_set_discrepancy(standard_normal_points(50, 2, r)).squared; });
  const auto noisy = replicated(
      [](auto r) { return finite_set_discrepancy(with_noise(standard_normal_points(50, 2, r), 1, r + 1)).squared; });
  const auto wide =
      replicated([](auto r) { return finite_set_discrepancy(standard_normal_points(50, 2, r, 1.5)).squared; });
  const auto away =
      replicated([](auto r) { return finite_set_discrepancy(standard_normal_points(50, 2, r, 1, 0.4)).squared; });
  // Scale and locations come from the draws themselves, which causes a bias of order 1 / points.
  EXPECT_LT(std::abs(exact.value), 0.02 * wide.value + z * exact.standard_error);
  EXPECT_LT(std::abs(noisy.value), 0.02 * wide.value + z * noisy.standard_error);
  EXPECT_GT(wide.z_score(0.0), z);
  EXPECT_GT(away.z_score(0.0), z);
}

/// A normal target in three correlated coordinates of very different scales.
struct NormalTarget {
  MatrixXd covariance{3, 3};
  VectorXd mean{3};
  NormalTarget() {
    covariance << 4.0, 0.01, 30.0, 0.01, 1e-4, 0.05, 30.0, 0.05, 400.0;
    mean << -3.0, 100.0, 0.5;
  }
  void fill_gradients(SteinPoints& points) const {
    const MatrixXd precision = covariance.inverse();
    points.gradients.resize(points.positions.size());
    for (std::size_t i = 0; i < points.count(); ++i)
      Eigen::Map<VectorXd>(points.gradients.data() + 3 * i, 3) =
          -precision * (Eigen::Map<const VectorXd>(points.positions.data() + 3 * i, 3) - mean);
  }
};

TEST(SteinMoments, NormalTargetWithExactGradients_IsRecoveredFromAnyDraws) {
  const NormalTarget target;
  SteinPoints points;
  points.dimension = 3;
  std::vector<double> uniform(3 * 40);
  fill_uniform({5, 0, 0, Purpose::user}, uniform);
  for (std::size_t i = 0; i < 40; ++i) {  // neither normal, nor in the right place, nor of the right shape
    points.positions.push_back(10.0 * uniform[3 * i]);
    points.positions.push_back(99.0 + 0.1 * uniform[3 * i + 1]);
    points.positions.push_back(-7.0 + uniform[3 * i + 2] * uniform[3 * i]);
    points.weights.push_back(1.0 + uniform[3 * i + 2]);
  }
  target.fill_gradients(points);
  const auto moments = stein_moments(points);
  ASSERT_EQ(moments.precision.size(), 9u);
  const Eigen::Map<const MatrixXd> precision(moments.precision.data(), 3, 3);
  EXPECT_LT((precision * target.covariance - MatrixXd::Identity(3, 3)).norm(), 1e-7);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const auto& c = moments.coordinates[static_cast<std::size_t>(j)];
    const double sd = std::sqrt(target.covariance(j, j));
    EXPECT_NEAR(c.sd_ratio, c.standard_deviation / sd, 1e-8 * c.sd_ratio);
    EXPECT_NEAR(c.mean_shift, (c.mean - target.mean[j]) / sd, 1e-7);
  }
}

/// z-scores of log(sd_ratio) and mean_shift against the truth, over replicates and coordinates.
struct Scores {
  std::vector<double> ratio, shift, log_ratio;
};
Scores scores_of(const std::function<SteinPoints(std::uint64_t)>& points, double true_ratio, double true_shift,
                 std::size_t replicates = 60) {
  Scores scores;
  for (std::size_t r = 0; r < replicates; ++r) {
    for (const auto& c : stein_moments(points(50'000 + 10 * r)).coordinates) {
      const double error = std::log(c.sd_ratio / true_ratio);
      scores.log_ratio.push_back(error);
      scores.ratio.push_back(error / c.log_sd_ratio_error);
      scores.shift.push_back((c.mean_shift - true_shift) / c.mean_shift_error);
    }
  }
  return scores;
}
double mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return sum / static_cast<double>(values.size());
}

/// Estimates are unbiased within their errors, and the estimated errors are correct: the mean square of a few hundred
/// z-scores is within 30 % of 1 except in fewer than one case in a thousand.
void expect_honest(const Scores& scores) {
  EXPECT_LT(std::abs(mean_of_replicates(scores.ratio).z_score(0.0)), z_threshold(1e-4));
  EXPECT_LT(std::abs(mean_of_replicates(scores.shift).z_score(0.0)), z_threshold(1e-4));
  EXPECT_NEAR(mean_square(scores.ratio), 1.0, 0.3);
  EXPECT_NEAR(mean_square(scores.shift), 1.0, 0.3);
}

TEST(SteinMoments, IndependentDrawsFromANormalTarget_HaveRatioOneWithHonestErrors) {
  expect_honest(scores_of([](auto r) { return standard_normal_points(400, 4, r); }, 1.0, 0.0));
}

TEST(SteinMoments, NoisyGradients_LeaveTheRatioUnbiasedWithHonestErrors) {
  expect_honest(
      scores_of([](auto r) { return with_noise(standard_normal_points(500, 5, r), 1.0, r + 1); }, 1.0, 0.0, 80));
}

TEST(SteinMoments, DrawsTooWideAndInTheWrongPlace_AreMeasured) {
  const auto scores = scores_of([](auto r) { return standard_normal_points(400, 4, r, 1.3, 0.5); }, 1.3, 0.5);
  expect_honest(scores);
  // The moments of the draws themselves are far outside these errors.
  const auto mutant = scores_of([](auto r) { return standard_normal_points(400, 4, r, 1.3, 0.5); }, 1.0, 0.0);
  EXPECT_GT(mean_square(mutant.ratio), 20.0);
  EXPECT_GT(mean_square(mutant.shift), 20.0);
}

TEST(SteinMoments, SkewedTarget_HasRatioOneForDrawsFromIt) {
  // x = log of an exponential variable: density exp(x - exp(x)), gradient 1 - exp(x), skewness -1.1.
  const auto skewed = [](std::uint64_t r) {
    SteinPoints points;
    points.dimension = 2;
    points.positions.resize(2 * 2000);
    fill_exponential({9, 0, r, Purpose::user}, points.positions);
    for (double& x : points.positions) {
      points.gradients.push_back(1.0 - x);
      x = std::log(x);
    }
    return points;
  };
  const auto scores = scores_of(skewed, 1.0, 0.0, 80);
  EXPECT_LT(std::abs(mean_of_replicates(scores.log_ratio).value), 0.01);
  EXPECT_NEAR(mean_square(scores.ratio), 1.0, 0.35);
  EXPECT_NEAR(mean_square(scores.shift), 1.0, 0.35);
  // For the same draws, a wider target is detected, although neither distribution is normal.
  const auto wider = scores_of(
      [&](auto r) {
        auto points = skewed(r);
        for (double& x : points.positions) x *= 0.8;
        for (std::size_t k = 0; k < points.positions.size(); ++k)
          points.gradients[k] = 1.0 - std::exp(points.positions[k]);
        return points;
      },
      1.0, 0.0, 20);
  EXPECT_LT(mean_of_replicates(wider.log_ratio).value, -0.1);
}

TEST(SteinMoments, HeavyTails_HaveRatioOneForDrawsFromThem) {
  // Student t with 8 degrees of freedom, as a normal over the root of a mean of squares.
  const auto student = [](std::uint64_t r) {
    constexpr std::size_t count = 4000;
    SteinPoints points{1, normals(count, r), {}, {}, {}};
    const auto others = normals(8 * count, r + 1);
    for (std::size_t i = 0; i < count; ++i) {
      double squares = 0;
      for (std::size_t k = 0; k < 8; ++k) squares += others[8 * i + k] * others[8 * i + k];
      const double x = points.positions[i] /= std::sqrt(squares / 8.0);
      points.gradients.push_back(-9.0 * x / (8.0 + x * x));
    }
    return points;
  };
  const auto scores = scores_of(student, 1.0, 0.0, 80);
  EXPECT_LT(std::abs(mean_of_replicates(scores.log_ratio).value), 0.01);
  EXPECT_LT(mean_square(scores.ratio), 1.6);
}

TEST(SteinMoments, TooFewPointsForTheDimension_AreLookedAtOneByOne) {
  const auto points = standard_normal_points(60, 20, 8, 1.2);
  const auto moments = stein_moments(points);
  EXPECT_TRUE(moments.precision.empty());
  for (const auto& c : moments.coordinates) EXPECT_NEAR(c.sd_ratio, c.standard_deviation, 1e-12);  // independent
}

TEST(SteinPoints, SizesThatDoNotFit_AreRefused) {
  const auto message = [](const SteinPoints& points) {
    return message_of<OptionError>([&] { stein_moments(points); });
  };
  EXPECT_EQ(message({2, {1, 2, 3, 4}, {1, 2}, {}, {}}),
            "Stein points: 4 positions and 2 gradients are given; expected as many of both, a multiple of 2");
  EXPECT_EQ(message({1, {1, 2}, {1, 2}, {1}, {}}), "Stein points: 1 weights for 2 points");
  EXPECT_EQ(message({1, {1, 2}, {1, NAN}, {}, {}}),
            "Stein points: a position, gradient or weight is not finite; omit that point");
}

}  // namespace
}  // namespace sgmcmc
