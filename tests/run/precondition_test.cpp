// Preconditioners from the Hessian at the mode, preferential sampling of rows, and runs with both.
#include "mode/precondition.hpp"

#include "dynamics/whitening.hpp"
#include "errors/message_of.hpp"
#include "gradient/estimators.hpp"
#include "mode/curvature.hpp"
#include "mode/low_rank.hpp"
#include "mode/preferential.hpp"
#include "run/models.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <string>

namespace sgmcmc::testing {
namespace {

Eigen::MatrixXd factor_of(const Preconditioner& p) {
  const auto size = static_cast<Eigen::Index>(p.dimension());
  return Eigen::Map<const Eigen::MatrixXd>(p.factor.data(), size, size);
}

/// A logistic regression whose last columns are non-zero in few rows only.
LogisticData rare_columns(std::size_t rows) {
  LogisticData data(rows, 5);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 3; j < 5; ++j) data.x[i * 5 + j] = i % (j == 3 ? 50 : 200) == 7 ? 1.0 : 0.0;
  return data;
}

Model laplace_prior_regression(const LogisticData& data, double scale = 1.0) {
  Model model(data.dataset());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(data.columns)});
  model.prior(laplace_lpdf(beta, 0, scale));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

TEST(Precondition, SmoothPosterior_DenseMapIsTheInverseHessian) {
  const Model model = logistic_regression(LogisticData(500, 6));
  const LogPosterior posterior(model);
  const auto mode = find_mode(model).theta;
  const auto p = make_preconditioner(posterior, mode, Precondition::automatic, nullptr);
  EXPECT_EQ(p->kind, Precondition::dense);
  const auto hessian = negative_hessian(posterior, mode, nullptr);
  const Eigen::MatrixXd L = factor_of(*p), H = Eigen::Map<const Eigen::MatrixXd>(hessian.data(), 6, 6);
  EXPECT_LT((L.transpose() * H * L - Eigen::MatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_TRUE(L.isLowerTriangular(1e-15));

  const auto diagonal = make_preconditioner(posterior, mode, Precondition::diagonal, nullptr);
  for (Eigen::Index j = 0; j < 6; ++j)  // from squared gradients, not second derivatives
    EXPECT_NEAR(diagonal->scale[static_cast<std::size_t>(j)] * std::sqrt(H(j, j)), 1.0, 0.25);
}

TEST(Precondition, ClassesWithHundredsOfCoefficients_DenseMapIsTheInverseHessian) {
  constexpr std::size_t rows = 400, columns = 260;
  Vector x(rows * columns);
  fill_normal({8, 0, 0, Purpose::data}, x);
  std::vector<std::int32_t> y(rows);
  for (std::size_t i = 0; i < rows; ++i) y[i] = static_cast<std::int32_t>(i % 2);
  Model model(Dataset::Builder().real("x", x, {columns}).integer("y", y).build());
  const auto beta = model.parameter("beta", {2, columns});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(categorical_logit_lpmf(model.row("y"), matmul(beta, model.row("x")), 0));
  const LogPosterior posterior(model);
  const Vector at(2 * columns, 0.01);
  const auto map = make_preconditioner(posterior, at, Precondition::dense, nullptr);
  const auto hessian = negative_hessian(posterior, at, nullptr);
  const auto size = static_cast<Eigen::Index>(at.size());
  const Eigen::MatrixXd L = factor_of(*map), H = Eigen::Map<const Eigen::MatrixXd>(hessian.data(), size, size);
  EXPECT_LT((L.transpose() * H * L - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_TRUE(L.isLowerTriangular(1e-15));
}

TEST(Precondition, RowInformation_IsTheSumOfProductsWhateverTheThreads) {
  const LogisticData data(1003, 5);
  const Model model = logistic_regression(data);
  const LogPosterior posterior(model);
  const Vector theta{0.3, -0.2, 0.1, 0.5, -1.0};
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(5, 5);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(data.x.data() + i * 5, 5);
    const double p = 1.0 / (1.0 + std::exp(-x.dot(Eigen::Map<const Eigen::VectorXd>(theta.data(), 5))));
    expected += (data.y[i] - p) * (data.y[i] - p) * x * x.transpose();
  }
  const Eigen::MatrixXd one = row_information(posterior, theta, posterior.all_rows(), nullptr);
  EXPECT_LT((one - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff());
  ThreadPool pool(3);
  EXPECT_EQ((row_information(posterior, theta, posterior.all_rows(), &pool) - one).cwiseAbs().maxCoeff(), 0.0);
}

TEST(Precondition, KinkedPrior_IsSmoothedOverAStandardDeviation) {
  // Prior only: a Laplace distribution of scale b has standard deviation 1.41 b, and no curvature anywhere.
  Model model;
  const auto theta = model.parameter("theta", {3});
  model.prior(laplace_lpdf(theta, constant(Vector{0.0, 1.0, -2.0}), constant(Vector{0.1, 1.0, 20.0})));
  const LogPosterior posterior(model);
  const auto p = make_preconditioner(posterior, Vector{0.0, 1.0, -2.0}, Precondition::dense, nullptr);
  const auto sds = p->standard_deviations();
  EXPECT_GT(sds[0], 0.03);
  EXPECT_LT(sds[0], 0.5);
  EXPECT_GT(sds[1], 0.5);
  EXPECT_LT(sds[1], 2.0);
  EXPECT_GT(sds[2], 2.0);
  EXPECT_LT(sds[2], 40.0);
}

TEST(Precondition, EqualColumnsWithKinkedPriors_HaveTheWidthOfThePrior) {
  // The rows determine only the sum of the two coefficients. Given a sum of 0.5, one of them has density exp(-|b| -
  // |0.5 - b|) and standard deviation 0.74. A single secant over a width of 10 would give 2.2.
  LogisticData data(5000, 2);
  for (std::size_t i = 0; i < data.rows; ++i) data.x[2 * i + 1] = data.x[2 * i];
  const Model model = laplace_prior_regression(data);
  const auto p = make_preconditioner(LogPosterior(model), Vector{0.25, 0.25}, Precondition::dense, nullptr);
  const Eigen::MatrixXd L = factor_of(*p);
  for (Eigen::Index j = 0; j < 2; ++j) EXPECT_NEAR(std::log(L.row(j).norm() / 0.74), 0.0, std::log(1.5)) << j;
  EXPECT_LT((L.row(0) + L.row(1)).norm(), 0.1) << "the sum is known well";
}

TEST(Precondition, FlatOrUpwardDirections_StillGiveAMap) {
  Model flat;
  const auto theta = flat.parameter("theta", {2});
  flat.prior(normal_lpdf(sum(theta), 0, 1));  // the difference is not identified
  const auto p = make_preconditioner(LogPosterior(flat), Vector{0.0, 0.0}, Precondition::dense, nullptr);
  for (const double sd : p->standard_deviations()) EXPECT_TRUE(sd > 0.1 && std::isfinite(sd)) << sd;

  Model saddle;
  const auto x = saddle.parameter("x", {2});
  saddle.prior(sum(constant(Vector{1.0, -1.0}) * square(x)));
  EXPECT_NO_THROW(make_preconditioner(LogPosterior(saddle), Vector{0.0, 0.0}, Precondition::dense, nullptr));
}

TEST(Precondition, OutstandingDirections_AreThoseOfTheMatrix) {
  constexpr Eigen::Index size = 300;
  Eigen::VectorXd values = Eigen::VectorXd::Ones(size);
  for (Eigen::Index j = 0; j < size; ++j) values[j] += 0.2 * std::sin(static_cast<double>(j));
  values[7] = 40.0;
  values[11] = 9.0;
  values[13] = 0.02;
  const Eigen::VectorXd axis = Eigen::VectorXd::LinSpaced(size, -1.0, 2.0).normalized();  // reflecting mixes them
  const auto reflect = [&](const Eigen::VectorXd& v) -> Eigen::VectorXd { return v - 2.0 * axis.dot(v) * axis; };
  const auto found = outstanding_directions(size, 40, [&](const Eigen::VectorXd& v, Eigen::VectorXd& product) {
    product = reflect(values.cwiseProduct(reflect(v)));
  });
  ASSERT_EQ(found.values.size(), 3);
  const double expected[] = {0.02, 9.0, 40.0};
  const Eigen::Index place[] = {13, 11, 7};
  for (Eigen::Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.values[k], expected[k], 1e-3 * expected[k] + 1e-4);
    EXPECT_NEAR(std::abs(reflect(found.columns.col(k))[place[k]]), 1.0, 1e-3);
  }
  EXPECT_LT((found.columns.transpose() * found.columns - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Precondition, ManyCoordinatesWithACommonPart_HaveItsDirection) {
  constexpr std::int64_t size = 600;
  Model model;
  const auto theta = model.parameter("theta", {size});
  model.prior(std_normal_lpdf(theta));
  model.prior(normal_lpdf(sum(theta), 0, 0.5));  // curvature 1 + 4 x 600 along one direction
  const auto p = make_preconditioner(LogPosterior(model), Vector(size, 0.0), Precondition::automatic, nullptr);
  EXPECT_EQ(p->kind, Precondition::low_rank);
  Whitening map(p);
  const auto curvature_along = [&](const Vector& u) {
    Vector moved(size);
    map.multiply(u, moved);
    double squares = 0, total = 0, length = 0;
    for (std::size_t j = 0; j < moved.size(); ++j) {
      squares += moved[j] * moved[j];
      total += moved[j];
      length += u[j] * u[j];
    }
    return (squares + 4.0 * total * total) / length;
  };
  EXPECT_GT(curvature_along(Vector(size, 1.0)), 0.05);
  EXPECT_LT(curvature_along(Vector(size, 1.0)), 4.0) << "2401 without";
  EXPECT_GT(curvature_along(normals(size, 5)), 0.05);
  EXPECT_LT(curvature_along(normals(size, 5)), 4.0);
}

TEST(Preferential, Probabilities_AreSizesOfChangesInUnitsOfThePosterior) {
  const LogisticData data = rare_columns(900);
  const Model model = laplace_prior_regression(data);
  const LogPosterior posterior(model);
  const auto mode = find_mode(model).theta;
  const auto p = make_preconditioner(posterior, mode, Precondition::dense, nullptr);
  const auto found = preferential_probabilities(posterior, Estimator::control_variate, p, 9, nullptr);
  ThreadPool pool(3);
  EXPECT_EQ(preferential_probabilities(posterior, Estimator::control_variate, p, 9, &pool), found);
  double sum = 0;
  for (const double probability : found) sum += probability;
  EXPECT_NEAR(sum, 1.0, 1e-12);

  // The noise of an estimate in posterior units: sum over rows of |L' d_i|^2 / p_i, at points of the posterior.
  const Eigen::MatrixXd L = factor_of(*p);
  const Eigen::VectorXd centre = Eigen::Map<const Eigen::VectorXd>(mode.data(), 5);
  double preferred = 0, even = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    Vector u(5);
    fill_normal({3, 0, k, Purpose::data}, u);
    const Eigen::VectorXd theta = centre + L * Eigen::Map<const Eigen::VectorXd>(u.data(), 5);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(data.x.data() + i * 5, 5);
      const auto slope = [&](const Eigen::VectorXd& at) { return 1.0 / (1.0 + std::exp(-x.dot(at))); };
      const double size = (L.transpose() * x * (slope(theta) - slope(centre))).squaredNorm();
      preferred += size / found[i];
      even += size * static_cast<double>(data.rows);
    }
  }
  EXPECT_LT(preferred, 0.4 * even);
  for (const double probability : found) EXPECT_GE(probability, 0.0999 / static_cast<double>(data.rows));
}

TEST(Preferential, AloneAndUnresolved_IsRefusedWithAdvice) {
  const auto posterior = std::make_shared<const LogPosterior>(logistic_regression(LogisticData(50, 2)));
  GradientOptions options;
  options.minibatch.sampling = RowSampling::preferential;
  const auto message = message_of<OptionError>([&] { make_estimator(posterior, options, 1, 0); });
  EXPECT_NE(message.find("sampling is preferential"), std::string::npos) << message;
}

// If all rows have equal curvature, control variates have no noise. The posterior is Gaussian, and at the default step
// the draws have exactly its variance. False-alarm rate 1e-4 each.
TEST(Sglm, GaussianPosteriorOfRows_HasTheVarianceOfThePosterior) {
  const ManyRegressions problem(200, false);
  const double threshold = z_threshold(1e-4, 1);
  for (const auto precondition : {Precondition::dense, Precondition::diagonal}) {
    SampleOptions options;
    options.method("sglm-cv");
    options.precondition = precondition;
    options.gradient.minibatch.batch_size = 2;
    options.iterations = 1500;
    options.threads = 1;
    const auto result = sample(problem.model(), options);
    std::vector<double> variances;
    for (std::size_t j = 0; j < 200; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < 1500; ++t) sum += std::pow(result.draws(0, t, j) - problem.mean()[j], 2);
      variances.push_back(sum / 1500);
    }
    const Estimate found = mean_of_replicates(variances);
    EXPECT_LT(std::abs(found.z_score(1.0 / problem.precision())), threshold);
    EXPECT_GT(std::abs(found.z_score(1.0 / (problem.precision() * (1.0 - 0.5 / 4.0)))), threshold) << "that of sgld";
    EXPECT_NEAR(result.preconditioner->standard_deviations()[0] * std::sqrt(problem.precision()), 1.0, 0.3);
  }
}

TEST(Sglm, RareColumnsAndKinkedPriors_MomentsOfNuts) {
  const Model model = laplace_prior_regression(rare_columns(2000));
  SampleOptions exact;
  exact.method("nuts");
  exact.chains = 2;
  const auto reference = sample(model, exact);
  SampleOptions options;
  options.method("sglm-cv");
  options.gradient.minibatch.batch_size = 100;
  options.chains = 2;
  const auto result = sample(model, options);
  for (const auto& name : reference.names) {
    const double sd = reference.standard_deviation(name);
    // The limits are at least five standard errors: false-alarm rate below 1e-5.
    EXPECT_NEAR(result.mean(name), reference.mean(name), 0.2 * sd) << name;
    EXPECT_NEAR(result.standard_deviation(name) / sd, 1.0, 0.15) << name;
  }
}

TEST(SampleOptions, MethodSglm_HasItsDefaults) {
  SampleOptions options;
  options.method("sglm-cv");
  EXPECT_EQ(step_size_of(options.sampler)->values, Vector{0.5});
  EXPECT_EQ(options.gradient.minibatch.sampling, RowSampling::preferential);
  EXPECT_EQ(options.decided_precondition(), Precondition::automatic);
  options.precondition = Precondition::none;
  EXPECT_EQ(options.decided_precondition(), Precondition::none);
  SampleOptions others;
  others.method("sgld-cv");
  EXPECT_EQ(others.decided_precondition(), Precondition::none);
  EXPECT_EQ(others.gradient.minibatch.sampling, RowSampling::without_replacement);
}

TEST(Precondition, GivenPreconditioner_IsUsedAsItIs) {
  const Model model = logistic_regression(LogisticData(300, 3));
  SampleOptions options;
  options.method("sgld-cv").step_size(0.1);
  options.precondition = Precondition::automatic;
  options.iterations = 50;
  const auto found = sample(model, options);
  options.preconditioner = found.preconditioner;
  const auto again = sample(model, options);
  EXPECT_EQ(again.preconditioner, found.preconditioner);
  EXPECT_FALSE(again.mode_report) << "there was nothing to look for";
  for (std::size_t t = 0; t < 50; ++t) EXPECT_EQ(again.draws(0, t, 0), found.draws(0, t, 0));

  auto wrong = std::make_shared<Preconditioner>();
  wrong->centre = {0.0};
  wrong->scale = {1.0};
  options.preconditioner = wrong;
  const auto message = message_of<OptionError>([&] { sample(model, options); });
  EXPECT_NE(message.find("preconditioner has 1 coordinates; the model has 3"), std::string::npos) << message;
}

}  // namespace
}  // namespace sgmcmc::testing
