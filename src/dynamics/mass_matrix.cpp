// Momentum, velocity and estimation of the three kinds of metric.
#include "dynamics/mass_matrix.hpp"

#include "base/decompositions.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

using MatrixMap = Eigen::Map<Eigen::MatrixXd>;
using ConstMatrixMap = Eigen::Map<const Eigen::MatrixXd>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

}  // namespace

MassMatrix::MassMatrix(Metric metric, std::size_t dimension) : metric_(metric), dimension_(dimension) {
  if (metric_ == Metric::unit) return;
  const std::size_t size = metric_ == Metric::dense ? dimension * dimension : dimension;
  inverse_.assign(size, 0.0);
  const std::size_t stride = metric_ == Metric::dense ? dimension + 1 : 1;
  for (std::size_t j = 0; j < size; j += stride) inverse_[j] = 1.0;
  factor_ = inverse_;
  mean_.resize(dimension);
  deviation_.resize(dimension);
  spread_.resize(size);
}

void MassMatrix::draw_momentum(const StreamKey& key, std::uint64_t offset, std::span<double> momentum) {
  fill_normal(key, momentum, offset);
  if (metric_ == Metric::diagonal) {
    for (std::size_t j = 0; j < dimension_; ++j) momentum[j] /= factor_[j];
  } else if (metric_ == Metric::dense) {  // covariance of L^-T z: L^-T L^-1 = M
    VectorMap p(momentum.data(), index(dimension_));
    lower_transposed_solve_in_place({factor_.data(), index(dimension_), index(dimension_)}, p);
  }
}

double MassMatrix::velocity(std::span<const double> momentum, std::span<double> velocity) const {
  if (metric_ == Metric::dense) {
    VectorMap(velocity.data(), index(dimension_)).noalias() =
        ConstMatrixMap(inverse_.data(), index(dimension_), index(dimension_)) *
        ConstVectorMap(momentum.data(), index(dimension_));
  } else if (metric_ == Metric::diagonal) {
    for (std::size_t j = 0; j < dimension_; ++j) velocity[j] = inverse_[j] * momentum[j];
  } else {
    std::copy(momentum.begin(), momentum.end(), velocity.begin());
  }
  double twice = 0.0;
  for (std::size_t j = 0; j < dimension_; ++j) twice += momentum[j] * velocity[j];
  return 0.5 * twice;
}

void MassMatrix::collect(std::span<const double> position) {
  if (metric_ == Metric::unit) return;
  const double share = 1.0 / static_cast<double>(++collected_);
  for (std::size_t j = 0; j < dimension_; ++j) {
    deviation_[j] = position[j] - mean_[j];
    mean_[j] += share * deviation_[j];
  }
  // (x - old mean) (x - new mean)' = (1 - 1/n) (x - old mean) (x - old mean)'
  if (metric_ == Metric::diagonal) {
    for (std::size_t j = 0; j < dimension_; ++j) spread_[j] += (1.0 - share) * deviation_[j] * deviation_[j];
  } else {
    MatrixMap(spread_.data(), index(dimension_), index(dimension_))
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(ConstVectorMap(deviation_.data(), index(dimension_)), 1.0 - share);
  }
}

void MassMatrix::update() {
  if (metric_ != Metric::unit && collected_ > 1) {
    const auto n = static_cast<double>(collected_);
    const double scale = n / (n + 5.0) / (n - 1.0), least = 1e-3 * 5.0 / (n + 5.0);
    const std::vector<double> before = inverse_;
    if (metric_ == Metric::diagonal) {
      for (std::size_t j = 0; j < dimension_; ++j) inverse_[j] = scale * spread_[j] + least;
    } else {
      for (std::size_t k = 0; k < dimension_; ++k)
        for (std::size_t j = 0; j <= k; ++j)  // column j, row k: the lower triangle
          inverse_[j * dimension_ + k] = inverse_[k * dimension_ + j] =
              scale * spread_[j * dimension_ + k] + (j == k ? least : 0.0);
    }
    if (!factor()) {  // overflowed, or not positive definite due to rounding
      inverse_ = before;
      factor();
    }
  }
  collected_ = 0;
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(spread_.begin(), spread_.end(), 0.0);
}

bool MassMatrix::factor() {
  if (metric_ == Metric::unit) return true;
  if (metric_ == Metric::diagonal) {
    bool good = true;
    for (std::size_t j = 0; j < dimension_; ++j) {
      factor_[j] = std::sqrt(inverse_[j]);
      good = good && factor_[j] > 0.0 && std::isfinite(factor_[j]);
    }
    return good;
  }
  MatrixMap lower(factor_.data(), index(dimension_), index(dimension_));
  const Cholesky cholesky(ConstMatrixMap(inverse_.data(), index(dimension_), index(dimension_)));
  lower = cholesky.lower();
  return cholesky.succeeded() && lower.allFinite();
}

void MassMatrix::set_inverse(std::span<const double> inverse) {
  inverse_.assign(inverse.begin(), inverse.end());
  factor();
}

void MassMatrix::visit_state(StateVisitor& visitor) {
  visitor.visit("inverse_metric", inverse_);
  visitor.visit("metric_factor", factor_);
  visitor.visit("metric_mean", mean_);
  visitor.visit("metric_spread", spread_);
  visitor.visit("metric_collected", collected_);
}

}  // namespace sgmcmc
