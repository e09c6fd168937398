// A limited-memory BFGS approximation of an inverse Hessian as a product S S', for noise whose covariance it is.
#pragma once

#include "base/state.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// H = S S' from the pairs (s, y) of the last so many iterations, in O(pairs^2 D) time and O(pairs D) memory.
///
/// With B the inverse of H before a pair is taken in, c = sqrt(s'y / s'Bs), q = y - c B s and p = s / s'y, the BFGS
/// update is S <- (I - p q') S [hamcmc equation 11, after Brodlie, Gourlay and Greenstadt 1973]; B s follows from the
/// same pairs by the direct update B <- B - B s s'B / s'Bs + y y' / s'y. It starts from H = scale I.
class InverseHessian {
 public:
  /// scale 0: s'y / y'y of the newest pair, as is usual; 1 where there is none.
  InverseHessian(std::size_t dimension, std::size_t pairs, double scale);

  void clear();
  /// Takes the place of the oldest pair. A pair whose curvature s'y is not clearly positive counts, but is not used.
  void add(std::span<const double> s, std::span<const double> y);
  /// Makes products ready; after add() and clear(), before the functions below.
  void prepare();
  void multiply_transposed(std::span<double> v) const;  ///< v <- S'v
  void multiply(std::span<double> v) const;             ///< v <- S v

  std::size_t usable() const { return order_.size(); }
  void visit_state(StateVisitor& visitor);

 private:
  std::span<const double> s(std::size_t slot) const { return {s_.data() + slot * dimension_, dimension_}; }
  std::span<const double> y(std::size_t slot) const { return {y_.data() + slot * dimension_, dimension_}; }
  std::span<double> b(std::size_t slot) { return {b_.data() + slot * dimension_, dimension_}; }
  std::span<const double> b(std::size_t slot) const { return {b_.data() + slot * dimension_, dimension_}; }

  std::size_t dimension_, pairs_;
  double given_scale_;
  double root_scale_ = 1.0;
  std::vector<double> s_, y_, b_;  // b: B s, of the B before the pair
  std::vector<double> curvature_;  // s'y of each slot; 0: not to be used
  std::vector<double> bent_;       // s'b of each slot
  std::uint64_t added_ = 0;
  std::vector<std::size_t> order_;  // usable slots, oldest first
};

}  // namespace sgmcmc
