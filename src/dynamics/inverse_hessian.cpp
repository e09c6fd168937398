// Products with the factor of a limited-memory inverse Hessian.
#include "dynamics/inverse_hessian.hpp"

#include "base/vector_loops.hpp"
#include "dynamics/inner_product.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

InverseHessian::InverseHessian(std::size_t dimension, std::size_t pairs, double scale)
    : dimension_(dimension),
      pairs_(pairs),
      given_scale_(scale),
      s_(dimension * pairs),
      y_(dimension * pairs),
      b_(dimension * pairs),
      curvature_(pairs),
      bent_(pairs),
      along_(pairs),
      stiffness_(pairs + 1),
      stiffness_weight_(pairs + 1) {
  order_.reserve(pairs);
}

void InverseHessian::clear() {
  added_ = 0;
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
  std::fill(stiffness_.begin(), stiffness_.end(), 0.0);
  std::fill(stiffness_weight_.begin(), stiffness_weight_.end(), 0.0);
}

void InverseHessian::add(std::span<const double> s, std::span<const double> y) {
  const std::size_t chain = added_ % (pairs_ + 1), slot = added_++ % pairs_;
  std::copy(s.begin(), s.end(), s_.begin() + static_cast<std::ptrdiff_t>(slot * dimension_));
  std::copy(y.begin(), y.end(), y_.begin() + static_cast<std::ptrdiff_t>(slot * dimension_));
  const double curvature = inner_product(s, y);
  const double square = inner_product(y, y), tiny = 1e-8 * std::sqrt(inner_product(s, s) * square);
  curvature_[slot] = std::isfinite(curvature) && curvature > tiny ? curvature : 0.0;
  if (curvature_[slot] == 0.0) return;
  constexpr double decay = 0.9;
  stiffness_[chain] = decay * stiffness_[chain] + square / curvature;
  stiffness_weight_[chain] = decay * stiffness_weight_[chain] + 1.0;
}

void InverseHessian::prepare() {
  order_.clear();
  for (std::uint64_t k = added_ > pairs_ ? added_ - pairs_ : 0; k < added_; ++k)
    if (curvature_[k % pairs_] > 0.0) order_.push_back(static_cast<std::size_t>(k % pairs_));
  double scale = given_scale_;
  if (scale <= 0.0) {
    double stiffness = 0.0, weight = 0.0;
    for (std::size_t chain = 0; chain <= pairs_; ++chain)
      if (chain != added_ % (pairs_ + 1)) stiffness += stiffness_[chain], weight += stiffness_weight_[chain];
    scale = stiffness > 0.0 ? weight / stiffness : first_scale_;
  }
  root_scale_ = std::sqrt(scale);
  std::size_t kept = 0;
  for (const std::size_t slot : order_) {
    const auto product = b(slot);
    for (std::size_t i = 0; i < dimension_; ++i) product[i] = s(slot)[i] / scale;
    double size = inner_product(product, s(slot));  // sum of the absolute terms of s'Bs
    for (std::size_t earlier = 0; earlier < kept; ++earlier) {
      const std::size_t j = order_[earlier];
      const double along_y = inner_product(y(j), s(slot));
      add_multiple(product, -inner_product(b(j), s(slot)) / bent_[j], b(j));
      add_multiple(product, along_y / curvature_[j], y(j));
      size += along_y * along_y / curvature_[j];
    }
    bent_[slot] = inner_product(product, s(slot));
    if (bent_[slot] > 1e-10 * size) order_[kept++] = slot;  // else it is rounding error only
  }
  order_.resize(kept);
}

// The two loops of L-BFGS: H = (I - p y') H (I - y p') + s p', pair by pair, with p = s / s'y.
void InverseHessian::apply(std::span<double> v) {
  for (std::size_t k = order_.size(); k-- > 0;) {
    const std::size_t slot = order_[k];
    along_[slot] = inner_product(s(slot), v) / curvature_[slot];
    add_multiple(v, -along_[slot], y(slot));
  }
  for (double& x : v) x *= root_scale_ * root_scale_;
  for (const std::size_t slot : order_)
    add_multiple(v, along_[slot] - inner_product(y(slot), v) / curvature_[slot], s(slot));
}

// S = (I - p_K q_K') ... (I - p_1 q_1') sqrt(scale), with q = y - c b.
void InverseHessian::multiply(std::span<double> v) const {
  for (double& x : v) x *= root_scale_;
  for (const std::size_t slot : order_) {
    const double along =
        inner_product(y(slot), v) - std::sqrt(curvature_[slot] / bent_[slot]) * inner_product(b(slot), v);
    add_multiple(v, -along / curvature_[slot], s(slot));
  }
}

void InverseHessian::visit_state(StateVisitor& visitor) {
  visitor.visit("history_moves", s_);
  visitor.visit("history_changes", y_);
  visitor.visit("history_curvature", curvature_);
  visitor.visit("history_added", added_);
  visitor.visit("history_first_scale", first_scale_);
  visitor.visit("history_stiffness", stiffness_);
  visitor.visit("history_stiffness_weight", stiffness_weight_);
  prepare();
}

}  // namespace sgmcmc
