// The No-U-Turn sampler in its simplest form, which keeps all points of a trajectory in a list: a reference
// implementation, into which errors can be planted.
#pragma once

#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sgmcmc::testing {

enum class Mistake { none, uniform_weights, metric_forgotten_in_momentum, always_last };

class NaiveNuts final : public Dynamics {
 public:
  NaiveNuts(Eigen::MatrixXd inverse_metric, double step_size, int max_depth, Mistake mistake = Mistake::none)
      : Dynamics(static_cast<std::size_t>(inverse_metric.rows())),
        inverse_(std::move(inverse_metric)),
        step_(step_size),
        max_depth_(max_depth),
        mistake_(mistake) {}

  std::uint64_t evaluations_per_iteration() const override { return 0; }
  double last_step_size() const override { return step_; }

  StepStatus step(GradientEstimator& target, std::uint64_t iteration) override {
    Point start = evaluated(target, Eigen::Map<const Eigen::VectorXd>(position_.data(), inverse_.rows()));
    std::vector<double> z(dimension());
    fill_normal(stream(iteration, Purpose::momentum), z);
    start.momentum = Eigen::Map<const Eigen::VectorXd>(z.data(), inverse_.rows());
    if (mistake_ != Mistake::metric_forgotten_in_momentum) inverse_.llt().matrixU().solveInPlace(start.momentum);
    start_energy_ = energy(start);
    uniforms_.resize(1 << (max_depth_ + 2));
    fill_uniform(stream(iteration, Purpose::acceptance), uniforms_);
    used_ = 0;

    std::vector<Point> trajectory = {start};  // in time order
    Point sample = start;
    for (int depth = 0; depth < max_depth_; ++depth) {
      const bool forward = next_uniform() < 0.5;
      Branch added;
      if (!grow(target, depth, forward ? trajectory.back() : trajectory.front(), forward ? step_ : -step_, added))
        break;
      if (next_uniform() * weight(trajectory) < weight(added.points)) sample = added.sample;
      std::vector<Point> old = trajectory;
      if (!forward) std::reverse(old.begin(), old.end());
      const bool more = goes_on(old, added.points);
      if (forward) {
        trajectory.insert(trajectory.end(), added.points.begin(), added.points.end());
      } else {
        trajectory.insert(trajectory.begin(), added.points.rbegin(), added.points.rend());
      }
      if (!more) break;
    }
    std::copy(sample.theta.begin(), sample.theta.end(), position_.begin());
    return {};
  }

 private:
  struct Point {
    Eigen::VectorXd theta, momentum, gradient;
    double log_density = 0.0;
  };
  struct Branch {
    std::vector<Point> points;
    Point sample;
  };

  Point evaluated(GradientEstimator& target, const Eigen::VectorXd& theta) const {
    Point point{theta, {}, Eigen::VectorXd(theta.size()), 0.0};
    const auto size = static_cast<std::size_t>(theta.size());
    point.log_density = target.log_density({theta.data(), size}, {point.gradient.data(), size});
    return point;
  }
  double energy(const Point& p) const { return 0.5 * p.momentum.dot(inverse_ * p.momentum) - p.log_density; }
  double next_uniform() { return uniforms_[used_++]; }
  double weight(const std::vector<Point>& points) const {
    double sum = 0.0;
    for (const Point& p : points)
      sum += mistake_ == Mistake::uniform_weights ? 1.0 : std::exp(start_energy_ - energy(p));
    return sum;
  }

  bool grow(GradientEstimator& target, int depth, Point from, double h, Branch& branch) {
    if (depth == 0) {
      from.momentum += 0.5 * h * from.gradient;
      Point next = evaluated(target, from.theta + h * (inverse_ * from.momentum));
      next.momentum = from.momentum + 0.5 * h * next.gradient;
      branch = {{next}, next};
      return start_energy_ - energy(next) > -1000.0;
    }
    Branch first, second;
    if (!grow(target, depth - 1, from, h, first)) return false;
    if (!grow(target, depth - 1, first.points.back(), h, second)) return false;
    const double w1 = weight(first.points), w2 = weight(second.points);
    const bool take_second = next_uniform() * (w1 + w2) < w2;
    branch.sample = take_second || mistake_ == Mistake::always_last ? second.sample : first.sample;
    branch.points = first.points;
    branch.points.insert(branch.points.end(), second.points.begin(), second.points.end());
    return goes_on(first.points, second.points);
  }

  bool forwards(const std::vector<Point>& points) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(inverse_.rows());
    for (const Point& p : points) sum += p.momentum;
    return sum.dot(inverse_ * points.front().momentum) > 0 && sum.dot(inverse_ * points.back().momentum) > 0;
  }
  bool goes_on(const std::vector<Point>& a, const std::vector<Point>& b) const {
    std::vector<Point> both = a, left = a, right = {a.back()};
    both.insert(both.end(), b.begin(), b.end());
    left.push_back(b.front());
    right.insert(right.end(), b.begin(), b.end());
    return forwards(both) && forwards(left) && forwards(right);
  }

  Eigen::MatrixXd inverse_;
  double step_;
  int max_depth_;
  Mistake mistake_;
  double start_energy_ = 0.0;
  std::vector<double> uniforms_;
  std::size_t used_ = 0;
};

}  // namespace sgmcmc::testing
