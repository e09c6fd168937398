// The marginal density against brute force, its gradient against differences, and estimates from minibatches of groups.
#include "groups/group_models.hpp"

#include "groups/group_pass.hpp"
#include "groups/group_target.hpp"
#include "groups/marginal_estimator.hpp"
#include "groups/split_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc::testing {
namespace {

MarginalPosterior marginal_of(const Model& model) { return {model, *find_groups(model).model}; }

/// log of the integral over the local parameters of every group, by sums over a fine grid: the joint density is a
/// product over groups, so one group is moved at a time while the others stay at 0.
double by_brute_force(const Model& model, const GroupModel& groups, const std::vector<double>& phi) {
  Joint joint(model);
  std::vector<double> theta(joint.size(), 0.0);
  for (std::size_t c = 0; c < phi.size(); ++c) theta[static_cast<std::size_t>(groups.global[c])] = phi[c];
  const double at_zero = joint(theta);
  const double step = groups.width == 1 ? 0.01 : 0.1;
  const int half = groups.width == 1 ? 1500 : 100;
  double total = at_zero;
  for (std::int64_t j = 0; j < groups.groups; ++j) {
    const auto at = [&](std::size_t k) {
      return static_cast<std::size_t>(groups.local[static_cast<std::size_t>(j) * groups.width + k]);
    };
    double sum = 0;
    for (int a = -half; a <= half; ++a) {
      theta[at(0)] = a * step;
      if (groups.width == 1) {
        sum += std::exp(joint(theta) - at_zero) * step;
        continue;
      }
      for (int b = -half; b <= half; ++b) {
        theta[at(1)] = b * step;
        sum += std::exp(joint(theta) - at_zero) * step * step;
      }
    }
    for (std::size_t k = 0; k < groups.width; ++k) theta[at(k)] = 0;
    total += std::log(sum);
  }
  return total;
}

void expect_gradient_of(GroupPass& pass, const std::vector<double>& phi, double tolerance) {
  std::vector<double> gradient(phi.size());
  pass.log_density(phi, gradient);
  for (std::size_t c = 0; c < phi.size(); ++c) {
    const double h = 1e-4;
    auto up = phi, down = phi;
    up[c] += h;
    down[c] -= h;
    const double slope = (pass.log_density(up, {}) - pass.log_density(down, {})) / (2 * h);
    EXPECT_NEAR(gradient[c], slope, tolerance * (1.0 + std::abs(slope))) << "coordinate " << c;
  }
}

TEST(MarginalPosterior, GaussianModels_AreIntegratedExactly) {
  const GroupData data(5, 40, 1);
  for (const bool centred : {true, false}) {
    const Model model = gaussian_intercepts(data, 5, centred);
    const auto posterior = marginal_of(model);
    EXPECT_TRUE(posterior.is_quadratic());
    EXPECT_EQ(posterior.rows_are_known(), centred);
    GroupPass pass(posterior, nullptr);
    for (const std::vector<double>& phi : {std::vector<double>{0.9, -0.5}, {0.2, 0.8}}) {
      EXPECT_NEAR(pass.log_density(phi, {}), by_brute_force(model, posterior.groups(), phi), 1e-7);
      expect_gradient_of(pass, phi, 1e-6);
    }
  }
}

TEST(MarginalPosterior, ScalesNearZeroAndFarOut_AreFiniteOrRefused) {
  const GroupData data(5, 40, 1);
  for (const bool centred : {true, false}) {
    const auto posterior = marginal_of(gaussian_intercepts(data, 5, centred));
    GroupPass pass(posterior, nullptr);
    // If tau is far below the standard errors of the data, the density depends on it only through prior and Jacobian.
    const double low = pass.log_density(std::vector<double>{0.9, -20.0}, {});
    const double lower = pass.log_density(std::vector<double>{0.9, -25.0}, {});
    EXPECT_NEAR(lower - low, -5.0, 1e-4);
    for (const double log_tau : {-60.0, 60.0, 200.0}) {
      const double value = pass.log_density(std::vector<double>{0.9, log_tau}, {});
      EXPECT_FALSE(value > low) << log_tau;
    }
  }
}

TEST(MarginalPosterior, LogisticEffects_AgreeWithBruteForce) {
  const GroupData data(4, 60, 2);
  for (const bool slopes : {false, true}) {
    const Model model = logistic_effects(data, 4, slopes);
    auto posterior = marginal_of(model);
    EXPECT_FALSE(posterior.is_quadratic());
    posterior.set_quadrature(gauss_hermite(posterior.width(), 25));
    GroupPass pass(posterior, nullptr);
    const std::vector<double> phi =
        slopes ? std::vector<double>{0.2, -0.3, -0.4, -0.6} : std::vector<double>{0.2, -0.3, -0.4};
    EXPECT_NEAR(pass.log_density(phi, {}), by_brute_force(model, posterior.groups(), phi), 1e-6);
    expect_gradient_of(pass, phi, 1e-5);
  }
}

TEST(MarginalPosterior, WeightsLeftOut_WouldBeNoticed) {
  // Planted error: points without importance weights, which gives the normal approximation.
  const GroupData data(4, 20, 2);
  const Model model = logistic_effects(data, 4, false);
  auto posterior = marginal_of(model);
  posterior.set_quadrature(gauss_hermite(1, 1));
  GroupPass pass(posterior, nullptr);
  const std::vector<double> phi = {0.2, -0.3, 0.8};
  EXPECT_GT(std::abs(pass.log_density(phi, {}) - by_brute_force(model, posterior.groups(), phi)), 1e-3);
}

TEST(MarginalPosterior, GradientsOfGroups_AddUpToTheWhole) {
  const Model model = logistic_effects(GroupData(7, 60, 3), 7, true);
  const auto posterior = marginal_of(model);
  GroupPass pass(posterior, nullptr);
  const std::vector<double> phi = {0.2, -0.3, -0.4, -0.6};
  std::vector<double> whole(4), sum(4, 0.0);
  pass.groups_only(phi, whole);
  pass.each_gradient(phi, [&](std::span<const std::uint32_t>, std::span<const double> each) {
    for (std::size_t k = 0; k < each.size(); ++k) sum[k % 4] += each[k];
  });
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(sum[c], whole[c], 1e-10 * (1 + std::abs(whole[c])));
}

TEST(GroupPass, Threads_DoNotChangeABit) {
  const Model model = logistic_effects(GroupData(900, 9000, 4), 900, false);
  const auto posterior = marginal_of(model);
  ThreadPool pool(3);
  GroupPass alone(posterior, nullptr), together(posterior, &pool);
  const std::vector<double> phi = {0.2, -0.3, -0.4};
  std::vector<double> one(3), three(3);
  EXPECT_EQ(alone.log_density(phi, one), together.log_density(phi, three));
  EXPECT_EQ(one, three);
}

std::shared_ptr<const GroupTarget> target_of(const Model& model) {
  std::map<std::string, std::vector<double>> findings;
  MarginalSearch search;
  search.minibatches = true;
  return make_group_target(model, *find_groups(model).model, search, nullptr, findings);
}

TEST(MarginalControlVariates, AtTheMode_AreTheFullGradient) {
  const auto target = target_of(logistic_effects(GroupData(60, 600, 5), 60, false));
  MarginalControlVariates some(target, 10, 1, 0);
  FullMarginalEstimator all(target);
  std::vector<double> estimate(3), gradient(3);
  some.estimate(target->mode, 3, estimate);
  all.estimate(target->mode, 0, gradient);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(estimate[c], gradient[c], 1e-8);
}

/// Largest |mean of estimates - full gradient| in standard errors, estimates changed by `mistake` (1: none).
double worst_z(const std::shared_ptr<const GroupTarget>& target, double mistake) {
  MarginalControlVariates some(target, 5, 1, 0);
  FullMarginalEstimator all(target);
  const std::size_t size = target->mode.size();
  std::vector<double> phi = target->mode, gradient(size), at_mode(size), estimate(size), sum(size), square(size);
  const auto deviations = target->map->standard_deviations();
  for (std::size_t c = 0; c < size; ++c) phi[c] += deviations[c];
  all.estimate(phi, 0, gradient);
  all.estimate(target->mode, 0, at_mode);
  const int count = 4000;
  for (int t = 0; t < count; ++t) {
    some.estimate(phi, static_cast<std::uint64_t>(t), estimate);
    for (std::size_t c = 0; c < size; ++c) {
      const double e = at_mode[c] + mistake * (estimate[c] - at_mode[c]);
      sum[c] += e;
      square[c] += e * e;
    }
  }
  double worst = 0;
  for (std::size_t c = 0; c < size; ++c) {
    const double mean = sum[c] / count, error = std::sqrt((square[c] / count - mean * mean) / count);
    worst = std::max(worst, std::abs(mean - gradient[c]) / error);
  }
  return worst;
}

TEST(MarginalControlVariates, Estimates_AreUnbiased) {
  // False alarms: 3 coordinates beyond 4.5 standard errors, 2e-5.
  const auto target = target_of(logistic_effects(GroupData(60, 600, 5), 60, false));
  EXPECT_LT(worst_z(target, 1.0), 4.5);
  EXPECT_GT(worst_z(target, 5.0 / 60.0), 4.5);  // J/S left out
  EXPECT_GT(worst_z(target, 0.9), 4.5);
}

// ---- Groups cut into pieces

/// Rows of which the first group has half.
GroupData with_a_large_group(std::size_t groups, std::size_t rows, std::uint64_t seed) {
  GroupData data(groups, rows, seed);
  for (std::size_t i = groups; i < rows; i += 2) data.group[i] = 1;
  return data;
}
constexpr SplitOptions small_pieces = {150, 16, 60};

TEST(SplitGroups, TheJointDensity_IsThatOfTheWholeGroup) {
  for (const bool slopes : {false, true}) {
    const Model model = logistic_effects(with_a_large_group(6, 400, 2), 6, slopes);
    const auto whole = *find_groups(model).model;
    auto split = split_groups(model, whole, small_pieces);
    ASSERT_EQ(split.splits.size(), 1U);
    EXPECT_GT(split.groups, whole.groups + 8);
    EXPECT_EQ(split.levels(), 6U);
    EXPECT_EQ(split.global.size(), whole.global.size() + whole.width);
    // Integrated over the parameters of the split group, by sums over a grid, it is the density of the whole one.
    MarginalPosterior of_whole(model, whole), of_split(model, std::move(split));
    of_whole.set_quadrature(gauss_hermite(whole.width, 13));
    of_split.set_quadrature(gauss_hermite(whole.width, 13));
    GroupPass whole_pass(of_whole, nullptr), split_pass(of_split, nullptr);
    std::vector<double> phi =
        slopes ? std::vector<double>{0.2, -0.3, -0.4, -0.6} : std::vector<double>{0.2, -0.3, -0.4};
    const double expected = whole_pass.log_density(phi, {});
    expect_gradient_of(split_pass,
                       phi.size() == 3 ? std::vector<double>{0.2, -0.3, -0.4, 0.5}
                                       : std::vector<double>{0.2, -0.3, -0.4, -0.6, 0.5, -0.2},
                       1e-5);
    phi.resize(of_split.dimension());
    const double step = slopes ? 0.1 : 0.05;  // with three grid steps per standard deviation, the error is negligible
    const int half = static_cast<int>(2.0 / step);
    std::vector<double> values;
    for (int a = -half; a <= half; ++a)
      for (int b = slopes ? -half : 0; b <= (slopes ? half : 0); ++b) {
        phi[whole.global.size()] = a * step;
        if (slopes) phi[whole.global.size() + 1] = b * step;
        values.push_back(split_pass.log_density(phi, {}));
      }
    const double largest = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += std::exp(value - largest);
    const double width = static_cast<double>(whole.width);
    // Every piece has the integral of a normal density as a factor, which does not depend on phi.
    const double pieces = static_cast<double>(of_split.group_count() - 5);
    EXPECT_NEAR(largest + std::log(sum) + width * std::log(step) - 0.5 * pieces * width * std::log(2 * M_PI), expected,
                1e-5);
  }
}

TEST(SplitGroups, QuadraticModels_AreSplitToo) {
  // sigma is known: the centred model sums its rows once, so splitting gains nothing.
  const auto data = with_a_large_group(6, 400, 2);
  const Model centred = gaussian_intercepts(data, 6, true), other = gaussian_intercepts(data, 6, false);
  EXPECT_TRUE(split_groups(centred, *find_groups(centred).model, small_pieces).splits.empty());
  auto split = split_groups(other, *find_groups(other).model, small_pieces);
  ASSERT_EQ(split.splits.size(), 1U);
  const MarginalPosterior posterior(other, std::move(split));
  EXPECT_TRUE(posterior.is_quadratic());
  GroupPass pass(posterior, nullptr);
  expect_gradient_of(pass, {0.9, -0.5, 0.3}, 1e-6);
}

TEST(SplitGroups, Estimates_AreUnbiased) {
  const Model model = logistic_effects(with_a_large_group(20, 800, 5), 20, false);
  std::map<std::string, std::vector<double>> findings;
  MarginalSearch search;
  search.minibatches = true;
  const auto split = split_groups(model, *find_groups(model).model, small_pieces);
  const auto target = make_group_target(model, split, search, nullptr, findings);
  ASSERT_EQ(target->mode.size(), 4U);
  EXPECT_LT(worst_z(target, 1.0), 4.5);
  // Pieces that stand for the whole group without the weights of pieces.
  EXPECT_GT(worst_z(target, 20.0 / static_cast<double>(split.groups)), 4.5);
}

TEST(SplitGroups, EveryRowIsInOnePiece) {
  const Model model = logistic_effects(with_a_large_group(6, 400, 2), 6, false);
  const MarginalPosterior posterior(model, split_groups(model, *find_groups(model).model, small_pieces));
  std::vector<int> seen(400, 0);
  std::uint32_t largest_piece = 0;
  for (std::uint32_t unit = 0; unit < posterior.group_count(); ++unit) {
    if (posterior.kind(unit) == MarginalPosterior::Kind::piece)
      largest_piece = std::max(largest_piece, posterior.rows_of(unit));
    for (std::uint32_t i = 0; i < posterior.rows_of(unit); ++i)
      ++seen[posterior.row_order() ? posterior.row_order()[posterior.first_row(unit) + i]
                                   : posterior.first_row(unit) + i];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 400);
  EXPECT_LE(largest_piece, 20U);
}

/// y ~ N(pupil[class], s), pupil ~ N(school[...], tc), school ~ N(a, ts): the posterior of the global parameters, among
/// them the schools', is unbounded where ts and their differences go to 0.
Model classes_in_schools(std::uint64_t seed) {
  constexpr std::int64_t schools = 12, classes = 60, pupils = 8;
  std::vector<double> of_school(schools), of_class(classes), y(classes * pupils);
  fill_normal({seed, 0, 1, Purpose::data}, of_school);
  fill_normal({seed, 0, 2, Purpose::data}, of_class);
  fill_normal({seed, 0, 3, Purpose::data}, y);
  std::vector<std::int32_t> group;
  std::vector<std::int64_t> school;
  for (std::size_t c = 0; c < of_class.size(); ++c) school.push_back(static_cast<std::int64_t>(c) * schools / classes);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t c = i / pupils;
    group.push_back(static_cast<std::int32_t>(c + 1));
    y[i] = 2 + 0.8 * of_school[static_cast<std::size_t>(school[c])] + 0.4 * of_class[c] + 0.5 * y[i];
  }
  Model model(Dataset::Builder().real("y", y).integer("class", group).build());
  const auto a = model.parameter("a");
  const auto ts = model.parameter("ts", {}, Constraint::lower(0.0));
  const auto tc = model.parameter("tc", {}, Constraint::lower(0.0));
  const auto s = model.parameter("s", {}, Constraint::lower(0.0));
  const auto us = model.parameter("us", {schools});
  const auto uc = model.parameter("uc", {classes});
  model.prior(normal_lpdf(a, 0.0, 5.0));
  for (const auto& scale : {ts, tc, s}) model.prior(normal_lpdf(scale, 0.0, 1.0));
  model.prior(normal_lpdf(us, a, ts));
  model.prior(normal_lpdf(uc, take(us, school, Shape{classes}), tc));
  model.likelihood(normal_lpdf(model.row("y"), gather(uc, model.row("class"), 1), s));
  return model;
}

TEST(GroupTarget, GroupsInGroups_HaveTheModeWithoutACollapsedScale) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = classes_in_schools(seed);
    std::map<std::string, std::vector<double>> findings;
    const auto target = make_group_target(model, *find_groups(model).model, {}, nullptr, findings);
    ASSERT_EQ(target->mode.size(), 16U);
    EXPECT_GT(target->mode[1], std::log(0.3)) << "the scale of schools, with seed " << seed;
    EXPECT_FALSE(target->collapsed) << seed;
  }
}

TEST(GroupTarget, ScalesAndMode_AreThoseOfTheMarginalPosterior) {
  const auto target = target_of(logistic_effects(GroupData(60, 600, 5), 60, false));
  EXPECT_TRUE(target->mode_report.converged());
  EXPECT_FALSE(target->collapsed);
  EXPECT_LT(target->quadrature_error, 0.02);
  GroupPass pass(*target->posterior, nullptr);
  std::vector<double> gradient(3);
  pass.log_density(target->mode, gradient);
  const auto deviations = target->map->standard_deviations();
  for (std::size_t c = 0; c < 3; ++c) EXPECT_LT(std::abs(gradient[c]) * deviations[c], 0.05);
  double total = 0;
  for (const double p : target->probabilities) total += p;
  EXPECT_NEAR(total, 1.0, 1e-9);
}

}  // namespace
}  // namespace sgmcmc::testing
