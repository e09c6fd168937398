// A limited-memory BFGS approximation of an inverse Hessian as a product S S', for noise whose covariance it is.
#pragma once

#include <sgmcmc/state.hpp>

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
  /// scale 0: the inverse of a running mean of y'y / s'y over more pairs than are kept; s'y / y'y of the newest alone,
  /// as is usual, is now and then far too large for the stiffest direction. Pairs are taken to come by turns from pairs
  /// + 1 chains, and those of the chain whose turn is next are left out. 1 where there are none.
  InverseHessian(std::size_t dimension, std::size_t pairs, double scale);

  void clear();
  /// What takes the place of 1 there.
  void set_first_scale(double scale) { first_scale_ = scale; }
  /// Takes the place of the oldest pair. A pair whose curvature s'y is not clearly positive counts, but is not used.
  void add(std::span<const double> s, std::span<const double> y);
  /// Makes products ready; after add() and clear(), before the functions below.
  void prepare();
  void apply(std::span<double> v);           ///< v <- H v
  void multiply(std::span<double> v) const;  ///< v <- S v; in theory apply() is this after the same with S', but with
                                             ///< pairs of very different curvature rounding would make of it another H

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
  std::vector<double> curvature_;                     // s'y of each slot; 0: not to be used
  std::vector<double> bent_;                          // s'b of each slot
  std::vector<double> along_;                         // of apply()
  std::vector<double> stiffness_, stiffness_weight_;  // sums of y'y / s'y of each chain, the last counting most
  std::uint64_t added_ = 0;
  std::vector<std::size_t> order_;  // usable slots, oldest first
};

}  // namespace sgmcmc
