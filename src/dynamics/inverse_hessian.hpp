// A limited-memory BFGS approximation H = S S' of an inverse Hessian, for drift H gradient and noise of covariance H.
#pragma once

#include <sgmcmc/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// H = S S' from the pairs (s, y) of the last iterations, in O(pairs^2 D) time and O(pairs D) memory.
///
/// With B the inverse of H before a pair is added, c = sqrt(s'y / s'Bs), q = y - c B s and p = s / s'y, the BFGS update
/// is S <- (I - p q') S [hamcmc equation 11, after Brodlie, Gourlay and Greenstadt 1973]; B s follows from the same
/// pairs by the direct update B <- B - B s s'B / s'Bs + y y' / s'y. It starts from H = scale I.
class InverseHessian {
 public:
  /// scale 0: the inverse of a running mean of y'y / s'y over more pairs than are kept; the usual s'y / y'y of the
  /// newest pair is occasionally far too large for the stiffest direction. Assumes that pairs come in turn from pairs +
  /// 1 chains, and excludes those of the chain that moves next. 1 if there are none.
  InverseHessian(std::size_t dimension, std::size_t pairs, double scale);

  void clear();
  /// Replaces the 1 above.
  void set_first_scale(double scale) { first_scale_ = scale; }
  /// Replaces the oldest pair. A pair whose curvature s'y is not clearly positive is stored but not used.
  void add(std::span<const double> s, std::span<const double> y);
  /// Prepares products; call after add() and clear(), before the functions below.
  void prepare();
  void apply(std::span<double> v);           ///< v <- H v
  void multiply(std::span<double> v) const;  ///< v <- S v; apply() does not use it, because S S' would differ from H by
                                             ///< rounding for pairs of very different curvature

  std::size_t usable() const { return order_.size(); }
  void visit_state(StateVisitor& visitor);

 private:
  std::span<const double> s(std::size_t slot) const { return {s_.data() + slot * dimension_, dimension_}; }
  std::span<const double> y(std::size_t slot) const { return {y_.data() + slot * dimension_, dimension_}; }
  std::span<double> b(std::size_t slot) { return {b_.data() + slot * dimension_, dimension_}; }
  std::span<const double> b(std::size_t slot) const { return {b_.data() + slot * dimension_, dimension_}; }

  std::size_t dimension_, pairs_;
  double given_scale_;
  double root_scale_ = 1.0, first_scale_ = 1.0;
  std::vector<double> s_, y_, b_;                     // b: B s, of the B before the pair
  std::vector<double> curvature_;                     // s'y of each slot; 0: unused
  std::vector<double> bent_;                          // s'b of each slot
  std::vector<double> along_;                         // of apply()
  std::vector<double> stiffness_, stiffness_weight_;  // sums of y'y / s'y of each chain, weighted towards the last
  std::uint64_t added_ = 0;
  std::vector<std::size_t> order_;  // usable slots, oldest first
};

}  // namespace sgmcmc
