// psgld, hamcmc and sgrld: their distributions where these are known; the algebra of the limited-memory inverse Hessian
// and of updates of a Cholesky factor.
#include "dynamics/cholesky_update.hpp"
#include "dynamics/gaussian_law.hpp"
#include "dynamics/inverse_hessian.hpp"
#include "dynamics/stiff_directions.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <Eigen/Dense>

namespace sgmcmc::testing {
namespace {

PsgldOptions psgld(double step_size, double decay, double regularisation, bool correction = false) {
  PsgldOptions options;
  options.step_size = step_size;
  options.square_decay = decay;
  options.regularisation = regularisation;
  options.correction = correction;
  return options;
}

TEST(Psgld, PreconditionerThatStays_HasTheLawOfSgldWithThatStep) {
  // Starting at 0, the first gradient is 0. With decay 1 the average never changes, so that G = 1 / lambda.
  constexpr double epsilon = 0.2, lambda = 0.5;
  const auto law = [&](double a) { return 1.0 / (a * (1.0 - epsilon / lambda * a / 4.0)); };
  auto dynamics = make_dynamics(psgld(epsilon, 1.0, lambda), 3 * copies);
  EXPECT_LT(worst_z(*dynamics, 0.0, 4000, law), threshold);
  auto mutant = make_dynamics(psgld(epsilon, 1.0, 1.0), 3 * copies);
  EXPECT_GT(worst_z(*mutant, 0.0, 4000, law), threshold);
}

/// Ten rows, and a prior with precision 1/4.
class TargetWithRows final : public GaussianTarget {
 public:
  using GaussianTarget::GaussianTarget;
  void prior_gradient(std::span<const double> theta, std::span<double> gradient) override {
    for (std::size_t j = 0; j < theta.size(); ++j) gradient[j] = -0.25 * theta[j];
  }
  double rows() const override { return 10.0; }
};

TEST(Psgld, Steps_AreThoseOfTheFormula) {
  constexpr std::size_t size = 6;
  constexpr double epsilon = 0.01, rho = 0.9, lambda = 0.1;
  auto dynamics = make_dynamics(psgld(epsilon, rho, lambda), size);
  TargetWithRows target(std::vector<double>(size, 1.0), 2.0);
  std::vector<double> theta{1, -2, 3, 0.5, 0, 2}, v(size), gradient(size), prior(size), noise(size);
  dynamics->initialise(theta, {5, 3});
  for (std::uint64_t t = 0; t < 20; ++t) {
    target.estimate(theta, t, gradient);
    target.prior_gradient(theta, prior);
    fill_normal({5, 3, t, Purpose::noise}, noise);
    for (std::size_t j = 0; j < size; ++j) {
      const double mean = (gradient[j] - prior[j]) / 10.0;
      v[j] = t == 0 ? mean * mean : rho * v[j] + (1.0 - rho) * mean * mean;
      const double G = 1.0 / (lambda + std::sqrt(v[j]));
      theta[j] += 0.5 * epsilon * G * gradient[j] + std::sqrt(epsilon * G) * noise[j];
    }
    ASSERT_TRUE(dynamics->step(target, t).ok());
    for (std::size_t j = 0; j < size; ++j) EXPECT_NEAR(dynamics->position()[j], theta[j], 1e-12) << t;
  }
}

double worst_z_of_unit_target(bool correction, double expected) {
  // With decay 0, G = 1 / (1 + |theta|) depends on theta alone. In the limit of small steps, the distribution is the
  // target with the correction, and proportional to the target times 1 + |theta| without it.
  auto dynamics = make_dynamics(psgld(0.02, 0.0, 1.0, correction), 400);
  GaussianTarget target(std::vector<double>(400, 1.0), 0.0);
  const auto variances = time_averages(*dynamics, target, 400, 2000, 6000, add_squares);
  const Estimate found = mean_of_replicates(variances);
  EXPECT_LT(found.standard_error, 0.02);
  return std::abs(found.z_score(expected));
}

TEST(Psgld, Correction_MakesTheLawRight) {
  const double root = std::sqrt(2.0 / 3.14159265358979323846);
  const double without = (1.0 + 2.0 * root) / (1.0 + root);
  EXPECT_LT(worst_z_of_unit_target(true, 1.0), 4.0);  // false alarms 6e-5; the step's bias is a tenth of an error
  EXPECT_LT(worst_z_of_unit_target(false, without), 4.0);
  EXPECT_GT(worst_z_of_unit_target(false, 1.0), 10.0);
}

TEST(Psgld, WrongOptions_AreNamed) {
  EXPECT_EQ(message_of<OptionError>([] { psgld(0.1, 1.5, 1.0).validate(2); }),
            "square_decay is 1.500000; it must be from 0 to 1");
  EXPECT_EQ(message_of<OptionError>([] { psgld(0.1, 0.9, 0.0).validate(2); }),
            "regularisation is 0.000000; it must be positive and finite");
}

// ---------------------------------------------------------------------------------------------------------------------

using Matrix = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

std::vector<double> as_vector(const Column& v) { return {v.data(), v.data() + v.size()}; }

/// Columns of S or of H.
template <class Inverse>
Matrix product_of(Inverse& inverse, Eigen::Index size, bool whole) {
  Matrix result = Matrix::Identity(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    const std::span<double> column(result.col(j).data(), static_cast<std::size_t>(size));
    whole ? inverse.apply(column) : inverse.multiply(column);
  }
  return result;
}

TEST(InverseHessian, ProductOfItsFactor_IsTheBfgsFormula) {
  constexpr Eigen::Index size = 6;
  const Matrix root = Matrix::Random(size, size);
  const Matrix curvature = root * root.transpose() + Matrix::Identity(size, size);
  for (const double scale : {0.0, 0.7}) {
    InverseHessian inverse(size, 3, scale);
    std::vector<Column> moves;
    for (int k = 0; k < 5; ++k) {  // the history keeps the last three
      moves.push_back(Column::Random(size));
      inverse.add(as_vector(moves.back()), as_vector(curvature * moves.back()));
    }
    inverse.prepare();
    const Column last = curvature * moves[4];
    // The pairs are assigned to four chains in turn; those of the chain whose turn it is, the second, do not affect the
    // scale.
    double stiffness = 0.0, weights = 0.0;
    for (const int k : {0, 2, 3, 4}) {
      const double weight = k == 0 ? 0.9 : 1.0;
      const Column s = moves[static_cast<std::size_t>(k)], y = curvature * s;
      stiffness += weight * y.dot(y) / s.dot(y);
      weights += weight;
    }
    Matrix expected = (scale > 0 ? scale : weights / stiffness) * Matrix::Identity(size, size);
    for (int k = 2; k < 5; ++k) {
      const Column s = moves[static_cast<std::size_t>(k)], y = curvature * s;
      const Matrix left = Matrix::Identity(size, size) - s * y.transpose() / y.dot(s);
      expected = left * expected * left.transpose() + s * s.transpose() / y.dot(s);
    }
    const Matrix factor = product_of(inverse, size, false);
    EXPECT_TRUE((factor * factor.transpose()).isApprox(expected, 1e-10));
    EXPECT_TRUE(product_of(inverse, size, true).isApprox(expected, 1e-10));
    EXPECT_TRUE((factor * factor.transpose() * last).isApprox(moves[4], 1e-10));  // the secant equation
  }
}

TEST(InverseHessian, PairsWithoutCurvature_AreNotUsed) {
  InverseHessian inverse(2, 2, 1.0);
  inverse.add(std::vector<double>{1, 0}, std::vector<double>{-1, 0});
  inverse.add(std::vector<double>{1, 0}, std::vector<double>{0, 1});
  inverse.prepare();
  EXPECT_EQ(inverse.usable(), 0u);
  std::vector<double> v{3, 4};
  inverse.multiply(v);
  EXPECT_EQ(v, (std::vector<double>{3, 4}));
}

HamcmcOptions hamcmc(double step_size, std::uint32_t history) {
  HamcmcOptions options;
  options.step_size = step_size;
  options.history = history;
  return options;
}

/// Mean square over 40 one-dimensional chains.
Estimate variance_of_one(std::uint32_t history, double step_size, double precision, double noise) {
  std::vector<double> replicates;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto dynamics = make_dynamics(hamcmc(step_size, history), 1);
    GaussianTarget target({precision}, noise);
    replicates.push_back(time_averages(*dynamics, target, 1, 200, 5000, add_squares, seed)[0]);
  }
  return mean_of_replicates(replicates);
}

TEST(Hamcmc, OneCoordinate_HasTheLawOfItsNewtonSteps) {
  // y = a s exactly, so H = 1 / a: theta_t = (1 - e) theta_{t-M} + e / a noise + sqrt(2 e / a) z.
  constexpr double precision = 4.0;
  const double limit = z_threshold(1e-4, 4);
  for (const std::uint32_t history : {2u, 3u})
    for (const double noise : {0.0, 3.0}) {
      constexpr double e = 0.5;
      const double law = (1.0 + e * noise / (2.0 * precision)) / (precision * (1.0 - e / 2.0));
      const Estimate found = variance_of_one(history, e, precision, noise);
      EXPECT_LT(found.standard_error / found.value, 0.02);
      EXPECT_LT(std::abs(found.z_score(law)), limit) << history << " " << noise;
      EXPECT_GT(std::abs(found.z_score(1.0 / precision)), limit);  // mutant: no discretisation error
    }
}

TEST(Hamcmc, CoordinatesOfDifferentScales_HaveTheirVariances) {
  // With several coordinates there is no closed form: the distribution is correct as the step vanishes, with an error
  // of the order of the step. 20 chains; five coordinates within 4.5 errors plus two steps: false-alarm rate below
  // 5e-5.
  const std::vector<double> precision{1e-2, 0.3, 1.0, 20.0, 4e3};
  constexpr double step = 0.05;
  std::vector<std::vector<double>> replicates(precision.size());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto dynamics = make_dynamics(hamcmc(step, 5), precision.size());
    GaussianTarget target(precision, 0.0);
    const auto squares = time_averages(*dynamics, target, precision.size(), 3000, 20'000, add_squares, seed);
    for (std::size_t j = 0; j < precision.size(); ++j) replicates[j].push_back(squares[j] * precision[j]);
  }
  for (std::size_t j = 0; j < precision.size(); ++j) {
    const Estimate found = mean_of_replicates(replicates[j]);
    EXPECT_LT(found.standard_error, 0.05) << j;
    EXPECT_NEAR(found.value, 1.0, 2.0 * step + 4.5 * found.standard_error) << j;
  }
}

TEST(Hamcmc, AMillionCoordinates_Run) {
  constexpr std::size_t size = 1'000'000;
  std::vector<double> precision(size);
  for (std::size_t j = 0; j < size; ++j) precision[j] = 1.0 + static_cast<double>(j % 100);
  for (const auto pairs : {HamcmcPairs::moves, HamcmcPairs::stiffest}) {
    auto options = hamcmc(0.01, 3);
    options.pairs = pairs;
    auto dynamics = make_dynamics(options, size);
    GaussianTarget target(precision, 0.0);
    dynamics->initialise(std::vector<double>(size, 0.1), {1, 0});
    for (std::uint64_t t = 0; t < 10; ++t) ASSERT_TRUE(dynamics->step(target, t).ok());
  }
}

TEST(StiffDirections, OfAFixedHessian_AreItsStiffestEigenvectors) {
  constexpr Eigen::Index size = 6;
  const Matrix rotation = Eigen::HouseholderQR<Matrix>(Matrix::Random(size, size)).householderQ();
  Column stiffness(size);
  stiffness << 1000, 40, 1.5, 1.2, 1.0, 0.8;
  const Matrix hessian = rotation * stiffness.asDiagonal() * rotation.transpose();
  for (const double scale : {0.0, 0.9}) {
    StiffDirections inverse(size, 2, scale);
    inverse.learn_for(200);
    inverse.start({1, 0, 0, Purpose::adaptation}, 1e-3);
    for (int k = 0; k < 400; ++k) {
      const Column d = Eigen::Map<const Column>(inverse.direction().data(), size);
      inverse.add(as_vector(hessian * d));
    }
    Column expected(size);
    const double others = scale > 0 ? scale : 1.0 / 40;
    expected << 1.0 / 1000, 1.0 / 40, others, others, others, others;
    const Matrix inverse_hessian = rotation * expected.asDiagonal() * rotation.transpose();
    const Matrix factor = product_of(inverse, size, false);
    EXPECT_TRUE(product_of(inverse, size, true).isApprox(inverse_hessian, 1e-4));
    EXPECT_TRUE((factor * factor.transpose()).isApprox(product_of(inverse, size, true), 1e-12));
  }
}

TEST(Hamcmc, StiffestDirections_HaveTheLawOfTheirNewtonSteps) {
  // H is 1 / a in every direction: theta_t = (1 - e) theta_{t-M} + e / a noise + sqrt(2 e / a) z. Gradient noise does
  // not change H, because it cancels in differences on the same batch.
  const std::vector<double> precision{400.0, 25.0, 1.0, 1.0, 1.0};
  const double limit = z_threshold(1e-4, 10);
  constexpr double e = 0.5;
  for (const double noise : {0.0, 3.0}) {
    std::vector<std::vector<double>> replicates(precision.size());
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      auto options = hamcmc(e, 3);
      options.pairs = HamcmcPairs::stiffest;
      options.initial_scale = 1.0;
      auto dynamics = make_dynamics(options, precision.size());
      GaussianTarget target(precision, noise);
      const auto squares = time_averages(*dynamics, target, precision.size(), 400, 5000, add_squares, seed);
      for (std::size_t j = 0; j < precision.size(); ++j) replicates[j].push_back(squares[j]);
    }
    for (std::size_t j = 0; j < precision.size(); ++j) {
      const double a = precision[j], law = (1.0 + e * noise / (2.0 * a)) / (a * (1.0 - e / 2.0));
      const Estimate found = mean_of_replicates(replicates[j]);
      EXPECT_LT(found.standard_error / found.value, 0.02);
      EXPECT_LT(std::abs(found.z_score(law)), limit) << j << " " << noise;
      EXPECT_GT(std::abs(found.z_score(1.0 / a)), limit) << j << " " << noise;  // mutant: no discretisation error
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

SgrldOptions sgrld(double step_size, PositionMetric metric) {
  SgrldOptions options;
  options.step_size = step_size;
  options.metric = std::move(metric);
  return options;
}

/// G = 1 + theta^2 for each coordinate.
PositionMetric growing_metric() {
  PositionMetric metric;
  metric.value = [](std::span<const double> theta, std::span<double> out) {
    for (std::size_t j = 0; j < theta.size(); ++j) out[j] = 1.0 + theta[j] * theta[j];
  };
  return metric;
}

double z_with_metric(PositionMetric metric, double expected) {
  auto dynamics = make_dynamics(sgrld(0.02, std::move(metric)), 400);
  GaussianTarget target(std::vector<double>(400, 1.0), 0.0);
  const Estimate found = mean_of_replicates(time_averages(*dynamics, target, 400, 2000, 6000, add_squares));
  EXPECT_LT(found.standard_error, 0.04);
  return std::abs(found.z_score(expected));
}

TEST(Sgrld, Correction_MakesTheLawRight) {
  // Without the correction, the distribution is proportional to the target times G, with variance (1 + 3) / (1 + 1).
  // False alarms 6e-5 each; the bias of the step is below a standard error.
  auto metric = growing_metric();
  metric.correction = [](std::span<const double> theta, std::span<double> out) {
    for (std::size_t j = 0; j < theta.size(); ++j) out[j] = -2.0 * theta[j] / std::pow(1.0 + theta[j] * theta[j], 2);
  };
  EXPECT_LT(z_with_metric(metric, 1.0), 4.0);
  metric.correction = [](std::span<const double>, std::span<double> out) { std::fill(out.begin(), out.end(), 0.0); };
  EXPECT_LT(z_with_metric(metric, 2.0), 4.0);
  EXPECT_GT(z_with_metric(metric, 1.0), 10.0);
}

/// Largest distance between two chains over 100 steps from the same start.
double distance_between(const SgrldOptions& a, const SgrldOptions& b, std::vector<double> start) {
  auto one = make_dynamics(a, start.size()), other = make_dynamics(b, start.size());
  GaussianTarget target(std::vector<double>(start.size(), 1.0), 0.0);
  one->initialise(start, {1, 0});
  other->initialise(start, {1, 0});
  double worst = 0.0;
  for (std::uint64_t t = 0; t < 100; ++t) {
    EXPECT_TRUE(one->step(target, t).ok() && other->step(target, t).ok());
    for (std::size_t j = 0; j < start.size(); ++j)
      worst = std::max(worst, std::abs(one->position()[j] - other->position()[j]));
  }
  return worst;
}

TEST(Sgrld, CorrectionByDifferences_IsTheGivenOne) {
  auto given = growing_metric();
  given.correction = [](std::span<const double> theta, std::span<double> out) {
    for (std::size_t j = 0; j < theta.size(); ++j) out[j] = -2.0 * theta[j] / std::pow(1.0 + theta[j] * theta[j], 2);
  };
  EXPECT_LT(distance_between(sgrld(0.05, growing_metric()), sgrld(0.05, given), {1.0, -0.5}), 1e-8);

  PositionMetric dense;  // G = [2 + x^2, y / 2; y / 2, 1 + y^2 + x^2]
  dense.dense = true;
  dense.value = [](std::span<const double> t, std::span<double> out) {
    out[0] = 2.0 + t[0] * t[0];
    out[1] = 0.5 * t[1];
    out[3] = 1.0 + t[1] * t[1] + t[0] * t[0];
  };
  PositionMetric exact = dense;
  exact.correction = [](std::span<const double> t, std::span<double> out) {  // -sum_j G^-1 (dG / dtheta_j) G^-1 e_j
    Eigen::Matrix2d G, in_x, in_y;
    G << 2.0 + t[0] * t[0], 0.5 * t[1], 0.5 * t[1], 1.0 + t[1] * t[1] + t[0] * t[0];
    in_x << 2.0 * t[0], 0.0, 0.0, 2.0 * t[0];
    in_y << 0.0, 0.5, 0.5, 2.0 * t[1];
    const Eigen::Matrix2d H = G.inverse();
    const Eigen::Vector2d gamma = -(H * in_x * H).col(0) - (H * in_y * H).col(1);
    out[0] = gamma[0];
    out[1] = gamma[1];
  };
  EXPECT_LT(distance_between(sgrld(0.05, dense), sgrld(0.05, exact), {1.0, -0.5}), 1e-8);
  EXPECT_GT(distance_between(sgrld(0.05, dense), sgrld(0.05, growing_metric()), {1.0, -0.5}), 1e-3);
}

TEST(Sgrld, PrecisionAsItsMetric_HasTheLawOfUnitScale) {
  // Precisions 0.01 and 100, equal to the metric: the variance is 1 / (a (1 - epsilon / 4)).
  constexpr double epsilon = 0.8;
  std::vector<double> precision;
  for (std::size_t j = 0; j < 400; ++j) precision.push_back(j % 2 ? 0.01 : 100.0);
  for (const bool dense : {false, true}) {
    PositionMetric metric;
    metric.dense = dense;
    metric.constant = true;
    const std::size_t size = dense ? 40 : 400;
    metric.value = [=](std::span<const double>, std::span<double> out) {
      std::fill(out.begin(), out.end(), 0.0);
      for (std::size_t j = 0; j < size; ++j) out[dense ? j * (size + 1) : j] = precision[j];
    };
    auto dynamics = make_dynamics(sgrld(epsilon, metric), size);
    GaussianTarget target({precision.begin(), precision.begin() + static_cast<std::ptrdiff_t>(size)}, 0.0);
    auto squares = time_averages(*dynamics, target, size, 200, dense ? 10'000 : 2000, add_squares);
    for (std::size_t j = 0; j < size; ++j) squares[j] *= precision[j];
    const Estimate found = mean_of_replicates(squares);
    EXPECT_LT(found.standard_error, 0.01);
    EXPECT_LT(std::abs(found.z_score(1.0 / (1.0 - epsilon / 4.0))), z_threshold(1e-4, 2)) << dense;
    EXPECT_GT(std::abs(found.z_score(1.0)), 10.0);
  }
}

TEST(Sgrld, MetricThatIsNotPositive_FailsTheStepAndNamesTheCoordinate) {
  PositionMetric metric;
  metric.constant = true;
  metric.value = [](std::span<const double>, std::span<double> out) {
    out[0] = 1.0;
    out[1] = -1.0;
  };
  auto dynamics = make_dynamics(sgrld(0.1, metric), 2);
  GaussianTarget target({1.0, 1.0}, 0.0);
  dynamics->initialise(std::vector<double>{0.0, 0.0}, {1, 0});
  const StepStatus status = dynamics->step(target, 0);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.coordinate, 1u);
}

TEST(CholeskyUpdate, Product_IsTheOldOnePlusTheColumns) {
  constexpr Eigen::Index size = 9;
  const Matrix root = Matrix::Random(size, size), columns = Matrix::Random(size, 4);
  const Matrix before = root * root.transpose() + Matrix::Identity(size, size);
  Matrix lower = before.llt().matrixL();
  Matrix spoilt = columns;
  update_cholesky({lower.data(), static_cast<std::size_t>(lower.size())}, 0.7,
                  {spoilt.data(), static_cast<std::size_t>(spoilt.size())}, size);
  const Matrix factor = lower.triangularView<Eigen::Lower>();
  EXPECT_TRUE((factor * factor.transpose()).isApprox(0.49 * before + columns * columns.transpose(), 1e-12));
  EXPECT_GT(factor.diagonal().minCoeff(), 0.0);
}

TEST(Hamcmc, WrongOptions_AreNamed) {
  EXPECT_EQ(message_of<OptionError>([] { hamcmc(0.1, 1).validate(2); }),
            "history is 1; it must be from 2 to 100 (2 to 5 is usual)");
  HamcmcOptions each = hamcmc(0.1, 3);
  each.step_size = std::vector<double>{0.1, 0.2};
  EXPECT_EQ(message_of<OptionError>([&] { each.validate(2); }),
            "hamcmc adapts to the scales of the parameters; give one step_size, not one per parameter");
  HamcmcOptions stiffest = hamcmc(0.1, 3);
  stiffest.pairs = HamcmcPairs::stiffest;
  stiffest.regularisation = 1.0;
  EXPECT_EQ(message_of<OptionError>([&] { stiffest.validate(2); }),
            "regularisation is for pairs of moves; leave it at 0 with pairs = stiffest");
}

}  // namespace
}  // namespace sgmcmc::testing
