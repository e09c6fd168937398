// Products with the factor of a limited-memory inverse Hessian.
#include "dynamics/inverse_hessian.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

double inner(std::span<const double> a, std::span<const double> b) {
  // Eight sums side by side: the compiler may not reorder one.
  double sums[8] = {};
  const std::size_t whole = a.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  double total = 0.0;
  for (std::size_t i = whole; i < a.size(); ++i) total += a[i] * b[i];
  for (const double sum : sums) total += sum;
  return total;
}

void add_multiple(std::span<double> to, double factor, std::span<const double> of) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * of[i];
}

}  // namespace

InverseHessian::InverseHessian(std::size_t dimension, std::size_t pairs, double scale)
    : dimension_(dimension),
      pairs_(pairs),
      given_scale_(scale),
      s_(dimension * pairs),
      y_(dimension * pairs),
      b_(dimension * pairs),
      curvature_(pairs),
      bent_(pairs) {
  order_.reserve(pairs);
}

void InverseHessian::clear() {
  added_ = 0;
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
}

void InverseHessian::add(std::span<const double> s, std::span<const double> y) {
  const std::size_t slot = added_++ % pairs_;
  std::copy(s.begin(), s.end(), s_.begin() + static_cast<std::ptrdiff_t>(slot * dimension_));
  std::copy(y.begin(), y.end(), y_.begin() + static_cast<std::ptrdiff_t>(slot * dimension_));
  const double curvature = inner(s, y);
  const double tiny = 1e-8 * std::sqrt(inner(s, s) * inner(y, y));
  curvature_[slot] = std::isfinite(curvature) && curvature > tiny ? curvature : 0.0;
}

void InverseHessian::prepare() {
  order_.clear();
  for (std::uint64_t k = added_ > pairs_ ? added_ - pairs_ : 0; k < added_; ++k)
    if (curvature_[k % pairs_] > 0.0) order_.push_back(static_cast<std::size_t>(k % pairs_));
  double scale = given_scale_;
  if (scale <= 0.0) {
    scale = 1.0;
    if (!order_.empty()) scale = curvature_[order_.back()] / inner(y(order_.back()), y(order_.back()));
  }
  root_scale_ = std::sqrt(scale);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const std::size_t slot = order_[k];
    const auto product = b(slot);
    for (std::size_t i = 0; i < dimension_; ++i) product[i] = s(slot)[i] / scale;
    for (std::size_t earlier = 0; earlier < k; ++earlier) {
      const std::size_t j = order_[earlier];
      add_multiple(product, -inner(b(j), s(slot)) / bent_[j], b(j));
      add_multiple(product, inner(y(j), s(slot)) / curvature_[j], y(j));
    }
    bent_[slot] = inner(product, s(slot));
  }
}

// S' = sqrt(scale) (I - q_1 p_1') ... (I - q_K p_K'), with p = s / s'y and q = y - c b.
void InverseHessian::multiply_transposed(std::span<double> v) const {
  for (std::size_t k = order_.size(); k-- > 0;) {
    const std::size_t slot = order_[k];
    const double along = inner(s(slot), v) / curvature_[slot];
    add_multiple(v, -along, y(slot));
    add_multiple(v, along * std::sqrt(curvature_[slot] / bent_[slot]), b(slot));
  }
  for (double& x : v) x *= root_scale_;
}

void InverseHessian::multiply(std::span<double> v) const {
  for (double& x : v) x *= root_scale_;
  for (const std::size_t slot : order_) {
    const double along = inner(y(slot), v) - std::sqrt(curvature_[slot] / bent_[slot]) * inner(b(slot), v);
    add_multiple(v, -along / curvature_[slot], s(slot));
  }
}

void InverseHessian::visit_state(StateVisitor& visitor) {
  visitor.visit("history_moves", s_);
  visitor.visit("history_changes", y_);
  visitor.visit("history_curvature", curvature_);
  visitor.visit("history_added", added_);
  prepare();
}

}  // namespace sgmcmc
