// Mean and covariance of the target by regressing gradients on positions, with errors by influence functions.
//
// In units of the draws' standard deviations, with x the centred position of a point, y its centred gradient, R the
// correlation of the draws: H = -Cov(y, x) R^-1, M = (H + H') / 2. To first order a point changes H by -(s u') / n with
// s = y + H x, the residual of the regression, and u = R^-1 x; hence, with a = M^-1 s and b = M^-1 u,
//   (M^-1)_jj   by  a_j b_j,                     log S_jj - log (M^-1)_jj  by  (x_j^2 - 1) - a_j b_j / (M^-1)_jj,
//   M^-1 gbar   by  M^-1 y + (a u' + b s') M^-1 gbar / 2.
// The standard error of the mean of these influences, including autocorrelation, is that of the result. For a normal
// target with exact gradients s = 0: H is known without error, and only the Monte Carlo error of the draws remains.
//
// The inverse of a noisy matrix is biased upwards. The second-order term, sum over points of [M^-1 dM M^-1 dM M^-1]_jj
// = sum (2 a_j b_j u'a + a_j^2 u'b + b_j^2 s'a) / 4 / n^2, is subtracted.
#include "base/decompositions.hpp"
#include "base/matrix_products.hpp"
#include "base/thread_pool.hpp"
#include "diagnose/effective_size.hpp"
#include "diagnose/stein_points.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sgmcmc {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The quantities of the comment above for all points; empty if M^-1 does not exist.
struct Regression {
  MatrixXd curvature;        ///< M
  VectorXd variance;         ///< diagonal of M^-1, corrected
  VectorXd step;             ///< M^-1 gbar
  PointRows variance_parts;  ///< a_j b_j by point
  PointRows step_parts;
};

/// rows * matrix.
PointRows times(const PointRows& rows, const MatrixXd& matrix) {
  PointRows result(rows.rows(), matrix.cols());
  set_inner_products({matrix.data(), matrix.rows(), matrix.cols(), matrix.rows()},
                     {rows.data(), rows.cols(), rows.rows(), rows.cols()}, result.data(), result.cols());
  return result;
}

/// The sum over points of weight a b'.
MatrixXd sum_of_products(const PointRows& a, const VectorXd& weights, const PointRows& b) {
  const PointRows weighted = weights.asDiagonal() * b;
  MatrixXd result = MatrixXd::Zero(a.cols(), b.cols());
  add_outer_products({a.data(), a.cols(), a.rows(), a.cols()},
                     {weighted.data(), weighted.cols(), weighted.rows(), weighted.cols()}, result.data(),
                     result.rows());
  return result;
}

std::optional<Regression> regress(const ScaledPoints& points, const PointRows& y, const VectorXd& mean_gradient) {
  const MatrixXd correlation = points.unbiasing * sum_of_products(points.positions, points.weights, points.positions);
  const PivotedCholesky solver(correlation);
  if (!solver.succeeded() || !(solver.pivots().minCoeff() > 1e-10)) return std::nullopt;
  const MatrixXd cross = points.unbiasing * sum_of_products(points.positions, points.weights, y);  // Cov(x, y)
  const MatrixXd transposed = -solver.solve(cross);                                                // H'
  Regression result;
  result.curvature = 0.5 * (transposed + transposed.transpose());
  const Cholesky factor(result.curvature);
  // A pivot near 0 means that the gradients do not determine that direction.
  if (!factor.succeeded() || !(factor.numbers().diagonal().minCoeff() > 1e-4)) return std::nullopt;
  const MatrixXd inverse = factor.inverse();
  const PointRows s = y + times(points.positions, transposed);
  const PointRows u = solver.solve(points.positions.transpose()).transpose();
  const PointRows a = times(s, inverse), b = times(u, inverse);
  result.step = product(inverse, mean_gradient);
  result.variance_parts = a.cwiseProduct(b);
  result.step_parts = times(y, inverse);
  const VectorXd u_step = u * result.step, s_step = s * result.step;
  result.step_parts += 0.5 * (u_step.asDiagonal() * a) + 0.5 * (s_step.asDiagonal() * b);

  const VectorXd squared_weights = points.weights.array().square();
  const VectorXd ua = squared_weights.cwiseProduct(u.cwiseProduct(a).rowwise().sum());
  const VectorXd ub = squared_weights.cwiseProduct(u.cwiseProduct(b).rowwise().sum());
  const VectorXd sa = squared_weights.cwiseProduct(s.cwiseProduct(a).rowwise().sum());
  const VectorXd excess =
      0.25 * (2.0 * (result.variance_parts.transpose() * ua) + a.array().square().matrix().transpose() * ub +
              b.array().square().matrix().transpose() * sa);
  // Beyond this, the second-order correction is not small, and higher orders matter.
  if (!((excess.array() / inverse.diagonal().array()).maxCoeff() < 0.25)) return std::nullopt;
  result.variance = inverse.diagonal() - excess.cwiseMax(0.0);
  return result;
}

void fill_from_regression(const SteinPoints& points, const ScaledPoints& scaled, const Regression& regression,
                          SteinMoments& moments) {
  const Index dimension = scaled.positions.cols();
  for (Index j = 0; j < dimension; ++j) {
    auto& coordinate = moments.coordinates[static_cast<std::size_t>(j)];
    const double variance = regression.variance[j];
    coordinate.sd_ratio = 1.0 / std::sqrt(variance);
    coordinate.log_sd_ratio_error = 0.5 * error_of_mean(points, [&](Index i) {
                                      const double x = scaled.positions(i, j);
                                      return x * x - 1.0 - regression.variance_parts(i, j) / variance;
                                    });
    coordinate.mean_shift = -regression.step[j] / std::sqrt(variance);
    coordinate.mean_shift_error =
        error_of_mean(points, [&](Index i) { return regression.step_parts(i, j); }) / std::sqrt(variance);
  }
  moments.precision.resize(static_cast<std::size_t>(dimension * dimension));
  Eigen::Map<MatrixXd> precision(moments.precision.data(), dimension, dimension);
  const VectorXd unit = scaled.sd.cwiseInverse();
  precision = unit.asDiagonal() * regression.curvature * unit.asDiagonal();
}

/// Uses E[(x_j - m_j) g_j] = -1: for independent coordinates, the left side over the draws is minus their variance
/// divided by that of the target.
void fill_one_by_one(const SteinPoints& points, const ScaledPoints& scaled, const PointRows& y,
                     const VectorXd& mean_gradient, int threads, SteinMoments& moments) {
  ThreadPool pool(threads);
  pool.for_each(moments.coordinates.size(), [&](std::size_t at, int) {
    const auto j = static_cast<Index>(at);
    auto& coordinate = moments.coordinates[at];
    const auto product = [&](Index i) { return -scaled.positions(i, j) * y(i, j); };
    double ratio = 0;
    for (Index i = 0; i < scaled.positions.rows(); ++i) ratio += scaled.weights[i] * product(i);
    ratio *= scaled.unbiasing;
    if (!(scaled.sd[j] > 0) || !(ratio > 0)) {
      coordinate.sd_ratio = scaled.sd[j] > 0 ? 0.0 : not_a_number;
      coordinate.log_sd_ratio_error = coordinate.mean_shift = coordinate.mean_shift_error = not_a_number;
      return;
    }
    coordinate.sd_ratio = std::sqrt(ratio);
    coordinate.log_sd_ratio_error = 0.5 * error_of_mean(points, product) / ratio;
    // In units of the target's sd, which is that of the draws divided by sqrt(ratio).
    coordinate.mean_shift = -mean_gradient[j] / std::sqrt(ratio);
    coordinate.mean_shift_error = error_of_mean(points, [&](Index i) { return y(i, j); }) / std::sqrt(ratio);
  });
}

}  // namespace

SteinMoments stein_moments(const SteinPoints& points, const SteinMomentsOptions& options) {
  const ScaledPoints scaled = scaled_points(points);
  const VectorXd mean_gradient = scaled.gradients.transpose() * scaled.weights;
  const PointRows y = scaled.gradients.rowwise() - mean_gradient.transpose();
  SteinMoments moments;
  moments.coordinates.resize(points.dimension);
  for (std::size_t j = 0; j < points.dimension; ++j) {
    moments.coordinates[j].mean = scaled.mean[static_cast<Index>(j)];
    moments.coordinates[j].standard_deviation = scaled.sd[static_cast<Index>(j)];
  }
  std::optional<Regression> regression;
  if (points.dimension <= options.most_dimensions &&
      static_cast<double>(points.count()) >= options.points_per_dimension * static_cast<double>(points.dimension) &&
      scaled.sd.minCoeff() > 0)
    regression = regress(scaled, y, mean_gradient);
  if (regression)
    fill_from_regression(points, scaled, *regression, moments);
  else
    fill_one_by_one(points, scaled, y, mean_gradient, options.threads, moments);
  return moments;
}

}  // namespace sgmcmc
