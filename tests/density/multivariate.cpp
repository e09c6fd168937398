// Densities of vectors and matrices: values against textbook formulas in Eigen, gradients, rows, and normalisation.
#include "density/evaluate.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace sgmcmc::testing {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

const double pi = std::acos(-1.0);
constexpr double infinity = std::numeric_limits<double>::infinity();

const Vector x_value{{0.3, -1.2, 0.8}};
const Vector mean_value{{0.1, -0.5, 1.5}};
const Matrix covariance{{1.3, 0.4, -0.2}, {0.4, 0.9, 0.3}, {-0.2, 0.3, 2.0}};
const Matrix other{{2.1, -0.3, 0.5}, {-0.3, 1.7, 0.2}, {0.5, 0.2, 1.1}};

std::vector<double> flat(const std::vector<Eigen::MatrixXd>& parts) {
  std::vector<double> values;
  for (const auto& part : parts) {
    for (Eigen::Index i = 0; i < part.rows(); ++i) {
      for (Eigen::Index j = 0; j < part.cols(); ++j) values.push_back(part(i, j));
    }
  }
  return values;
}

Matrix lower_factor(const Matrix& a) { return a.llt().matrixL(); }

double log_det(const Matrix& a) { return std::log(a.determinant()); }

double multi_normal_formula(const Vector& x, const Vector& mean, const Matrix& sigma) {
  const Vector r = x - mean;
  const double k = static_cast<double>(x.size());
  return -0.5 * r.dot(sigma.inverse() * r) - 0.5 * log_det(sigma) - 0.5 * k * std::log(2 * pi);
}

double multi_student_t_formula(const Vector& x, double nu, const Vector& location, const Matrix& sigma) {
  const Vector r = x - location;
  const double k = static_cast<double>(x.size());
  return std::lgamma((nu + k) / 2) - std::lgamma(nu / 2) - 0.5 * k * std::log(nu * pi) - 0.5 * log_det(sigma) -
         0.5 * (nu + k) * std::log1p(r.dot(sigma.inverse() * r) / nu);
}

double log_multigamma(double a, int k) {
  double total = 0.25 * k * (k - 1) * std::log(pi);
  for (int j = 0; j < k; ++j) total += std::lgamma(a - 0.5 * j);
  return total;
}

double wishart_formula(const Matrix& w, double nu, const Matrix& s) {
  const int k = static_cast<int>(w.rows());
  return 0.5 * (nu - k - 1) * log_det(w) - 0.5 * (s.inverse() * w).trace() - 0.5 * nu * k * std::log(2.0) -
         0.5 * nu * log_det(s) - log_multigamma(0.5 * nu, k);
}

double inv_wishart_formula(const Matrix& w, double nu, const Matrix& s) {
  const int k = static_cast<int>(w.rows());
  return 0.5 * nu * log_det(s) - 0.5 * (nu + k + 1) * log_det(w) - 0.5 * (s * w.inverse()).trace() -
         0.5 * nu * k * std::log(2.0) - log_multigamma(0.5 * nu, k);
}

struct Case {
  std::string name;
  Expression f;  ///< of parameters only
  std::vector<double> at;
  double expected;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  const Shape vector{3}, matrix{3, 3};
  const auto x = theta(0, vector), mean = theta(3, vector), a = theta(6, matrix), last = theta(15);
  const auto factor = lower_factor(covariance);
  const Vector sd{{0.4, 1.2, 2.0}};
  all.push_back({"multi_normal_diagonal", multi_normal_diagonal_lpdf(x, mean, theta(6, vector)),
                 flat({x_value, mean_value, sd}),
                 multi_normal_formula(x_value, mean_value, sd.cwiseAbs2().asDiagonal())});
  all.push_back({"multi_normal_diagonal_one_sd", multi_normal_diagonal_lpdf(x, mean, theta(6)),
                 flat({x_value, mean_value, Vector{{0.7}}}),
                 multi_normal_formula(x_value, mean_value, 0.49 * Matrix::Identity(3, 3))});
  all.push_back({"multi_normal_cholesky", multi_normal_cholesky_lpdf(x, mean, a), flat({x_value, mean_value, factor}),
                 multi_normal_formula(x_value, mean_value, covariance)});
  all.push_back({"multi_normal_prec", multi_normal_prec_lpdf(x, mean, a), flat({x_value, mean_value, covariance}),
                 multi_normal_formula(x_value, mean_value, covariance.inverse())});
  all.push_back({"multi_normal", multi_normal_lpdf(x, mean, a), flat({x_value, mean_value, covariance}),
                 multi_normal_formula(x_value, mean_value, covariance)});
  all.push_back({"multi_student_t_cholesky", multi_student_t_cholesky_lpdf(x, last, mean, a),
                 flat({x_value, mean_value, factor, Vector{{4.5}}}),
                 multi_student_t_formula(x_value, 4.5, mean_value, covariance)});
  all.push_back({"multi_student_t", multi_student_t_lpdf(x, last, mean, a),
                 flat({x_value, mean_value, covariance, Vector{{4.5}}}),
                 multi_student_t_formula(x_value, 4.5, mean_value, covariance)});

  const Vector gp_weights{{0.6, 2.5}}, second{{2.0, 0.4, -0.7}}, none = Vector::Zero(3);
  const double gp = multi_normal_formula(x_value, none, covariance / gp_weights[0]) +
                    multi_normal_formula(second, none, covariance / gp_weights[1]);
  const auto rows_of_y = theta(0, Shape{2, 3}), row_weights = theta(15, Shape{2});
  all.push_back(
      {"multi_gp", multi_gp_lpdf(rows_of_y, a, row_weights), flat({x_value, second, covariance, gp_weights}), gp});
  all.push_back({"multi_gp_cholesky", multi_gp_cholesky_lpdf(rows_of_y, a, row_weights),
                 flat({x_value, second, factor, gp_weights}), gp});

  const Vector weights{{0.2, 0.5, 0.3}}, alpha{{0.7, 2.5, 1.0}};
  double dirichlet = std::lgamma(alpha.sum());
  for (int k = 0; k < 3; ++k) dirichlet += (alpha[k] - 1) * std::log(weights[k]) - std::lgamma(alpha[k]);
  all.push_back({"dirichlet", dirichlet_lpdf(x, mean), flat({weights, alpha}), dirichlet});
  all.push_back({"dirichlet_one_alpha", dirichlet_lpdf(x, theta(3)), flat({weights, Vector{{2.0}}}),
                 std::lgamma(6.0) + std::log(0.03)});
  const auto counts = constant({2, 0, 5});
  const double coefficient = std::log(21.0);
  all.push_back({"multinomial", multinomial_lpmf(counts, x), flat({weights}),
                 coefficient + 2 * std::log(0.2) + 5 * std::log(0.3)});
  const Vector logits = weights.array().log() + 1.7;
  all.push_back({"multinomial_logit", multinomial_logit_lpmf(counts, x), flat({logits}),
                 coefficient + 2 * std::log(0.2) + 5 * std::log(0.3)});

  const auto w = theta(0, matrix), s = theta(9, matrix), degrees = theta(18);
  all.push_back({"wishart", wishart_lpdf(w, degrees, s), flat({covariance, other, Vector{{5.5}}}),
                 wishart_formula(covariance, 5.5, other)});
  all.push_back({"inv_wishart", inv_wishart_lpdf(w, degrees, s), flat({covariance, other, Vector{{5.5}}}),
                 inv_wishart_formula(covariance, 5.5, other)});

  // Of 3 x 3 matrices: det(R)^(shape - 1) over the integral, from the beta functions of partial correlations.
  const Matrix correlation{{1, 0.4, -0.2}, {0.4, 1, 0.3}, {-0.2, 0.3, 1}};
  const double shape = 2.5;
  const auto log_b = [](double b) { return 0.5 * std::log(pi) + std::lgamma(b) - std::lgamma(b + 0.5); };
  const double lkj = (shape - 1) * log_det(correlation) - 2 * log_b(shape + 0.5) - log_b(shape);
  const auto correlation_factor = lower_factor(correlation);
  all.push_back({"lkj_corr", lkj_corr_lpdf(w, theta(9)), flat({correlation, Vector{{shape}}}), lkj});
  all.push_back({"lkj_corr_cholesky", lkj_corr_cholesky_lpdf(w, theta(9)), flat({correlation_factor, Vector{{shape}}}),
                 lkj + std::log(correlation_factor(1, 1))});
  return all;
}

class Multivariate : public ::testing::TestWithParam<Case> {};

TEST_P(Multivariate, OrdinaryPoint_EqualsTextbookFormula) {
  EXPECT_TRUE(GetParam().f.shape().is_scalar());
  EXPECT_NEAR(value_at(GetParam().f, GetParam().at), GetParam().expected, 1e-12 * std::abs(GetParam().expected));
}

TEST_P(Multivariate, AllArguments_GradientAgreesWithDualsAndDifferences) {
  const auto report = reference::check_gradient(GetParam().f, {}, {GetParam().at, {}, {}});
  EXPECT_TRUE(report.agrees()) << report.failure;
}

INSTANTIATE_TEST_SUITE_P(Distributions, Multivariate, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

TEST(Multivariate, RowDataWithGlobalParameters_ValuesAndGradients) {
  reference::RowTable rows;
  rows.rows = 2;
  rows.reals["x"] = {0.3, -1.2, 0.8, 2.0, 0.4, -0.7};
  const auto x = row_real("x", {3}), mean = theta(0, {3}), a = theta(3, {3, 3});
  const auto factor = lower_factor(covariance);
  const Vector second{{2.0, 0.4, -0.7}};
  const auto at_factor = flat({mean_value, factor}), at_matrix = flat({mean_value, covariance});
  const std::vector<std::tuple<Expression, std::vector<double>, Matrix>> normals{
      {multi_normal_cholesky_lpdf(x, mean, a), at_factor, covariance},
      {multi_normal_lpdf(x, mean, a), at_matrix, covariance},
      {multi_normal_prec_lpdf(x, mean, a), at_matrix, covariance.inverse()},
  };
  for (const auto& [f, at, sigma] : normals) {
    const auto values = values_at(f, at, rows);
    ASSERT_EQ(values.size(), 2U);
    EXPECT_NEAR(values[0], multi_normal_formula(x_value, mean_value, sigma), 1e-12 * std::abs(values[0]));
    EXPECT_NEAR(values[1], multi_normal_formula(second, mean_value, sigma), 1e-12 * std::abs(values[1]));
    EXPECT_TRUE(reference::check_gradient(f, rows, {at, {}, {}}).agrees());
    EXPECT_TRUE(reference::check_gradient(row_sum(f), rows, {at, {}, {}}).agrees());
  }
  const auto student = multi_student_t_cholesky_lpdf(x, 4.0, mean, a);
  EXPECT_TRUE(reference::check_gradient(row_sum(student), rows, {at_factor, {}, {}}).agrees());
}

TEST(Multivariate, ArrayOfVectors_SumOfItsParts) {
  const auto both = theta(0, {2, 3}), a = theta(6, {3, 3});
  const auto first = theta(0, {3}), second = theta(3, {3});
  const auto at = flat({Vector{{0.3, -1.2, 0.8}}, Vector{{2.0, 0.4, -0.7}}, lower_factor(covariance)});
  const auto mean = constant({0.1, -0.5, 1.5});
  const auto expect_sum = [&](const std::function<Expression(Expression)>& f) {
    EXPECT_NEAR(value_at(f(both), at), value_at(f(first), at) + value_at(f(second), at), 1e-12);
    EXPECT_TRUE(reference::check_gradient(f(both), {}, {at, {}, {}}).agrees());
  };
  expect_sum([&](Expression x) { return multi_normal_cholesky_lpdf(x, mean, a); });
  expect_sum([&](Expression x) { return multi_normal_prec_lpdf(x, mean, matmul(a, transpose(a))); });
  expect_sum([&](Expression x) { return multi_normal_lpdf(x, mean, matmul(a, transpose(a))); });
  expect_sum([&](Expression x) { return multi_normal_diagonal_lpdf(x, mean, exp(diagonal(a))); });
  expect_sum([&](Expression x) { return multi_student_t_cholesky_lpdf(x, 4.0, mean, a); });
  expect_sum([&](Expression x) { return dirichlet_lpdf(softmax(x), exp(diagonal(a))); });
  expect_sum([&](Expression x) { return dirichlet_lpdf(softmax(x), 1.5); });
}

TEST(MultiNormal, TinyScale_Finite) {
  const double scale = 1e-300;
  const Matrix factor = scale * Matrix::Identity(3, 3);
  const Vector x = scale * x_value;
  const auto f = multi_normal_cholesky_lpdf(theta(0, {3}), 0.0, theta(3, {3, 3}));
  const double expected = -0.5 * x_value.squaredNorm() - 3 * std::log(scale) - 1.5 * std::log(2 * pi);
  EXPECT_NEAR(value_at(f, flat({x, factor})), expected, 1e-11 * expected);
  for (double slope : gradient_at(f, flat({x, factor}))) EXPECT_TRUE(std::isfinite(slope));
}

TEST(MultiStudentT, HugeDegrees_IsNormal) {
  const auto at = flat({x_value, mean_value, lower_factor(covariance), Vector{{1e14}}});
  const auto f = multi_student_t_cholesky_lpdf(theta(0, {3}), theta(15), theta(3, {3}), theta(6, {3, 3}));
  EXPECT_NEAR(value_at(f, at), multi_normal_formula(x_value, mean_value, covariance), 1e-12);
}

TEST(Dirichlet, BoundaryWithUnitAlpha_Limit) {
  const auto f = dirichlet_lpdf(theta(0, {3}), constant({1.0, 2.0, 1.0}));
  EXPECT_DOUBLE_EQ(value_at(f, {0.0, 1.0, 0.0}), std::log(6.0));
  EXPECT_EQ(gradient_at(f, {0.0, 1.0, 0.0}), (std::vector<double>{0, 1, 0}));
}

TEST(Dirichlet, NegativeEntry_MinusInfinityAndGradientZero) {
  const auto f = dirichlet_lpdf(theta(0, {3}), theta(3, {3}));
  const std::vector<double> at{-0.1, 0.6, 0.5, 2, 3, 4};
  EXPECT_EQ(value_at(f, at), -infinity);
  for (double slope : gradient_at(f, at)) EXPECT_EQ(slope, 0.0);
}

TEST(Multinomial, ZeroProbability_ZeroCountIsHarmless) {
  const auto f = multinomial_lpmf(constant({2, 0, 1}), theta(0, {3}));
  EXPECT_DOUBLE_EQ(value_at(f, {0.5, 0.0, 0.5}), std::log(3.0) + 3 * std::log(0.5));
  EXPECT_EQ(gradient_at(f, {0.5, 0.0, 0.5}), (std::vector<double>{4, 0, 2}));
}

TEST(Multinomial, RowCounts_GradientAgrees) {
  reference::RowTable rows;
  rows.rows = 2;
  rows.integers["y"] = {2, 0, 5, 1, 1, 0};
  const auto y = row_integer("y", {3});
  const std::vector<double> at{0.2, 0.5, 0.3};
  for (const auto& f : {multinomial_lpmf(y, theta(0, {3})), multinomial_logit_lpmf(y, theta(0, {3}))}) {
    EXPECT_TRUE(reference::check_gradient(row_sum(f), rows, {at, {}, {}}).agrees());
  }
}

TEST(Wishart, OneDimension_IsGamma) {
  const auto w = theta(0, {1, 1});
  const double value = value_at(wishart_lpdf(w, 5.5, constant({1.7}, {1, 1})), {2.3});
  EXPECT_NEAR(value, value_at(gamma_lpdf(theta(0), 2.75, 1 / 3.4), {2.3}), 1e-13);
  const double inverse = value_at(inv_wishart_lpdf(w, 5.5, constant({1.7}, {1, 1})), {2.3});
  EXPECT_NEAR(inverse, value_at(inv_gamma_lpdf(theta(0), 2.75, 0.85), {2.3}), 1e-13);
}

TEST(InverseWishart, InverseOfWishart_DiffersByTheJacobian) {
  const auto f = inv_wishart_lpdf(theta(0, {3, 3}), 5.5, theta(9, {3, 3}));
  const auto g = wishart_lpdf(theta(0, {3, 3}), 5.5, theta(9, {3, 3}));
  const double direct = value_at(f, flat({covariance, other}));
  const double through_inverse = value_at(g, flat({covariance.inverse(), other.inverse()}));
  EXPECT_NEAR(direct, through_inverse - 4 * log_det(covariance), 1e-12);
}

TEST(Lkj, TwoDimensions_IntegratesToOne) {
  for (double shape : {0.7, 1.0, 3.5}) {
    const auto density = [&](double r) {
      const auto f = lkj_corr_lpdf(theta(0, {2, 2}), shape);
      return std::exp(value_at(f, {1, r, r, 1}));
    };
    // The end points are square-root singular for shape < 1; substitute r = sin(t).
    const auto substituted = [&](double t) { return density(std::sin(t)) * std::cos(t); };
    const double mass = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(substituted, -pi / 2 + 1e-7,
                                                                                      pi / 2 - 1e-7, 15, 1e-8);
    EXPECT_NEAR(mass, 1.0, 1e-6) << shape;
  }
}

TEST(Lkj, UnitShapeInThreeDimensions_IsUniform) {
  // The volume of 3 x 3 correlation matrices is pi^2 / 2.
  const auto f = lkj_corr_lpdf(theta(0, {3, 3}), 1.0);
  EXPECT_NEAR(value_at(f, {1, 0.4, -0.2, 0.4, 1, 0.3, -0.2, 0.3, 1}), -std::log(pi * pi / 2), 1e-13);
}

TEST(Multivariate, WrongShapes_ErrorNamesTheOperands) {
  const auto expect_message = [](const std::function<void()>& f, const std::string& part) {
    try {
      f();
      ADD_FAILURE() << "no error";
    } catch (const ShapeError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_message([] { multi_normal_cholesky_lpdf(theta(0, {3}), 0.0, theta(3, {2, 2})); }, "[3, 3]");
  expect_message([] { multi_normal_lpdf(theta(0, {3}), 0.0, theta(3, {3})); }, "multi_normal_lpdf");
  expect_message([] { dirichlet_lpdf(theta(0), 1.0); }, "dirichlet_lpdf");
  expect_message([] { wishart_lpdf(theta(0, {3}), 4.0, theta(3, {3, 3})); }, "wishart_lpdf");
}

}  // namespace
}  // namespace sgmcmc::testing
