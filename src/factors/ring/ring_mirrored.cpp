// Factors that are not negative, on the ring: steps mirrored at 0, under exponential priors.
#include "factors/ring/ring_factors.hpp"
#include "factors/ring/ring_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

namespace sgmcmc {

using namespace ring;

void RingFactors::learn_scales() {
  // As in learn_curvature(): one part, scaled, has more curvature than all ratings of a row.
  const auto extra = static_cast<double>(blocks_.groups());
  for (Side* side : {&users_, &items_}) {
    const FactorSide& values = side->is_user ? state_.users : state_.items;
    const FactorSide& other = side->is_user ? state_.items : state_.users;
    for_rows(*side, [&](std::size_t first, std::size_t count, std::size_t) {
      std::vector<double> curvature(size_);
      for (std::size_t i = std::max(first, side->own.begin); i < std::min(first + count, side->own.end); ++i) {
        std::fill(curvature.begin(), curvature.end(), 0.0);
        const std::uint64_t begin = side->by_row.start[i], end = side->by_row.start[i + 1];
        for (std::uint64_t at = begin; at < end; ++at) {
          const std::size_t j = side->by_row.other[at];
          const double x = side->is_user ? state_.parameter(i, j) : state_.parameter(j, i);
          const double information =
              law_.information(std::max(state_.least_parameter, x)) * state_.scale * state_.scale;
          for (std::size_t k = 0; k < size_; ++k) {
            const double v = k < options_.factors ? other.row(j)[k] : 1.0;
            curvature[k] += v * v * information;
          }
        }
        const double more = end > begin ? 1 + extra / static_cast<double>(end - begin) : 1.0;
        for (std::size_t k = 0; k < size_; ++k) {
          const auto at = static_cast<Eigen::Index>(k);
          side->scales[i * stride_ + side->places[k]] =
              static_cast<float>(1 / (values.prior.precision(at, at) + more * curvature[k]));
        }
      }
    });
  }
}

bool RingFactors::move_mirrored(std::uint64_t iteration) {
  const auto h = static_cast<float>(step_ * ramp(iteration));
  std::atomic<bool> failed = false;
  std::atomic<std::uint64_t> all_cut = 0;
  for (Side* side : {&users_, &items_}) {
    const StreamKey stream = key(iteration, side->is_user ? 0 : 1);
    for_rows(*side, [&](std::size_t begin, std::size_t all, std::size_t) {
      const std::size_t first = std::max(begin, side->own.begin), end = std::min(begin + all, side->own.end);
      if (first >= end) return;
      thread_local std::vector<float> noise;
      noise.resize((end - first) * size_);
      fill_normal(stream, noise, first * size_);
      bool bad = false;
      std::uint64_t cut = 0;
      for (std::size_t i = first; i < end; ++i) {
        bool is_cut = false;
        for (std::size_t k = 0; k < size_; ++k) {
          const std::size_t place = i * stride_ + side->places[k];
          const float scale = side->scales[place], sd = std::sqrt(scale), rate = 1 / side->mean[side->places[k]];
          // Near 0 the slope of a rating's density has no limit: no drift is longer than the scale of the number.
          const float drift = 0.5F * h * scale * (side->gradient[place] - rate), limited = std::clamp(drift, -sd, sd);
          is_cut |= limited != drift;
          const float x = side->rows[place] + limited + std::sqrt(h) * sd * noise[(i - first) * size_ + k];
          side->rows[place] = std::abs(x);
          bad |= !(std::abs(x) < largest_number);
        }
        if (is_cut) ++cut;
      }
      if (bad) failed = true;
      if (cut > 0) all_cut += cut;
    });
  }
  return end_moves(iteration, failed, all_cut);
}

}  // namespace sgmcmc
