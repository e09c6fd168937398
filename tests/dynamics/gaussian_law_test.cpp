// On Gaussian targets the discretised chains of sgld and sghmc are linear, so that their stationary variance is known
// exactly. Draws must have that variance, not just one near the target's. Each comparison must also reject planted
// errors.
#include "dynamics/gaussian_law.hpp"
#include "dynamics/chains.hpp"
#include "statistics/lyapunov.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <memory>
#include <vector>

namespace sgmcmc::testing {
namespace {

// sgld ----------------------------------------------------------------------------------------------------------------
constexpr double sgld_step = 0.6;
constexpr double sgld_noise = 2.0;

double sgld_variance(double a) { return (1.0 + sgld_step * sgld_noise / 4.0) / (a * (1.0 - sgld_step * a / 4.0)); }

TEST(Sgld, GaussianWithGradientNoise_VarianceOfTheDiscretisedChain) {
  const auto sgld = make_dynamics(SgldOptions{.step_size = sgld_step}, 3 * copies);
  EXPECT_LT(worst_z(*sgld, sgld_noise, 3000, sgld_variance), threshold);
}

TEST(Sgld, GaussianWithStepSizePerParameter_EachHasItsOwnLaw) {
  std::vector<double> steps;
  for (std::size_t j = 0; j < 3 * copies; ++j) steps.push_back(0.6 / precisions[j % 3]);
  const auto sgld = make_dynamics(SgldOptions{.step_size = steps}, 3 * copies);
  const auto expected = [](double a) { return 1.0 / (a * (1.0 - 0.6 / 4.0)); };
  EXPECT_LT(worst_z(*sgld, 0.0, 3000, expected), threshold);
}

std::unique_ptr<Dynamics> sgld_by_hand(double gradient_factor, double noise_factor) {
  return std::make_unique<HandWritten>(
      3 * copies, [=](std::vector<double>& theta, GradientEstimator& estimator, std::uint64_t iteration) {
        std::vector<double> gradient(theta.size()), noise(theta.size());
        estimator.estimate(theta, iteration, gradient);
        fill_normal({1, 0, iteration, Purpose::noise}, noise);
        for (std::size_t j = 0; j < theta.size(); ++j)
          theta[j] += gradient_factor * sgld_step * gradient[j] + noise_factor * std::sqrt(sgld_step) * noise[j];
      });
}

TEST(Sgld, Mutants_AreRejectedByTheVarianceTest) {
  EXPECT_LT(worst_z(*sgld_by_hand(0.5, 1.0), sgld_noise, 3000, sgld_variance), threshold) << "no mistake, no rejection";
  EXPECT_GT(worst_z(*sgld_by_hand(0.5, std::sqrt(2.0)), sgld_noise, 3000, sgld_variance), 3 * threshold)
      << "noise of the other convention";
  EXPECT_GT(worst_z(*sgld_by_hand(1.0, 1.0), sgld_noise, 3000, sgld_variance), 3 * threshold)
      << "epsilon for epsilon / 2";
  EXPECT_GT(worst_z(*sgld_by_hand(0.5, 1.02), sgld_noise, 3000, sgld_variance), threshold) << "noise 2 % too large";
}

// sghmc ---------------------------------------------------------------------------------------------------------------
// theta and velocity as linear forms in the starting values and independent standard normals, for exact variances.
class LinearForms {
 public:
  LinearForms() : position_(Eigen::VectorXd::Unit(size, 0)), velocity_(Eigen::VectorXd::Unit(size, 1)) {}

  void refresh() { velocity_ = fresh(); }
  void friction(double decay, double noise) { velocity_ = decay * velocity_ + std::sqrt(noise) * fresh(); }
  void drift(double root) { position_ += root * velocity_; }
  void kick(double amount, const Eigen::VectorXd& gradient) { velocity_ += amount * gradient; }
  Eigen::VectorXd gradient(double a, double noise_variance) {
    return -a * position_ + std::sqrt(noise_variance) * fresh();
  }

  /// Stationary variance of theta if the velocity is refreshed.
  double variance_with_refresh() const {
    const double kept = position_[0];
    return position_.tail(size - 2).squaredNorm() / (1.0 - kept * kept);
  }
  /// Stationary variance of theta if the velocity persists.
  double variance_without_refresh() const {
    Eigen::MatrixXd forms(2, size);
    forms << position_.transpose(), velocity_.transpose();
    const Eigen::MatrixXd inputs = forms.rightCols(size - 2);
    return stationary_covariance(forms.leftCols(2), inputs * inputs.transpose())(0, 0);
  }

 private:
  static constexpr Eigen::Index size = 64;
  Eigen::VectorXd fresh() { return Eigen::VectorXd::Unit(size, used_++); }
  Eigen::Index used_ = 2;
  Eigen::VectorXd position_, velocity_;
};

struct Setting {
  double step, friction, noise_variance;
  std::uint32_t length;
};

/// The splitting as separate steps, without simplification: O B A B O with one gradient per position.
double splitting_variance(const Setting& s, double a) {
  LinearForms forms;
  const double root = std::sqrt(s.step), decay = std::exp(-0.5 * s.friction), noise = 1.0 - std::exp(-s.friction);
  forms.refresh();
  Eigen::VectorXd gradient = forms.gradient(a, s.noise_variance);
  for (std::uint32_t k = 0; k < s.length; ++k) {
    forms.friction(decay, noise);
    forms.kick(0.5 * root, gradient);
    forms.drift(root);
    gradient = forms.gradient(a, s.noise_variance);
    forms.kick(0.5 * root, gradient);
    forms.friction(decay, noise);
  }
  return forms.variance_with_refresh();
}

/// The same without refresh, observed right after the drift.
double persistent_splitting_variance(const Setting& s, double a) {
  LinearForms forms;
  const double root = std::sqrt(s.step), decay = std::exp(-0.5 * s.friction), noise = 1.0 - std::exp(-s.friction);
  const Eigen::VectorXd gradient = forms.gradient(a, s.noise_variance);
  forms.kick(0.5 * root, gradient);
  forms.friction(decay, noise);
  forms.friction(decay, noise);
  forms.kick(0.5 * root, gradient);
  forms.drift(root);
  return forms.variance_without_refresh();
}

void plain_steps(LinearForms& forms, const Setting& s, double a, double injected) {
  for (std::uint32_t k = 0; k < s.length; ++k) {
    forms.drift(std::sqrt(s.step));
    const Eigen::VectorXd gradient = forms.gradient(a, s.noise_variance);
    forms.friction(1.0 - s.friction, injected);
    forms.kick(std::sqrt(s.step), gradient);
  }
}

double plain_variance(const Setting& s, double a, double injected) {
  LinearForms forms;
  forms.refresh();
  plain_steps(forms, s, a, injected);
  return forms.variance_with_refresh();
}

double persistent_plain_variance(const Setting& s, double a, double injected) {
  LinearForms forms;
  plain_steps(forms, {s.step, s.friction, s.noise_variance, 1}, a, injected);
  return forms.variance_without_refresh();
}

SghmcOptions options_of(const Setting& s, SghmcForm form) {
  return {.step_size = s.step, .friction = s.friction, .trajectory_length = s.length, .form = form};
}

TEST(Sghmc, SplittingLaw_TendsToTheTargetForEveryLength) {
  for (const std::uint32_t length : {1u, 2u, 5u, 12u}) {
    EXPECT_NEAR(splitting_variance({1e-6, 0.01, 0.0, length}, 1.0), 1.0, 1e-6) << "L = " << length;
    // With full gradients the error is that of leapfrog, for every length and friction.
    EXPECT_NEAR(splitting_variance({0.3, 0.2, 0.0, length}, 2.0), 1.0 / (2.0 * (1.0 - 0.3 * 2.0 / 4.0)), 1e-12);
  }
}

TEST(Sghmc, PlainLaw_IsWhatIsKnownOfIt) {
  // With refresh, 1.24 at L = 5 however small the step; without refresh, the variance of the target.
  EXPECT_NEAR(plain_variance({1e-6, 0.01, 0.0, 5}, 1.0, 0.02), 1.24, 0.01);
  EXPECT_NEAR(persistent_plain_variance({1e-6, 0.01, 0.0, 5}, 1.0, 0.02), 1.0, 1e-4);
}

// Long trajectories give nearly independent draws, so fewer are needed.
std::uint64_t draws_for(const Setting& s) { return 400 + 1600 / s.length; }

class SghmcLaw : public ::testing::TestWithParam<Setting> {};

TEST_P(SghmcLaw, Splitting_HasTheVarianceOfTheDiscretisedChain) {
  const Setting s = GetParam();
  const auto sghmc = make_dynamics(options_of(s, SghmcForm::splitting), 3 * copies);
  EXPECT_LT(worst_z(*sghmc, s.noise_variance, draws_for(s), [&](double a) { return splitting_variance(s, a); }),
            threshold);
}

TEST_P(SghmcLaw, SplittingWithoutRefresh_HasTheVarianceOfTheDiscretisedChain) {
  const Setting s = GetParam();
  SghmcOptions options = options_of(s, SghmcForm::splitting);
  options.refresh_momentum = false;
  const auto sghmc = make_dynamics(options, 3 * copies);
  EXPECT_LT(
      worst_z(*sghmc, s.noise_variance, draws_for(s), [&](double a) { return persistent_splitting_variance(s, a); }),
      threshold);
}

TEST_P(SghmcLaw, FisherCorrection_GivesTheLawOfFullGradients) {
  const Setting s = GetParam();
  SghmcOptions options = options_of(s, SghmcForm::splitting);
  options.noise_correction = NoiseCorrection::fisher;
  const auto sghmc = make_dynamics(options, 3 * copies);
  EXPECT_LT(
      worst_z(*sghmc, s.noise_variance, draws_for(s), [&](double a) { return 1.0 / (a * (1.0 - s.step * a / 4.0)); }),
      threshold);
}

TEST_P(SghmcLaw, Plain_HasTheVarianceOfTheDiscretisedChain) {
  const Setting s = GetParam();
  if (s.length == 1) {
    EXPECT_ANY_THROW(make_dynamics(options_of(s, SghmcForm::plain), 3 * copies)) << "it would never use a gradient";
    return;
  }
  const auto sghmc = make_dynamics(options_of(s, SghmcForm::plain), 3 * copies);
  EXPECT_LT(
      worst_z(*sghmc, s.noise_variance, draws_for(s), [&](double a) { return plain_variance(s, a, 2.0 * s.friction); }),
      threshold);
}

TEST_P(SghmcLaw, PlainWithoutRefresh_HasTheVarianceOfTheDiscretisedChain) {
  const Setting s = GetParam();
  SghmcOptions options = options_of(s, SghmcForm::plain);
  options.refresh_momentum = false;
  const auto sghmc = make_dynamics(options, 3 * copies);
  EXPECT_LT(worst_z(*sghmc, s.noise_variance, draws_for(s),
                    [&](double a) { return persistent_plain_variance(s, a, 2.0 * s.friction); }),
            threshold);
}

TEST_P(SghmcLaw, PlainFisherCorrectionClippedAtFriction_HasTheVarianceOfTheDiscretisedChain) {
  Setting s = GetParam();
  s.noise_variance = 3.0;  // beta_hat = step * V / 2 exceeds the friction, so that no noise is injected
  ASSERT_GT(s.step * s.noise_variance / 2.0, s.friction);
  SghmcOptions options = options_of(s, SghmcForm::plain);
  options.refresh_momentum = false;
  options.noise_correction = NoiseCorrection::fisher;
  const auto sghmc = make_dynamics(options, 3 * copies);
  EXPECT_LT(
      worst_z(*sghmc, s.noise_variance, draws_for(s), [&](double a) { return persistent_plain_variance(s, a, 0.0); }),
      threshold);
}

// Friction large enough for step * V * (1 + c)^2 / 4 < 1 - c^2: the correction is then exact.
INSTANTIATE_TEST_SUITE_P(Lengths, SghmcLaw,
                         ::testing::Values(Setting{0.3, 0.25, 1.0, 1}, Setting{0.3, 0.25, 1.0, 2},
                                           Setting{0.3, 0.25, 1.0, 5}));

TEST(Sghmc, Mutants_AreRejectedByTheVarianceTest) {
  const Setting s{0.3, 0.25, 1.0, 5};
  const auto law = [&](double a) { return splitting_variance(s, a); };
  // Mutants: the whole kick at the start of the trajectory, a refreshed momentum of half the variance, and noise of the
  // wrong scale.
  const auto by_hand = [&](double first_kick, double refresh_variance, double noise_scale) {
    auto velocity = std::make_shared<std::vector<double>>(3 * copies);
    return HandWritten(3 * copies, [=](std::vector<double>& theta, GradientEstimator& estimator,
                                       std::uint64_t iteration) {
      std::vector<double> gradient(theta.size()), noise(theta.size());
      const double root = std::sqrt(s.step), c = std::exp(-s.friction);
      for (std::uint32_t k = 0; k < s.length; ++k) {
        estimator.estimate(theta, iteration * s.length + k, gradient);
        fill_normal({1, 0, iteration, Purpose::noise}, noise, k * theta.size());
        for (std::size_t j = 0; j < theta.size(); ++j) {
          double& v = (*velocity)[j];
          v = k == 0 ? std::sqrt(refresh_variance) * noise[j] + first_kick * root * gradient[j]
                     : c * v + 0.5 * (1.0 + c) * root * gradient[j] + noise_scale * std::sqrt(1.0 - c * c) * noise[j];
          theta[j] += root * v;
        }
      }
    });
  };
  auto right = by_hand(0.5, 1.0, 1.0);
  EXPECT_LT(worst_z(right, s.noise_variance, 600, law), threshold) << "no mistake, no rejection";
  auto whole_kick = by_hand(1.0, 1.0, 1.0);
  EXPECT_GT(worst_z(whole_kick, s.noise_variance, 600, law), 3 * threshold);
  auto half_refresh = by_hand(0.5, 0.5, 1.0);
  EXPECT_GT(worst_z(half_refresh, s.noise_variance, 600, law), 3 * threshold);
  auto loud = by_hand(0.5, 1.0, std::sqrt(2.0));
  EXPECT_GT(worst_z(loud, s.noise_variance, 600, law), 3 * threshold);
}

}  // namespace
}  // namespace sgmcmc::testing
