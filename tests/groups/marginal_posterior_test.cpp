// The marginal density against brute force, its gradient against differences, and estimates from minibatches of groups.
#include "groups/group_models.hpp"

#include "groups/group_pass.hpp"
#include "groups/group_target.hpp"
#include "groups/marginal_estimator.hpp"

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
    // Below the scale of the data's own error the density no longer depends on tau but by its prior and Jacobian.
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
  // The planted mistake: points without their importance, which is the normal approximation alone.
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
  pass.each_gradient(phi, [&](std::size_t, std::span<const double> each) {
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
  std::vector<double> phi = target->mode, gradient(3), at_mode(3), estimate(3), sum(3, 0.0), square(3, 0.0);
  const auto deviations = target->map->standard_deviations();
  for (std::size_t c = 0; c < 3; ++c) phi[c] += deviations[c];
  all.estimate(phi, 0, gradient);
  all.estimate(target->mode, 0, at_mode);
  const int count = 4000;
  for (int t = 0; t < count; ++t) {
    some.estimate(phi, static_cast<std::uint64_t>(t), estimate);
    for (std::size_t c = 0; c < 3; ++c) {
      const double e = at_mode[c] + mistake * (estimate[c] - at_mode[c]);
      sum[c] += e;
      square[c] += e * e;
    }
  }
  double worst = 0;
  for (std::size_t c = 0; c < 3; ++c) {
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
