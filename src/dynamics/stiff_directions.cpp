// Learns the stiffest directions, and multiplies by the inverse Hessian built from them.
#include "dynamics/stiff_directions.hpp"

#include "base/vector_loops.hpp"
#include "dynamics/inner_product.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

StiffDirections::StiffDirections(std::size_t dimension, std::size_t directions, double scale)
    : dimension_(dimension),
      given_scale_(scale),
      directions_(dimension * std::min(directions, dimension)),
      average_change_(directions_.size()),
      curvature_(std::min(directions, dimension)),
      average_curvature_(curvature_.size()) {}

void StiffDirections::start(const StreamKey& key, double first_scale) {
  scale_ = first_scale;
  probes_ = 0;
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
  std::fill(average_curvature_.begin(), average_curvature_.end(), 0.0);
  std::fill(average_change_.begin(), average_change_.end(), 0.0);
  fill_normal(key, directions_);
  make_orthonormal(0);
}

double StiffDirections::reach() const {
  const double curvature = curvature_[turn()];
  return 0.1 * std::sqrt(curvature > 0.0 ? 1.0 / curvature : scale_);
}

void StiffDirections::make_orthonormal(std::size_t first) {
  for (std::size_t k = first; k < curvature_.size(); ++k) {
    const auto d = column(k);
    for (int twice = 0; twice < 2; ++twice)  // the second pass removes rounding errors of nearly dependent vectors
      for (std::size_t i = 0; i < k; ++i) add_multiple(d, -inner_product(column(i), d), column(i));
    const double length = std::sqrt(inner_product(d, d));
    if (length > 0.0)
      for (double& x : d) x /= length;
  }
}

void StiffDirections::learn(std::size_t k, std::span<const double> change) {
  const double visits = static_cast<double>(probes_ / curvature_.size());
  const std::span<double> average(average_change_.data() + k * dimension_, dimension_);
  const double gain = 1.0 / (1.0 + 0.5 * visits);  // averages out noise and forgets early directions
  for (std::size_t j = 0; j < dimension_; ++j) average[j] += gain * (change[j] - average[j]);
  if (inner_product(average, average) > 0.0) std::copy(average.begin(), average.end(), column(k).begin());
  make_orthonormal(k);
  constexpr double newest = 0.2;
  average_curvature_[k] += (visits == 0.0 ? 1.0 : newest) * (curvature_[k] - average_curvature_[k]);
  if (probes_ + 1 != learning_) return;
  const double least = *std::min_element(average_curvature_.begin(), average_curvature_.end());
  if (given_scale_ > 0.0)
    scale_ = given_scale_;
  else if (least > 0.0)
    scale_ = 1.0 / least;
}

void StiffDirections::add(std::span<const double> change) {
  const std::size_t k = turn();
  // A noisy batch may underestimate a curvature; limits the resulting step.
  const double found = inner_product(column(k), change), floor = 0.1 * average_curvature_[k];
  if (std::isfinite(found)) curvature_[k] = std::max(found, floor);
  if (std::isfinite(found) && probes_ < learning_) learn(k, change);
  ++probes_;
}

void StiffDirections::apply(std::span<double> v) const {
  for (double& x : v) x *= scale_;
  for (std::size_t k = 0; k < curvature_.size(); ++k)
    if (curvature_[k] > 0.0)
      add_multiple(v, (1.0 / (curvature_[k] * scale_) - 1.0) * inner_product(column(k), v), column(k));
}

void StiffDirections::multiply(std::span<double> v) const {
  const double root = std::sqrt(scale_);
  for (double& x : v) x *= root;
  for (std::size_t k = 0; k < curvature_.size(); ++k)
    if (curvature_[k] > 0.0)
      add_multiple(v, (1.0 / (std::sqrt(curvature_[k]) * root) - 1.0) * inner_product(column(k), v), column(k));
}

void StiffDirections::visit_state(StateVisitor& visitor) {
  visitor.visit("stiff_directions", directions_);
  visitor.visit("stiff_average_change", average_change_);
  visitor.visit("stiff_curvature", curvature_);
  visitor.visit("stiff_average_curvature", average_curvature_);
  visitor.visit("stiff_scale", scale_);
  visitor.visit("stiff_probes", probes_);
}

}  // namespace sgmcmc
