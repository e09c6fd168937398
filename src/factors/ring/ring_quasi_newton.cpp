// Quasi-Newton moves on the ring (hamcmc): the curvature along the last change of all rows corrects their
// preconditioner.
#include "factors/ring/ring_factors.hpp"
#include "factors/ring/ring_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

using namespace ring;

namespace {

double inner(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t begin = 0; begin < a.size(); begin += 1024) {
    Row part = 0.0F;
    for (std::size_t k = begin; k < std::min(a.size(), begin + 1024); k += row_width)
      part = fma(load(a.data() + k), load(b.data() + k), part);
    sum += static_cast<double>(horizontal_sum(part));
  }
  return sum;
}

}  // namespace

void RingFactors::add_inner(const Side& side, std::span<const float> a, std::span<const float> b,
                            std::vector<double>& by_group, std::size_t which, std::size_t each) const {
  for (std::size_t group = own_groups_.begin; group < own_groups_.end; ++group) {
    const std::size_t first = side.starts[group] * stride_, count = side.starts[group + 1] * stride_ - first;
    by_group[group * each + which] += inner(a.subspan(first, count), b.subspan(first, count));
  }
}

bool RingFactors::move_quasi_newton(std::uint64_t iteration, std::uint32_t part) {
  // rows: x_{t-1}; before: x_{t-2}. The gradient is that at x_{t-2}, and stays in `earlier` until y is known.
  const auto h = static_cast<float>(step_ * ramp(iteration));
  std::vector<float> direction[2], noise[2], gradient[2];
  Side* const sides[2] = {&users_, &items_};
  for (Side* side : sides) std::swap_ranges(side->rows.begin(), side->rows.end(), side->before.begin());
  shared_ = false;
  estimate(part);
  std::vector<double> by_group(std::size_t{2} * blocks_.groups());
  for (int s = 0; s < 2; ++s) {
    Side& side = *sides[s];
    gradient[s].assign(side.rows.size(), 0.0F);
    for_rows(side, [&](std::size_t first, std::size_t count, std::size_t) {
      posterior_gradients(steps_at(side, first), count, gradient[s].data() + first * stride_);
    });
    if (options_.biases)  // constants have no gradient
      for (std::size_t i = 0; i < side.count; ++i)
        gradient[s][i * stride_ + options_.factors + (side.is_user ? 1 : 0)] = 0.0F;
    add_inner(side, side.change, side.response, by_group, 0, 2);
    add_inner(side, side.change, gradient[s], by_group, 1, 2);
  }
  const auto with_change = summed(std::move(by_group), 2);
  const double sy = with_change[0], sg = with_change[1];
  const bool has_pair = history_ >= 2 && sy > 0;
  const double rho = has_pair ? 1.0 / sy : 0.0;
  // P applied to g - rho (s'g) y, to y for the scale, and the root of P to normals.
  by_group.assign(std::size_t{3} * blocks_.groups(), 0.0);
  std::vector<float> scaled[2];
  for (int s = 0; s < 2; ++s) {
    Side& side = *sides[s];
    for (auto* each : {&direction[s], &noise[s], &scaled[s]}) each->assign(side.rows.size(), 0.0F);
    const StreamKey now = key(iteration, side.is_user ? 0 : 1);
    for_rows(side, [&](std::size_t first, std::size_t count, std::size_t) {
      thread_local std::vector<float> normals, work;
      normals.resize(count * size_ + row_width);
      work.resize(stride_ + row_width);
      fill_normal(now, {normals.data(), count * size_}, first * size_);
      for (std::size_t i = first; i < first + count; ++i) {
        float* const v = work.data();
        std::copy_n(gradient[s].data() + i * stride_, stride_, v);
        if (has_pair) add_scaled(static_cast<float>(-rho * sg), side.response.data() + i * stride_, v, stride_);
        const float* root = side.roots.data() + i * size_ * stride_;
        for (std::size_t k = 0; k < size_; ++k, root += stride_) {
          add_scaled(product(root, v, stride_), root, direction[s].data() + i * stride_, stride_);
          add_scaled(normals[(i - first) * size_ + k], root, noise[s].data() + i * stride_, stride_);
          if (has_pair)
            add_scaled(product(root, side.response.data() + i * stride_, stride_), root, scaled[s].data() + i * stride_,
                       stride_);
        }
      }
    });
    add_inner(side, side.response, scaled[s], by_group, 0, 3);
    add_inner(side, side.response, direction[s], by_group, 1, 3);
    add_inner(side, side.response, noise[s], by_group, 2, 3);
  }
  const auto with_response = summed(std::move(by_group), 3);
  const double yPy = with_response[0], yPv = with_response[1], yn = with_response[2];
  const double gamma = has_pair ? std::clamp(sy / yPy, 0.2, 2.0) : 1.0;
  double extra = 0;
  fill_normal(key(iteration, 7), {&extra, 1});
  const double root_gamma = std::sqrt(gamma);
  const double along = has_pair ? h * (-rho * gamma * yPv + rho * sg) +
                                      std::sqrt(2.0 * h) * (-rho * root_gamma * yn + std::sqrt(rho) * extra)
                                : 0.0;
  bool bad = false;
  for (int s = 0; s < 2; ++s) {
    Side& side = *sides[s];
    const Row drift(static_cast<float>(h * gamma)), spread(static_cast<float>(std::sqrt(2.0 * h) * root_gamma)),
        change(static_cast<float>(along));
    // x_{t-2} is in rows, x_{t-1} in before: rows become x_t, before stays x_{t-1}.
    std::copy(side.rows.begin(), side.rows.end(), side.earlier.begin());
    for (std::size_t k = 0; k < side.rows.size(); k += row_width) {
      const Row moved = fma(drift, load(direction[s].data() + k),
                            fma(spread, load(noise[s].data() + k), change * load(side.change.data() + k)));
      store(side.rows.data() + k, load(side.rows.data() + k) + moved);
    }
    for (std::size_t k = side.own.begin * stride_; k < side.own.end * stride_; ++k)
      bad |= !(std::abs(side.rows[k]) < largest_number);
  }
  std::uint64_t none = 0;
  bad = any(bad, none);
  if (bad) {
    for (Side* side : sides) std::copy(side->before.begin(), side->before.end(), side->rows.begin());
    history_ = 0;
    return false;
  }
  // y = gradient at x_{t-2} - gradient at x_t, both of the log density and of the same ratings.
  estimate(part);
  for (int s = 0; s < 2; ++s) {
    Side& side = *sides[s];
    for_rows(side, [&](std::size_t first, std::size_t count, std::size_t) {
      posterior_gradients(steps_at(side, first), count, side.response.data() + first * stride_);
      for (std::size_t i = first; i < first + count; ++i) {
        float* const y = side.response.data() + i * stride_;
        float* const change = side.change.data() + i * stride_;
        if (options_.biases) y[options_.factors + (side.is_user ? 1 : 0)] = 0.0F;
        for (std::size_t k = 0; k < stride_; ++k) {
          y[k] = gradient[s][i * stride_ + k] - y[k];
          change[k] = side.rows[i * stride_ + k] - side.earlier[i * stride_ + k];
        }
      }
    });
  }
  ++history_;
  return true;
}

}  // namespace sgmcmc
