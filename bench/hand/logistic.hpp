// SGLD for logistic regression with a Laplace(0, 1) prior, written by hand: the reference for the engine.
//
// A step is bound by fetching 500 random rows from memory, so everything serves to keep the processor's queue of
// outstanding cache lines full: rows start on cache lines with the label beside the features and lie on huge pages, and
// while a group of rows is worked on, the rows `prefetch_distance` ahead are requested; at the end of a batch these are
// the first of the next one. On one x86-64 machine a short distance was about 5 % faster than fetching the whole next
// batch ahead, presumably because the rows are then still in the first-level cache when their turn comes; distances of
// 8 to 32 rows could not be told apart. Nor could groups of 4, 8 and 16 rows while memory is waited for; with
// everything in cache 16 was fastest with 64-byte vectors and 8 with 16-byte ones, so 8 serves both.
#pragma once

#include "hand/huge_memory.hpp"
#include "hand/vector.hpp"

#include <cstdint>
#include <span>

namespace sgmcmc::hand {

template <class Real, int features>
class LogisticRows {
 public:
  static constexpr int lines = ((features + 1) * static_cast<int>(sizeof(Real)) + 63) / 64;
  static constexpr std::size_t stride_bytes = std::size_t{64} * lines;
  static constexpr int stride = static_cast<int>(stride_bytes / sizeof(Real));

  /// x: row-major, rows x features; y: 0 or 1.
  template <class Source>
  LogisticRows(std::span<const Source> x, std::span<const std::int32_t> y)
      : rows_(static_cast<std::uint32_t>(y.size())), memory_(y.size() * stride_bytes) {
    for (std::uint32_t i = 0; i < rows_; ++i) {
      Real* to = reinterpret_cast<Real*>(memory_.data() + i * stride_bytes);
      for (int j = 0; j < features; ++j) to[j] = static_cast<Real>(x[std::size_t{i} * features + j]);
      to[features] = static_cast<Real>(y[i]);
    }
  }

  std::uint32_t rows() const { return rows_; }
  std::size_t bytes() const { return rows_ * stride_bytes; }
  const Real* row(std::uint32_t i) const { return reinterpret_cast<const Real*>(memory_.data() + i * stride_bytes); }

 private:
  std::uint32_t rows_;
  HugeMemory memory_;
};

/// One point at which gradients are taken, padded with zeros to the length of a row, so that the label counts nothing.
template <class Real, int features>
struct LogisticPoint {
  alignas(64) Real value[LogisticRows<Real, features>::stride] = {};
};

inline constexpr int group_rows = 8;
inline constexpr int prefetch_distance = 16;
#if defined(__aarch64__)
inline constexpr int prefetch_locality = 2;  // the second-level cache: on a Neoverse V1 a step takes a third less time
#else
inline constexpr int prefetch_locality = 3;
#endif

namespace detail {

template <class Real, int features>
inline void prefetch_row(const LogisticRows<Real, features>& data, std::uint32_t index) {
  const char* line = reinterpret_cast<const char*>(data.row(index));
#pragma GCC unroll 16
  for (int l = 0; l < LogisticRows<Real, features>::lines; ++l) __builtin_prefetch(line + 64 * l, 0, prefetch_locality);
}

/// dots[j] = row[j] . point for the rows of a group, each still spread over the lanes of a vector.
template <class Real, int features>
inline void group_dots(const Real* const* row, const Real* point, Vector<Real>* dots) {
  constexpr int chunks = LogisticRows<Real, features>::stride / lanes<Real>;
  // With long vectors a row is few chunks and its own chain of additions is short; with short ones the rows must take
  // turns.
  if constexpr (chunks <= 16) {
#pragma GCC unroll 8
    for (int j = 0; j < group_rows; ++j) {
      Vector<Real> sum = load(row[j]) * load(point);
#pragma GCC unroll 16
      for (int c = 1; c < chunks; ++c) sum += load(row[j] + c * lanes<Real>) * load(point + c * lanes<Real>);
      dots[j] = sum;
    }
  } else {
    for (int j = 0; j < group_rows; ++j) dots[j] = Vector<Real>{};
    for (int c = 0; c < chunks; ++c) {
      const Vector<Real> p = load(point + c * lanes<Real>);
#pragma GCC unroll 8
      for (int j = 0; j < group_rows; ++j) dots[j] += load(row[j] + c * lanes<Real>) * p;
    }
  }
}

/// values[j] = logistic of the sum over the lanes of dots[j]: one exponential for as many rows as a vector has lanes.
template <class Real>
inline void group_logistic(const Vector<Real>* dots, Real* values) {
  constexpr int width = lanes<Real>;
  if constexpr (width <= group_rows) {
    for (int k = 0; k < group_rows; k += width) store(values + k, logistic(sums_of_lanes<Real>(dots + k)));
  } else {
    Vector<Real> padded[width] = {};
    for (int j = 0; j < group_rows; ++j) padded[j] = dots[j];
    store(values, logistic(sums_of_lanes<Real>(padded)));
  }
}

/// The same, and the sum over the first `count` rows of y logit - log(1 + exp(logit)).
template <class Real, int features>
inline Real group_density(const Real* const* row, const Vector<Real>* dots, int count, Real* values) {
  constexpr int width = lanes<Real>;
  static_assert(width <= group_rows);
  alignas(64) Real logit[group_rows];
  alignas(64) Real softplus[group_rows];
  for (int k = 0; k < group_rows; k += width) {
    const Vector<Real> x = sums_of_lanes<Real>(dots + k);
    Vector<Real> log1p_exp;
    store(values + k, logistic_and_log1p_exp(x, log1p_exp));
    store(logit + k, x);
    store(softplus + k, log1p_exp);
  }
  Real sum = 0;
  for (int j = 0; j < count; ++j) sum += row[j][features] * logit[j] - softplus[j];
  return sum;
}

}  // namespace detail

/// Sum over `count` rows of the gradient of the log likelihood at `point`, or, with a centre, of its difference from
/// that at the centre. row_at(k) is the k-th row to visit, defined for prefetch_distance more positions than are
/// summed. With `density`, also the log likelihood itself is summed there.
template <class Real, int features, bool with_centre, bool with_density = false, class RowAt>
inline void logistic_gradient(const LogisticRows<Real, features>& data, int count, RowAt row_at,
                              const LogisticPoint<Real, features>& point, const LogisticPoint<Real, features>& centre,
                              LogisticPoint<Real, features>& gradient, Real* density = nullptr) {
  constexpr int width = lanes<Real>;
  constexpr int chunks = LogisticRows<Real, features>::stride / width;
  constexpr int padded_group = group_rows < width ? width : group_rows;
  Vector<Real> total[chunks] = {};
  [[maybe_unused]] Real log_likelihood = 0;
  for (int first = 0; first < count; first += group_rows) {
    const int here = count - first < group_rows ? count - first : group_rows;
    const Real* row[group_rows];
#pragma GCC unroll 8
    for (int j = 0; j < group_rows; ++j) {
      if (j < here) detail::prefetch_row(data, row_at(first + j + prefetch_distance));
      row[j] = data.row(row_at(first + (j < here ? j : 0)));
    }
    Vector<Real> dots[group_rows];
    alignas(64) Real weight[padded_group];
    detail::group_dots<Real, features>(row, point.value, dots);
    if constexpr (with_density) {
      log_likelihood += detail::group_density<Real, features>(row, dots, here, weight);
    } else {
      detail::group_logistic<Real>(dots, weight);
    }
    if constexpr (with_centre) {
      alignas(64) Real at_centre[padded_group];
      detail::group_dots<Real, features>(row, centre.value, dots);
      detail::group_logistic<Real>(dots, at_centre);
      for (int j = 0; j < group_rows; ++j) weight[j] = at_centre[j] - weight[j];
    } else {
      for (int j = 0; j < group_rows; ++j) weight[j] = row[j][features] - weight[j];
    }
    for (int j = here; j < group_rows; ++j) weight[j] = 0;
#pragma GCC unroll 64
    for (int c = 0; c < chunks; ++c) {
#pragma GCC unroll 8
      for (int j = 0; j < group_rows; ++j) total[c] += load(row[j] + c * width) * weight[j];
    }
  }
  for (int c = 0; c < chunks; ++c) store(gradient.value + c * width, total[c]);
  if constexpr (with_density) *density = log_likelihood;
}

}  // namespace sgmcmc::hand
