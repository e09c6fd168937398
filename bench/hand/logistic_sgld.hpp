// The SGLD chain around the hand-written gradient of logistic regression: rows, noise, prior and update of each step.
#pragma once

#include "hand/logistic.hpp"
#include "minibatch/distinct_rows.hpp"

#include <sgmcmc/random.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc::hand {

template <class Real, int features>
class LogisticSgld {
 public:
  using Rows = LogisticRows<Real, features>;
  using Point = LogisticPoint<Real, features>;

  /// Centre and the gradient of the whole log posterior there: what control variates need.
  struct Centre {
    Point point;
    Point gradient;
  };

  LogisticSgld(const Rows& data, std::uint64_t seed, int batch_size, Real step_size, std::optional<Centre> centre = {})
      : data_(data),
        seed_(seed),
        half_step_(step_size / 2),
        spread_(std::sqrt(step_size)),
        scale_(static_cast<Real>(data.rows()) / static_cast<Real>(batch_size)),
        centre_(std::move(centre)),
        chooser_(data.rows(), static_cast<std::uint32_t>(batch_size)),
        rows_(static_cast<std::size_t>(batch_size)),
        next_rows_(rows_.size()) {
    if (centre_) theta_ = centre_->point;
    choose(0);
  }

  void step() {
    std::swap(rows_, next_rows_);
    choose(iteration_ + 1);
    Point gradient;
    if (centre_) {
      likelihood<true>(centre_->point, gradient);
    } else {
      likelihood<false>(theta_, gradient);
    }
    alignas(64) Real noise[features];
    fill_normal({.seed = seed_, .chain = 0, .iteration = iteration_, .purpose = Purpose::noise}, noise);
    for (int j = 0; j < features; ++j) {
      Real total = scale_ * gradient.value[j] - sign(theta_.value[j]);
      if (centre_) total += centre_->gradient.value[j] + sign(centre_->point.value[j]);
      theta_.value[j] += half_step_ * total + spread_ * static_cast<Real>(noise[j]);
    }
    ++iteration_;
  }

  std::span<const Real> theta() const { return {theta_.value, features}; }

 private:
  static Real sign(Real x) { return static_cast<Real>((x > 0) - (x < 0)); }

  void choose(std::uint64_t iteration) {
    chooser_.fill({.seed = seed_, .chain = 0, .iteration = iteration, .purpose = Purpose::minibatch}, next_rows_);
  }

  template <bool with_centre>
  void likelihood(const Point& centre, Point& gradient) const {
    const int count = static_cast<int>(rows_.size());
    const std::uint32_t* rows = rows_.data();
    const std::uint32_t* next = next_rows_.data();
    logistic_gradient<Real, features, with_centre>(
        data_, count, [=](int k) { return k < count ? rows[k] : next[k - count]; }, theta_, centre, gradient);
  }

  const Rows& data_;
  std::uint64_t seed_;
  std::uint64_t iteration_ = 0;
  Real half_step_;
  Real spread_;
  Real scale_;
  std::optional<Centre> centre_;
  DistinctRows chooser_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> next_rows_;
  Point theta_;
};

}  // namespace sgmcmc::hand
