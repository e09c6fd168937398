// Lanczos' method with all directions kept orthogonal; only eigenvalues that it has settled, and that matter, are used.
#include "run/low_rank.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index most_steps = 40;
constexpr double factor_that_matters = 1.5;  // of the curvature, up or down
constexpr double settled = 0.1;              // error of an eigenvalue beside its distance from 1
constexpr double least = 1e-3, most = 1e6;   // beyond, nothing is believed

}  // namespace

OutstandingDirections outstanding_directions(const LogPosterior& posterior, const Vector& theta, const Vector& scale,
                                             const Vector& more, const RowBatch& batch, ThreadPool* pool) {
  const Eigen::Index size = theta.size(), steps = std::min(most_steps, size);
  const auto span = [size](Vector& v) { return std::span<double>(v.data(), static_cast<std::size_t>(size)); };
  auto executor = posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool});
  Vector at = theta, direction(size), product(size);
  executor->set_point(Point::current, span(at));
  const auto multiply = [&](const Vector& v) -> Vector {
    direction = -scale.cwiseProduct(v);
    executor->set_point(Point::direction, span(direction));
    executor->run(batch, span(product));
    return scale.cwiseProduct(product - more.cwiseProduct(direction));
  };

  Matrix basis(size, steps);
  Vector along(steps), beside = Vector::Zero(steps);
  Vector next(size);
  fill_normal({0x1a9c705ULL, 0, 0, Purpose::adaptation}, span(next));
  next.normalize();
  Eigen::Index taken = 0;
  while (taken < steps) {
    basis.col(taken) = next;
    Vector image = multiply(next);
    if (!image.allFinite()) break;
    along[taken] = next.dot(image);
    ++taken;
    for (int twice = 0; twice < 2; ++twice)  // rounding is lost once, not twice
      image -= basis.leftCols(taken) * (basis.leftCols(taken).transpose() * image);
    beside[taken - 1] = image.norm();
    if (!(beside[taken - 1] > 1e-10 * std::abs(along[0]))) break;
    next = image / beside[taken - 1];
  }
  OutstandingDirections result;
  if (taken == 0) return {Matrix(size, 0), Vector(0)};
  Matrix tridiagonal = Matrix::Zero(taken, taken);
  tridiagonal.diagonal() = along.head(taken);
  for (Eigen::Index k = 0; k + 1 < taken; ++k) tridiagonal(k, k + 1) = tridiagonal(k + 1, k) = beside[k];
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(tridiagonal);
  std::vector<Eigen::Index> chosen;
  for (Eigen::Index k = 0; k < taken; ++k) {
    const double value = solver.eigenvalues()[k];
    const double error = beside[taken - 1] * std::abs(solver.eigenvectors()(taken - 1, k));
    const bool matters = value > factor_that_matters || value < 1.0 / factor_that_matters;
    if (matters && value < most && error < settled * std::abs(value - 1.0) && error < 0.5 * std::max(value, least))
      chosen.push_back(k);
  }
  const auto count = static_cast<Eigen::Index>(chosen.size());
  result.columns.resize(size, count);
  result.values.resize(count);
  for (Eigen::Index c = 0; c < count; ++c) {
    const Eigen::Index k = chosen[static_cast<std::size_t>(c)];
    result.columns.col(c) = (basis.leftCols(taken) * solver.eigenvectors().col(k)).normalized();
    result.values[c] = std::clamp(solver.eigenvalues()[k], least, most);
  }
  return result;
}

}  // namespace sgmcmc
