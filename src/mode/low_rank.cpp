// Lanczos' method with full reorthogonalisation; returns only converged eigenvalues that are far enough from 1.
#include "mode/low_rank.hpp"

#include "base/decompositions.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double factor_that_matters = 1.5;  // minimum ratio of an eigenvalue to 1, up or down
constexpr double eigenvalue_error = 0.1;     // maximum error of an eigenvalue relative to its distance from 1
constexpr double least = 1e-3, most = 1e6;   // range of plausible eigenvalues

}  // namespace

OutstandingDirections outstanding_directions(Eigen::Index size, Eigen::Index products,
                                             const std::function<void(const Vector&, Vector&)>& multiply) {
  const Eigen::Index steps = std::min(products, size);
  Matrix basis(size, steps);
  Vector along(steps), beside = Vector::Zero(steps);
  Vector next(size), image(size);
  fill_normal({0x1a9c705ULL, 0, 0, Purpose::adaptation},
              std::span<double>(next.data(), static_cast<std::size_t>(size)));
  next.normalize();
  Eigen::Index taken = 0;
  while (taken < steps) {
    basis.col(taken) = next;
    multiply(next, image);
    if (!image.allFinite()) break;
    along[taken] = next.dot(image);
    ++taken;
    for (int twice = 0; twice < 2; ++twice)  // the second pass removes rounding errors of the first
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
  const SymmetricEigen found = symmetric_eigen(tridiagonal);
  std::vector<Eigen::Index> chosen;
  for (Eigen::Index k = 0; k < taken; ++k) {
    const double value = found.values[k];
    const double error = beside[taken - 1] * std::abs(found.vectors(taken - 1, k));
    const bool matters = value > factor_that_matters || value < 1.0 / factor_that_matters;
    if (matters && value < most && error < eigenvalue_error * std::abs(value - 1.0) &&
        error < 0.5 * std::max(value, least))
      chosen.push_back(k);
  }
  const auto count = static_cast<Eigen::Index>(chosen.size());
  result.columns.resize(size, count);
  result.values.resize(count);
  for (Eigen::Index c = 0; c < count; ++c) {
    const Eigen::Index k = chosen[static_cast<std::size_t>(c)];
    result.columns.col(c) = (basis.leftCols(taken) * found.vectors.col(k)).normalized();
    result.values[c] = std::clamp(found.values[k], least, most);
  }
  return result;
}

}  // namespace sgmcmc
