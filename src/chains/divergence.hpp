// Detects early that a chain diverges.
#pragma once

#include <sgmcmc/state.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {

enum class Divergence : unsigned char {
  none,
  growing,       ///< moves grow without bound
  overshooting,  ///< moves much larger than the noise alternate in sign: the step is too large for the curvature
};

/// Moves are measured in units of the injected noise, sqrt(step size) per step of the sampler. In stationarity they are
/// of size 1. From a distant start they are large, but then they shrink (Langevin) or accelerate in one direction
/// (momentum); in neither case does a move reverse the last. A chain with too large a step size behaves differently: if
/// gradients grow with distance, its moves grow exponentially; if gradients are bounded (logistic regression with a
/// weak prior), it oscillates far outside the posterior without ever overflowing.
class DivergenceWatch {
 public:
  /// step_sizes: one for all, or one per coordinate; only their ratios matter here. steps: gradient steps per
  /// iteration. constant_step: false if a schedule shrinks the steps; it may start as an optimisation, so overshooting
  /// is allowed. watched: the coordinates to check; empty: all.
  DivergenceWatch(std::span<const double> start, std::span<const double> step_sizes, double steps, bool constant_step,
                  std::vector<std::size_t> watched = {})
      : watched_(std::move(watched)), steps_per_iteration_(std::max(1.0, steps)), constant_step_(constant_step) {
    if (watched_.empty()) {
      watched_.resize(start.size());
      std::iota(watched_.begin(), watched_.end(), std::size_t{0});
    }
    moves_.resize(watched_.size());
    for (const std::size_t d : watched_) before_.push_back(start[d]);
    if (step_sizes.size() != start.size()) return;
    double mean = 0;
    for (const double step : step_sizes) mean += step / static_cast<double>(step_sizes.size());
    for (const std::size_t d : watched_) unit_.push_back(std::sqrt(mean / step_sizes[d]));
  }

  /// For the beginning or end of a schedule that shrinks steps.
  void set_constant_step(bool constant_step) { constant_step_ = constant_step; }

  void starts_from(std::span<const double> position) {
    for (std::size_t w = 0; w < watched_.size(); ++w) before_[w] = position[watched_[w]];
  }

  /// Call with every position in turn, and the (mean) step size that led there. Unless the result is none, culprit is
  /// the coordinate that moved most.
  Divergence sees(std::span<const double> now, double step_size, std::size_t& culprit) {
    const double scale = 1.0 / (std::sqrt(step_size) * steps_per_iteration_);
    return judge(
        [&](std::size_t w) {
          const double at = now[watched_[w]];
          return (at - std::exchange(before_[w], at)) * scale * (unit_.empty() ? 1.0 : unit_[w]);
        },
        culprit);
  }

  /// Call with every move in turn, in units of its noise: for samplers that know it.
  Divergence sees_move(std::span<const double> move, std::size_t& culprit) {
    return judge([&](std::size_t w) { return move[watched_[w]]; }, culprit);
  }

  void visit_state(StateVisitor& visitor) {
    visitor.visit("watch_before", before_);
    visitor.visit("watch_moves", moves_);
    for (double* value : {&last_square_, &last_largest_, &first_moves_, &products_, &squares_, &early_, &late_})
      visitor.visit("watch_number", *value);
    for (std::uint64_t* value : {&iterations_, &growths_, &large_moves_}) visitor.visit("watch_count", *value);
  }

 private:
  static constexpr std::uint64_t first_iterations = 3;

  /// move_of(w): the move of the w-th watched coordinate.
  template <class MoveOf>
  Divergence judge(MoveOf&& move_of, std::size_t& culprit) {
    double largest = 0, product = 0, square = 0;
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      const double move = move_of(w);
      if (std::abs(move) > largest) {
        largest = std::abs(move);
        culprit = watched_[w];
      }
      product += move * moves_[w];
      square += move * move;
      moves_[w] = move;
    }
    const double mean_square = 0.5 * (square + std::exchange(last_square_, square));
    const bool grows = largest >= 1.5 * std::exchange(last_largest_, largest);
    growths_ = grows ? growths_ + 1 : 0;
    if (iterations_++ < first_iterations) {
      first_moves_ = std::max(first_moves_, largest);
    } else if (largest > 1e3 && largest > (growths_ >= 3 ? 10.0 : 1e4) * first_moves_) {
      return Divergence::growing;
    }
    return overshoots(largest, product, mean_square) ? Divergence::overshooting : Divergence::none;
  }

  /// Over the moves since they became large, weighted towards the last: whether each reverses much of the one before,
  /// and they do not shrink.
  bool overshoots(double largest, double product, double square) {
    late_ += 0.3 * (largest - late_);
    if (!constant_step_ || !(late_ > 20.0)) {
      large_moves_ = 0;
      return false;
    }
    if (large_moves_++ == 0) {
      products_ = squares_ = 0;
      early_ = largest;
      return false;
    }
    early_ += 0.05 * (largest - early_);
    products_ = 0.93 * products_ + product;
    squares_ = 0.93 * squares_ + square;
    return large_moves_ >= 15 && products_ < -0.25 * squares_ && late_ > 0.5 * early_;
  }

  std::vector<std::size_t> watched_;
  std::vector<double> before_;
  std::vector<double> moves_;  // in units of the noise
  std::vector<double> unit_;   // sqrt(mean step size / step size) per coordinate; empty: all 1
  double steps_per_iteration_;
  bool constant_step_;
  double last_square_ = 0, last_largest_ = 0, first_moves_ = 0;
  std::uint64_t iterations_ = 0, growths_ = 0;
  std::uint64_t large_moves_ = 0;
  double products_ = 0, squares_ = 0, early_ = 0, late_ = 0;
};

}  // namespace sgmcmc
