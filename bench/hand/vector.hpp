// The few vector operations the hand-written loops need, on the machine's own vector length and without intrinsics.
//
// Deliberately independent of the library's packs: changes to these must not change the speed of the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sgmcmc::hand {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class Real>
struct VectorOf;
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(vector_bytes)));
  typedef std::int64_t integers __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(vector_bytes)));
  typedef std::int32_t integers __attribute__((vector_size(vector_bytes)));
};
template <class Real>
using Vector = typename VectorOf<Real>::type;
template <class Real>
using Integers = typename VectorOf<Real>::integers;
template <class Real>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Real));

template <class Real>
inline Vector<Real> load(const Real* from) {
  Vector<Real> result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

template <class Real>
inline void store(Real* to, Vector<Real> value) {
  std::memcpy(to, &value, sizeof value);
}

template <class Real>
inline Vector<Real> broadcast(Real value) {
  return value - Vector<Real>{};
}

/// exp by x = k log 2 + r and a polynomial in r; arguments beyond the range of finite results are clamped.
inline Vector<double> exp(Vector<double> x) {
  x = x < -708.0 ? broadcast(-708.0) : x;
  x = x > 709.0 ? broadcast(709.0) : x;
  const double shift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer held in the low bits
  const Vector<double> shifted = x * 1.4426950408889634 + shift;
  const Vector<double> k = shifted - shift;
  const Vector<double> r = (x - k * 0.693147180559945286) - k * 2.3190468138462996e-17;
  Vector<double> p = r * 2.08767569878681e-09 + 2.505210838544172e-08;
  for (const double c :
       {2.755731922398589e-07, 2.7557319223985893e-06, 2.48015873015873e-05, 1.984126984126984e-04,
        1.388888888888889e-03, 8.333333333333333e-03, 4.1666666666666664e-02, 1.6666666666666666e-01, 0.5, 1.0, 1.0}) {
    p = p * r + c;
  }
  return (Vector<double>)((Integers<double>)p + ((Integers<double>)shifted << 52));
}

inline Vector<float> exp(Vector<float> x) {
  x = x < -87.0F ? broadcast(-87.0F) : x;
  x = x > 88.0F ? broadcast(88.0F) : x;
  const float shift = 12582912.0F;  // 1.5 * 2^23
  const Vector<float> shifted = x * 1.44269504F + shift;
  const Vector<float> k = shifted - shift;
  const Vector<float> r = (x - k * 0.693359375F) + k * 2.12194440e-4F;
  Vector<float> p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  for (const float c : {8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 0.5F, 1.0F, 1.0F}) p = p * r + c;
  return (Vector<float>)((Integers<float>)p + ((Integers<float>)shifted << 23));
}

/// 1 / (1 + exp(-x))
template <class V>
inline V logistic(V x) {
  return 1 / (1 + exp(-x));
}

/// log(1 + t) for 0 <= t <= 1, as 2 atanh of t / (2 + t), or log 2 more than that of (t - 1) / (t + 3) where 1 + t is
/// beyond the square root of 2.
inline Vector<double> log1p(Vector<double> t) {
  const auto high = t > 0.41421356237309503;
  const Vector<double> s = (high ? t - 1.0 : t) / (t + (high ? broadcast(3.0) : broadcast(2.0)));
  const Vector<double> z = s * s;
  Vector<double> p = z * (2.0 / 21) + 2.0 / 19;
  for (const double c : {2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0}) {
    p = p * z + c;
  }
  return s * p + (high ? broadcast(0.69314718055994531) : Vector<double>{});
}

/// logistic(x), and log(1 + exp(x)) with the same exponential.
inline Vector<double> logistic_and_log1p_exp(Vector<double> x, Vector<double>& log1p_exp) {
  const Vector<double> t = exp(x < 0.0 ? x : -x);
  log1p_exp = (x > 0.0 ? x : Vector<double>{}) + log1p(t);
  return (x < 0.0 ? t : broadcast(1.0)) / (1.0 + t);
}

/// Neighbouring lanes added: a0+a1, a2+a3, ..., b0+b1, b2+b3, ...
template <class Real, std::size_t... lane>
inline Vector<Real> add_neighbours(Vector<Real> a, Vector<Real> b, std::index_sequence<lane...>) {
  return __builtin_shufflevector(a, b, (2 * lane)...) + __builtin_shufflevector(a, b, (2 * lane + 1)...);
}

/// Lane j of the result is the sum of the lanes of a[j]; count is the number of lanes. log2(count) levels of additions
/// serve all of them together, where summing each by itself would cost that many each.
template <class Real, int count = lanes<Real>>
inline Vector<Real> sums_of_lanes(const Vector<Real>* a) {
  if constexpr (count == 1) {
    return a[0];
  } else {
    Vector<Real> half[count / 2];
    for (int i = 0; i < count / 2; ++i) {
      half[i] = add_neighbours<Real>(a[2 * i], a[2 * i + 1], std::make_index_sequence<lanes<Real>>{});
    }
    return sums_of_lanes<Real, count / 2>(half);
  }
}

}  // namespace sgmcmc::hand
