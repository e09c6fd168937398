// An inverse Hessian with a few stiffest directions, found by probing, and one scale for all others.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/random.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// H = scale (I - D D') + sum_k d_k d_k' / c_k with orthonormal directions d_k, columns of D, and their curvatures c_k.
///
/// Directions are learnt by the power method on averages over minibatches, orthogonalised against earlier ones, and
/// then fixed; unless given, scale is the inverse of the smallest of their curvatures. H always uses the latest
/// curvature of each direction, so it depends only on the last probe of each. Takes O(directions D) time and memory.
class StiffDirections {
 public:
  StiffDirections(std::size_t dimension, std::size_t directions, double scale);

  /// Starts learning from random directions. first_scale: scale of all directions until then.
  void start(const StreamKey& key, double first_scale);
  void learn_for(std::uint64_t probes) { learning_ = probes; }

  /// The direction to probe next, and the distance: a tenth of a standard deviation.
  std::span<const double> direction() const { return column(turn()); }
  double reach() const;
  /// change: minus the difference of gradients along direction() over the distance, the Hessian times direction().
  void add(std::span<const double> change);

  void apply(std::span<double> v) const;     ///< v <- H v
  void multiply(std::span<double> v) const;  ///< v <- S v, S S' = H

  void visit_state(StateVisitor& visitor);

 private:
  std::size_t turn() const { return static_cast<std::size_t>(probes_ % curvature_.size()); }
  std::span<double> column(std::size_t k) { return {directions_.data() + k * dimension_, dimension_}; }
  std::span<const double> column(std::size_t k) const { return {directions_.data() + k * dimension_, dimension_}; }
  void make_orthonormal(std::size_t first);
  void learn(std::size_t k, std::span<const double> change);

  std::size_t dimension_;
  double given_scale_, scale_ = 1.0;
  std::vector<double> directions_, average_change_;
  std::vector<double> curvature_;          // latest value; 0: none yet
  std::vector<double> average_curvature_;  // while learning, weighted towards the last
  std::uint64_t probes_ = 0, learning_ = 0;
};

}  // namespace sgmcmc
