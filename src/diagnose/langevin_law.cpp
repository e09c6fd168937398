// The discrete Lyapunov equation of sgld: S = (I - E A / 2) S (I - E A / 2)' + E + E V E / 4, E the step sizes.
#include "diagnose/langevin_law.hpp"

#include "base/decompositions.hpp"
#include "base/matrix_products.hpp"

#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

/// a b', by kernels for this processor.
Eigen::MatrixXd times_transposed(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const auto view = [](const Eigen::MatrixXd& m) { return Columns{m.data(), m.rows(), m.cols(), m.rows()}; };
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows(), b.rows());
  add_outer_products(view(a), view(b), result.data(), result.rows());
  return result;
}

}  // namespace

std::optional<Eigen::MatrixXd> stationary_covariance(Eigen::MatrixXd B, const Eigen::MatrixXd& Q) {
  Eigen::MatrixXd S = Q;
  for (int doubling = 0; doubling < 60; ++doubling) {  // S holds the first 2^doubling terms of the sum
    const Eigen::MatrixXd more = times_transposed(times_transposed(B, S), B);  // S is symmetric
    S += more;
    if (!(S.norm() < 1e100 * (1.0 + Q.norm()))) return std::nullopt;  // also if NaN
    if (more.norm() <= 1e-12 * S.norm()) return S;
    B = times_transposed(B, B.transpose());
  }
  return std::nullopt;
}

Eigen::VectorXd langevin_sd_ratios(const Eigen::MatrixXd& A, const Eigen::MatrixXd& V, const Eigen::VectorXd& steps) {
  const Eigen::Index n = A.rows();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
  // In units of the target's conditional standard deviations, to limit rounding errors.
  const Eigen::VectorXd unit = A.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = unit.asDiagonal() * A * unit.asDiagonal();
  const Eigen::MatrixXd noise = unit.asDiagonal() * V * unit.asDiagonal();
  const Eigen::VectorXd e = steps.array() / unit.array().square();
  const Eigen::MatrixXd B = identity - 0.5 * (e.asDiagonal() * scaled);
  const Eigen::MatrixXd Q = Eigen::MatrixXd(e.asDiagonal()) + 0.25 * (e.asDiagonal() * noise * e.asDiagonal());
  const auto S = stationary_covariance(B, Q);
  if (!S) return Eigen::VectorXd::Constant(n, std::numeric_limits<double>::infinity());
  const Eigen::MatrixXd target = Cholesky(scaled).inverse();
  return (S->diagonal().array() / target.diagonal().array()).sqrt();
}

double factor_within(const Eigen::MatrixXd& A, const Eigen::MatrixXd& V, const Eigen::VectorXd& steps,
                     double tolerance) {
  const auto fits = [&](double factor) {
    return langevin_sd_ratios(A, V, factor * steps).maxCoeff() <= 1.0 + tolerance;
  };
  if (fits(1.0)) return 1.0;
  double low = 1.0;
  for (int k = 0; k < 40 && !fits(low); ++k) low *= 0.5;
  double high = 2.0 * low;
  for (int k = 0; k < 6; ++k) {  // to within 1 %
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace sgmcmc
