// L-BFGS: exact modes of quadratics, Rosenbrock, badly scaled logistic regression, kinks, and regions without a
// density.
#include "optimise/line_search.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Map<const VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Index>(values.size())};
}
Eigen::Map<VectorXd> as_vector(std::span<double> values) { return {values.data(), static_cast<Index>(values.size())}; }

TEST(Lbfgs, Quadratic_FindsTheMode) {
  const Index n = 30;
  std::vector<double> noise(static_cast<std::size_t>(n * n));
  fill_normal({1, 0, 0, Purpose::data}, noise);
  const Eigen::Map<const MatrixXd> B(noise.data(), n, n);
  const MatrixXd precision = B * B.transpose() / static_cast<double>(n) + 0.05 * MatrixXd::Identity(n, n);
  const VectorXd mode = VectorXd::LinSpaced(n, -3.0, 5.0);
  std::vector<double> theta(static_cast<std::size_t>(n), 0.0);
  const OptimizeReport report = maximise_lbfgs(
      [&](std::span<const double> x, std::span<double> gradient) {
        const VectorXd away = as_vector(x) - mode;
        as_vector(gradient) = -precision * away;
        return -0.5 * away.dot(precision * away);
      },
      theta);
  EXPECT_EQ(report.reason, StopReason::gradient_small) << report.describe();
  EXPECT_TRUE(report.converged());
  const VectorXd away = as_vector(std::span<const double>(theta)) - mode;
  EXPECT_LT(0.5 * away.dot(precision * away), 1e-6);
  EXPECT_LT(report.iterations, 100u);
}

TEST(Lbfgs, Rosenbrock_FindsTheEndOfTheValley) {
  std::vector<double> theta = {-1.2, 1.0};
  const OptimizeReport report = maximise_lbfgs(
      [](std::span<const double> x, std::span<double> gradient) {
        const double a = 1.0 - x[0], b = x[1] - x[0] * x[0];
        gradient[0] = 2.0 * a + 400.0 * b * x[0];
        gradient[1] = -200.0 * b;
        return -a * a - 100.0 * b * b;
      },
      theta);
  EXPECT_TRUE(report.converged()) << report.describe();
  EXPECT_NEAR(theta[0], 1.0, 1e-3);
  EXPECT_NEAR(theta[1], 1.0, 1e-3);
  EXPECT_LT(report.evaluations, 150u);
}

/// Logistic regression with columns scaled by given factors; prior_rate > 0 adds a Laplace prior on the scaled
/// parameters.
struct Logistic {
  Logistic(Index rows, const VectorXd& scales, double rate) : scales_(scales), rate_(rate) {
    const Index columns = scales.size();
    std::vector<double> noise(static_cast<std::size_t>(rows * columns)), uniform(static_cast<std::size_t>(rows));
    fill_normal({2, 0, 0, Purpose::data}, noise);
    fill_uniform({2, 0, 1, Purpose::data}, uniform);
    x_ = Eigen::Map<const MatrixXd>(noise.data(), rows, columns);
    y_.resize(rows);
    for (Index i = 0; i < rows; ++i) {
      const double eta = x_(i, 0) - 0.7 * x_(i, 1);
      y_[i] = uniform[static_cast<std::size_t>(i)] < 1.0 / (1.0 + std::exp(-eta)) ? 1.0 : 0.0;
    }
    x_ = x_ * scales.asDiagonal();
  }

  double operator()(std::span<const double> theta, std::span<double> gradient) const {
    const VectorXd eta = x_ * as_vector(theta);
    const VectorXd fitted = (1.0 / (1.0 + (-eta.array()).exp())).matrix();
    const VectorXd scaled = as_vector(theta).cwiseProduct(scales_);
    as_vector(gradient) = x_.transpose() * (y_ - fitted) - rate_ * scaled.cwiseSign().cwiseProduct(scales_);
    double value = -rate_ * scaled.lpNorm<1>();
    for (Index i = 0; i < eta.size(); ++i)
      value += y_[i] * eta[i] - (eta[i] > 0.0 ? eta[i] + std::log1p(std::exp(-eta[i])) : std::log1p(std::exp(eta[i])));
    return value;
  }

  MatrixXd x_;
  VectorXd y_, scales_;
  double rate_;
};

/// Newton's method in unscaled columns: the mode to rounding error.
VectorXd newton_mode(const Logistic& model) {
  const MatrixXd x = model.x_ * model.scales_.cwiseInverse().asDiagonal();
  VectorXd beta = VectorXd::Zero(x.cols());
  for (int k = 0; k < 30; ++k) {
    const VectorXd fitted = (1.0 / (1.0 + (-(x * beta).array()).exp())).matrix();
    const VectorXd weight = (fitted.array() * (1.0 - fitted.array())).matrix();
    beta += (x.transpose() * weight.asDiagonal() * x).ldlt().solve(x.transpose() * (model.y_ - fitted));
  }
  return beta;
}

TEST(Lbfgs, ColumnsFromOneMillionthToOneMillion_FindsTheMode) {
  const Index columns = 12;
  VectorXd scales(columns);
  for (Index j = 0; j < columns; ++j)
    scales[j] = std::pow(10.0, -6.0 + 12.0 * static_cast<double>(j) / (columns - 1.0));
  const Logistic model(2000, scales, 0.0);
  std::vector<double> theta(static_cast<std::size_t>(columns), 0.0);
  const OptimizeReport report = maximise_lbfgs(std::cref(model), theta);
  EXPECT_TRUE(report.converged()) << report.describe();
  const VectorXd found = as_vector(std::span<const double>(theta)).cwiseProduct(scales);
  // Posterior standard deviations are about 0.05 in these units.
  EXPECT_LT((found - newton_mode(model)).cwiseAbs().maxCoeff(), 1e-4) << report.describe();
  EXPECT_LT(report.evaluations, 60u) << report.describe();
}

TEST(Lbfgs, StartAtTheMode_StopsAtOnce) {
  const Logistic model(500, VectorXd::Ones(4), 0.0);
  const VectorXd mode = newton_mode(model);
  std::vector<double> theta(mode.begin(), mode.end());
  const OptimizeReport report = maximise_lbfgs(std::cref(model), theta);
  EXPECT_EQ(report.reason, StopReason::gradient_small) << report.describe();
  EXPECT_LE(report.iterations, 2u);
  EXPECT_LT((as_vector(std::span<const double>(theta)) - mode).norm(), 1e-4);
}

TEST(Lbfgs, LaplacePriorWithModesAtZero_ComesCloseAndSaysWhy) {
  // Ten of twelve coefficients are irrelevant, and the prior is strong enough to hold most of them at 0 exactly.
  const Logistic model(2000, VectorXd::Ones(12), 40.0);
  std::vector<double> theta(12, 0.3), best(12, 0.0), gradient(12);
  const OptimizeReport report = maximise_lbfgs(std::cref(model), theta);
  EXPECT_EQ(report.reason, StopReason::kink) << report.describe();
  EXPECT_TRUE(report.converged());
  // The mode by iterated soft thresholding, which is slow but reliable.
  const double curvature = 0.25 * model.x_.squaredNorm();  // at least the largest: the trace
  Logistic smooth = model;
  smooth.rate_ = 0.0;
  for (int k = 0; k < 4000; ++k) {
    smooth(best, gradient);
    for (std::size_t j = 0; j < 12; ++j) {
      const double moved = best[j] + gradient[j] / curvature;
      best[j] = std::copysign(std::max(std::abs(moved) - 40.0 / curvature, 0.0), moved);
    }
  }
  const double top = model(best, gradient);
  EXPECT_LT(top - model(theta, gradient), 0.05) << report.describe();
  for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(theta[j], best[j], 0.01);
}

TEST(Lbfgs, KinkAtTheStart_IsReported) {
  std::vector<double> theta = {0.0};
  const OptimizeReport report = maximise_lbfgs(
      [](std::span<const double> x, std::span<double> gradient) {
        gradient[0] = x[0] > 0.0 ? -2.0 : 1.0;  // a one-sided derivative at 0
        return x[0] > 0.0 ? -2.0 * x[0] : x[0];
      },
      theta);
  EXPECT_EQ(report.reason, StopReason::kink) << report.describe();
  EXPECT_EQ(theta[0], 0.0);
}

TEST(Lbfgs, DensityEndsNearTheMode_StepsBackFromTheEdge) {
  // Defined for x < 1 only, with the mode at 0.9; infinities, and NaN with a finite value, beyond.
  for (const double beyond : {-std::numeric_limits<double>::infinity(), std::nan(""), 0.0}) {
    std::vector<double> theta = {-20.0};
    const OptimizeReport report = maximise_lbfgs(
        [beyond](std::span<const double> x, std::span<double> gradient) {
          if (!(x[0] < 1.0)) {
            gradient[0] = std::nan("");
            return beyond;
          }
          gradient[0] = 10.0 - 1.0 / (1.0 - x[0]);
          return 10.0 * x[0] + std::log(1.0 - x[0]);
        },
        theta);
    EXPECT_TRUE(report.converged()) << report.describe();
    EXPECT_NEAR(theta[0], 0.9, 1e-4);
  }
}

TEST(Lbfgs, StartNotFinite_SaysSoAndLeavesThetaAlone) {
  std::vector<double> theta = {2.0};
  const OptimizeReport report = maximise_lbfgs(
      [](std::span<const double>, std::span<double> gradient) {
        gradient[0] = 1.0;
        return std::nan("");
      },
      theta);
  EXPECT_EQ(report.reason, StopReason::start_not_finite);
  EXPECT_FALSE(report.converged());
  EXPECT_EQ(theta[0], 2.0);
  EXPECT_NE(report.describe().find("starting point"), std::string::npos);
}

TEST(Lbfgs, GradientOfTheWrongSign_IsNotCalledConverged) {
  std::vector<double> theta = {3.0, -2.0};
  const OptimizeReport report = maximise_lbfgs(
      [](std::span<const double> x, std::span<double> gradient) {
        for (std::size_t j = 0; j < 2; ++j) gradient[j] = x[j];
        return -0.5 * (x[0] * x[0] + x[1] * x[1]);
      },
      theta);
  EXPECT_EQ(report.reason, StopReason::line_search_failed) << report.describe();
  EXPECT_FALSE(report.converged());
}

TEST(Lbfgs, UnboundedDensity_UsesUpItsIterations) {
  std::vector<double> theta = {0.0};
  const OptimizeReport report = maximise_lbfgs(
      [](std::span<const double> x, std::span<double> gradient) {
        gradient[0] = 1.0;
        return x[0];
      },
      theta, {.max_iterations = 5});
  EXPECT_FALSE(report.converged()) << report.describe();
}

TEST(Lbfgs, OptionsOutOfRange_Throw) {
  std::vector<double> theta = {0.0, 0.0};
  const LogDensityFunction flat = [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = gradient[1] = 0.0;
    return 0.0;
  };
  EXPECT_THROW(maximise_lbfgs(flat, theta, {.history = 0}), OptionError);
  EXPECT_THROW(maximise_lbfgs(flat, theta, {.gain_tolerance = 0.0}), OptionError);
  EXPECT_THROW(maximise_lbfgs(flat, theta, {.scale = {1.0}}), OptionError);
  EXPECT_THROW(maximise_lbfgs(flat, theta, {.scale = {1.0, -1.0}}), OptionError);
  EXPECT_EQ(maximise_lbfgs(flat, theta).reason, StopReason::gradient_small);
}

TEST(LineSearch, AcceptedPoint_SatisfiesTheWeakWolfeConditions) {
  for (const double first : {1e-6, 1.0, 1e6}) {
    const auto point = [](double t) -> LinePoint {
      return {t, std::pow(t - 3.0, 4) - t, 4.0 * std::pow(t - 3.0, 3) - 1.0};
    };
    const LinePoint start = point(0.0);
    const LineSearchResult found = search_line(start, first, point);
    ASSERT_EQ(found.outcome, LineSearchOutcome::found);
    EXPECT_LE(found.point.value, start.value + 1e-4 * found.point.step * start.slope);
    EXPECT_GE(found.point.slope, 0.9 * start.slope);
  }
}

}  // namespace
}  // namespace sgmcmc
