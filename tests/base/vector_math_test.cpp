// Vectorised functions agree with references in long double to a few units in the last place, and are exact at the
// edges.
#include "base/vector_math.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace sgmcmc {
namespace {

using Long = long double;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Distance in units in the last place of Real at the reference.
template <class Real>
double ulps(Real computed, Long reference) {
  if (std::isnan(reference)) return std::isnan(computed) ? 0.0 : infinite;
  const Real rounded = static_cast<Real>(reference);
  if (computed == rounded) return 0.0;
  if (std::isinf(rounded) || !std::isfinite(computed)) return infinite;
  const Real size = std::max(std::abs(rounded), std::numeric_limits<Real>::min());
  const Real unit = std::ldexp(std::numeric_limits<Real>::epsilon(), std::ilogb(size));
  return static_cast<double>(std::abs(static_cast<Long>(computed) - reference) / static_cast<Long>(unit));
}

/// Points evenly spaced over [low, high] with a little jitter, to avoid round numbers.
template <class Real>
std::vector<Real> points(double low, double high, int count = 40000) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> jitter(0.0, 1.0);
  std::vector<Real> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(static_cast<Real>(low + (high - low) * (i + jitter(generator)) / count));
  }
  return result;
}

/// Points with evenly spaced logarithms.
template <class Real>
std::vector<Real> log_points(double low, double high, int count = 40000) {
  std::vector<Real> result;
  for (const double x : points<double>(std::log(low), std::log(high), count)) {
    result.push_back(static_cast<Real>(std::exp(x)));
  }
  return result;
}

/// One pack in, one pack out.
template <class Real>
using Apply = void (*)(const Real* from, Real* to);

// Each function is compiled once per type, out of line: it is inlined wherever it is named.
#define DEFINE(name)                                                        \
  template <class Real>                                                     \
  __attribute__((noinline)) void apply_##name(const Real* from, Real* to) { \
    store(to, name(load(from)));                                            \
  }
DEFINE(exp)
DEFINE(expm1)
DEFINE(log)
DEFINE(log1p)
DEFINE(logistic)
DEFINE(log1p_exp)
DEFINE(log_logistic)
DEFINE(log1m_exp)
DEFINE(tanh)
DEFINE(sin)
DEFINE(cos)
DEFINE(tan)
DEFINE(asin)
DEFINE(acos)
DEFINE(atan)
DEFINE(sinh)
DEFINE(cosh)
DEFINE(erf)
DEFINE(erfc)
DEFINE(phi)
DEFINE(log_phi)
DEFINE(lgamma)
DEFINE(digamma)
DEFINE(trigamma)
DEFINE(tetragamma)
#undef DEFINE

template <class Real>
Real value_at(Apply<Real> apply, Real x) {
  Real values[pack_width<Real>];
  store(values, Pack<Real>(x));
  apply(values, values);
  return values[0];
}

template <class Real>
double worst_ulps(const std::vector<Real>& at, Apply<Real> apply, const std::function<Long(Long)>& reference) {
  double worst = 0.0;
  constexpr int width = pack_width<Real>;
  for (std::size_t i = 0; i + width <= at.size(); i += width) {
    Real values[width];
    apply(at.data() + i, values);
    for (int lane = 0; lane < width; ++lane) {
      const Real x = at[i + static_cast<std::size_t>(lane)];
      const double distance = ulps(values[lane], reference(static_cast<Long>(x)));
      if (!(distance <= worst)) worst = distance;
    }
  }
  return worst;
}

#define FUNCTION(name) &apply_##name<Real>
#define AT(name, x) value_at<Real>(&apply_##name<Real>, Real(x))

template <class Real>
class VectorMath : public ::testing::Test {
 protected:
  static constexpr bool is_double = sizeof(Real) == 8;
};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(VectorMath, Reals);

TYPED_TEST(VectorMath, Exponentials_AreWithinThreeUlps) {
  using Real = TypeParam;
  const double edge = this->is_double ? 708.0 : 87.0;
  const auto exp_reference = [](Long x) { return std::exp(x); };
  EXPECT_LT(worst_ulps(points<Real>(-edge, edge), FUNCTION(exp), exp_reference), 2.0);
  EXPECT_LT(worst_ulps(points<Real>(-1.0, 1.0), FUNCTION(exp), exp_reference), 2.0);
  const double lowest = this->is_double ? -745.0 : -103.0;
  EXPECT_LT(worst_ulps(points<Real>(lowest, -edge), FUNCTION(exp), exp_reference), 2.0) << "denormal results";
  const auto expm1_reference = [](Long x) { return std::expm1(x); };
  EXPECT_LT(worst_ulps(points<Real>(-edge, edge), FUNCTION(expm1), expm1_reference), 3.0);
  EXPECT_LT(worst_ulps(points<Real>(-2.0, 2.0), FUNCTION(expm1), expm1_reference), 3.0);
  EXPECT_LT(worst_ulps(log_points<Real>(1e-30, 0.1), FUNCTION(expm1), expm1_reference), 3.0);
  const auto tanh_reference = [](Long x) { return std::tanh(x); };
  EXPECT_LT(worst_ulps(points<Real>(-25.0, 25.0), FUNCTION(tanh), tanh_reference), 3.0);
  EXPECT_LT(worst_ulps(points<Real>(-1.0, 1.0), FUNCTION(tanh), tanh_reference), 3.0);
}

TYPED_TEST(VectorMath, Logarithms_AreWithinThreeUlps) {
  using Real = TypeParam;
  const double tiny = static_cast<double>(std::numeric_limits<Real>::denorm_min());
  const double huge = static_cast<double>(std::numeric_limits<Real>::max());
  const auto log_reference = [](Long x) { return std::log(x); };
  EXPECT_LT(worst_ulps(log_points<Real>(tiny, huge), FUNCTION(log), log_reference), 2.0);
  EXPECT_LT(worst_ulps(points<Real>(0.4, 2.5), FUNCTION(log), log_reference), 2.0);
  const auto log1p_reference = [](Long x) { return std::log1p(x); };
  EXPECT_LT(worst_ulps(log_points<Real>(tiny, huge), FUNCTION(log1p), log1p_reference), 3.0);
  EXPECT_LT(worst_ulps(points<Real>(-0.9999999, 3.0), FUNCTION(log1p), log1p_reference), 3.0);
  EXPECT_LT(worst_ulps(points<Real>(-0.01, 0.01), FUNCTION(log1p), log1p_reference), 3.0);
}

TYPED_TEST(VectorMath, LogisticFamily_IsWithinThreeUlps) {
  using Real = TypeParam;
  const double edge = this->is_double ? 744.0 : 102.0;
  const auto log1p_exp_reference = [](Long x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  };
  for (const double range : {2.0, 40.0, edge}) {
    EXPECT_LT(worst_ulps(points<Real>(-range, range), FUNCTION(logistic),
                         [](Long x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }),
              3.0);
    EXPECT_LT(worst_ulps(points<Real>(-range, range), FUNCTION(log1p_exp), log1p_exp_reference), 3.0);
    EXPECT_LT(worst_ulps(points<Real>(-range, range), FUNCTION(log_logistic),
                         [&](Long x) { return -log1p_exp_reference(-x); }),
              3.0);
    EXPECT_LT(worst_ulps(points<Real>(-range, -1e-6), FUNCTION(log1m_exp),
                         [](Long x) { return x < -1 ? std::log1p(-std::exp(x)) : std::log(-std::expm1(x)); }),
              3.0);
  }
  const auto x = load(points<Real>(-5.0, 5.0, 100).data());
  const auto pair = logistic_and_log1p_exp(x);
  EXPECT_EQ(in_one_lane(x[3], [](const Pack<Real>& one) { return logistic(one); }), logistic(x)[3]);
  EXPECT_TRUE(all(pair.logistic == logistic(x)));
  EXPECT_TRUE(all(pair.log1p_exp == log1p_exp(x)));
}

TYPED_TEST(VectorMath, Edges_AreExact) {
  using Real = TypeParam;
  constexpr Real inf = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(AT(exp, -inf), Real(0));
  EXPECT_EQ(AT(exp, inf), inf);
  EXPECT_EQ(AT(exp, 710), inf);
  EXPECT_EQ(AT(exp, -800), Real(0));
  EXPECT_EQ(AT(exp, 0), Real(1));
  EXPECT_EQ(AT(expm1, -inf), Real(-1));
  EXPECT_EQ(AT(expm1, inf), inf);
  EXPECT_TRUE(std::signbit(AT(expm1, -0.0)));
  EXPECT_EQ(AT(log, 0), -inf);
  EXPECT_EQ(AT(log, -0.0), -inf);
  EXPECT_EQ(AT(log, inf), inf);
  EXPECT_EQ(AT(log, 1), Real(0));
  EXPECT_TRUE(std::isnan(AT(log, -1)));
  EXPECT_TRUE(std::isnan(AT(log, -inf)));
  EXPECT_EQ(AT(log1p, -1), -inf);
  EXPECT_EQ(AT(log1p, inf), inf);
  EXPECT_TRUE(std::isnan(AT(log1p, -1.5)));
  EXPECT_TRUE(std::signbit(AT(log1p, -0.0)));
  EXPECT_EQ(AT(logistic, 1e3), Real(1));
  EXPECT_EQ(AT(logistic, -1e3), Real(0));
  EXPECT_EQ(AT(logistic, 0), Real(0.5));
  EXPECT_EQ(AT(logistic, inf), Real(1));
  EXPECT_EQ(AT(logistic, -inf), Real(0));
  EXPECT_EQ(AT(log1p_exp, 1e3), Real(1e3));
  EXPECT_EQ(AT(log1p_exp, inf), inf);
  EXPECT_EQ(AT(log1p_exp, -inf), Real(0));
  EXPECT_EQ(AT(log_logistic, -1e3), Real(-1e3));
  EXPECT_EQ(AT(log_logistic, inf), Real(0));
  EXPECT_EQ(AT(log1m_exp, 0), -inf);
  EXPECT_EQ(AT(log1m_exp, -inf), Real(0));
  EXPECT_TRUE(std::isnan(AT(log1m_exp, 0.5)));
  EXPECT_EQ(AT(tanh, inf), Real(1));
  EXPECT_EQ(AT(tanh, -inf), Real(-1));
  EXPECT_TRUE(std::signbit(AT(tanh, -0.0)));
  EXPECT_EQ(AT(phi, inf), Real(1));
  EXPECT_EQ(AT(phi, -inf), Real(0));
  EXPECT_EQ(AT(phi, 0), Real(0.5));
  EXPECT_EQ(AT(erf, inf), Real(1));
  EXPECT_EQ(AT(erfc, -inf), Real(2));
  EXPECT_EQ(AT(log_phi, inf), Real(0));
  EXPECT_EQ(AT(log_phi, -inf), -inf);
  EXPECT_EQ(AT(lgamma, inf), inf);
  EXPECT_EQ(AT(lgamma, 0), inf);
  EXPECT_EQ(AT(lgamma, 1), Real(0));
  EXPECT_EQ(AT(lgamma, 2), Real(0));
  EXPECT_EQ(AT(trigamma, 0), inf);
  EXPECT_TRUE(std::isnan(AT(digamma, -3)));
#define PROPAGATES(name) EXPECT_TRUE(std::isnan(AT(name, nan))) << #name
  PROPAGATES(exp);
  PROPAGATES(expm1);
  PROPAGATES(log);
  PROPAGATES(log1p);
  PROPAGATES(logistic);
  PROPAGATES(log1p_exp);
  PROPAGATES(log_logistic);
  PROPAGATES(log1m_exp);
  PROPAGATES(tanh);
  PROPAGATES(sin);
  PROPAGATES(cos);
  PROPAGATES(tan);
  PROPAGATES(lgamma);
  PROPAGATES(digamma);
  PROPAGATES(trigamma);
  PROPAGATES(tetragamma);
  PROPAGATES(erf);
  PROPAGATES(erfc);
  PROPAGATES(phi);
  PROPAGATES(log_phi);
  PROPAGATES(sinh);
#undef PROPAGATES
}

TYPED_TEST(VectorMath, CircularFunctions_AreWithinThreeUlps) {
  using Real = TypeParam;
  const auto sin_reference = [](Long x) { return std::sin(x); };
  const auto cos_reference = [](Long x) { return std::cos(x); };
  for (const double range : {0.8, 7.0, 1e4, 1e9}) {
    EXPECT_LT(worst_ulps(points<Real>(-range, range), FUNCTION(sin), sin_reference), 3.0) << range;
    EXPECT_LT(worst_ulps(points<Real>(-range, range), FUNCTION(cos), cos_reference), 3.0) << range;
    EXPECT_LT(worst_ulps(points<Real>(-range, range), FUNCTION(tan), [](Long x) { return std::tan(x); }), 4.0) << range;
  }
  constexpr Long two_pi = 6.283185307179586476925286766559L;
  // Absolute error: near multiples of a half turn the reference itself has no more digits.
  double worst = 0.0;
  for (const double u : points<double>(-1.0, 1.0)) {
    const auto pair = sincos_2pi(Pack<Real>(static_cast<Real>(u)));
    const Long angle = two_pi * static_cast<Long>(static_cast<Real>(u));
    worst = std::max({worst, static_cast<double>(std::abs(static_cast<Long>(pair.sin[0]) - std::sin(angle))),
                      static_cast<double>(std::abs(static_cast<Long>(pair.cos[0]) - std::cos(angle)))});
  }
  EXPECT_LT(worst, 1.5 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  EXPECT_EQ(sincos_2pi(Pack<Real>(Real(0.25))).sin[0], Real(1));
  EXPECT_EQ(sincos_2pi(Pack<Real>(Real(0.5))).cos[0], Real(-1));
}

TYPED_TEST(VectorMath, LibraryFunctions_EqualTheLibrary) {
  using Real = TypeParam;
  for (const Real x : {Real(-0.9), Real(-0.2), Real(0.0), Real(0.7)}) {
    EXPECT_EQ(AT(asin, x), std::asin(x));
    EXPECT_EQ(AT(acos, x), std::acos(x));
    EXPECT_EQ(AT(atan, x), std::atan(x));
    EXPECT_EQ(AT(sinh, x), std::sinh(x));
    EXPECT_EQ(AT(cosh, x), std::cosh(x));
    EXPECT_EQ(pow(Pack<Real>(Real(2.5)), Pack<Real>(x))[0], std::pow(Real(2.5), x));
  }
}

TYPED_TEST(VectorMath, NormalFunctions_KeepTheirDigitsInTheTails) {
  using Real = TypeParam;
  const bool wide = this->is_double;
  const double tail = wide ? -37.0 : -12.5;
  const double few = wide ? 8.0 : 2.0;
  const auto phi_reference = [](Long x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); };
  EXPECT_LT(worst_ulps(points<Real>(tail, 8.0), FUNCTION(phi), phi_reference), few);
  EXPECT_LT(worst_ulps(points<Real>(-6.0, 6.0), FUNCTION(erf), [](Long x) { return std::erf(x); }), few);
  EXPECT_LT(worst_ulps(points<Real>(-6.0, wide ? 26.0 : 9.0), FUNCTION(erfc), [](Long x) { return std::erfc(x); }),
            few);
  EXPECT_LT(worst_ulps(points<Real>(tail, 8.0), FUNCTION(log_phi),
                       [&](Long x) { return x > 1 ? std::log1p(-phi_reference(-x)) : std::log(phi_reference(x)); }),
            few);
  // Far out: log(phi(x)) = -x^2 / 2 - log(-x sqrt(2 pi)) - 1 / x^2 + ...
  for (const double x : {-1e3, -1e6, -1e10}) {
    const double rounded = static_cast<double>(static_cast<Real>(x));
    const double expected =
        -0.5 * rounded * rounded - std::log(-rounded * std::sqrt(2 * M_PI)) - 1 / (rounded * rounded);
    EXPECT_NEAR(AT(log_phi, x) / expected, 1.0, wide ? 1e-15 : 1e-7);
  }
}

TYPED_TEST(VectorMath, GammaFunctions_AgreeWithBoost) {
  using Real = TypeParam;
  const double few = this->is_double ? 60.0 : 2.0;  // 60 ulps are 1.4e-14
  const auto lgamma_reference = [](Long x) { return std::lgamma(x); };
  EXPECT_LT(worst_ulps(points<Real>(0.01, 4.0), FUNCTION(lgamma), lgamma_reference), few);
  EXPECT_LT(worst_ulps(points<Real>(0.999, 1.001), FUNCTION(lgamma), lgamma_reference), few);
  EXPECT_LT(worst_ulps(points<Real>(1.999, 2.001), FUNCTION(lgamma), lgamma_reference), few);
  EXPECT_LT(worst_ulps(points<Real>(2.0, 200.0), FUNCTION(lgamma), lgamma_reference), few);
  EXPECT_LT(worst_ulps(log_points<Real>(1e-30, 1e30), FUNCTION(lgamma), lgamma_reference), few);
  const auto trigamma_reference = [](Long x) { return boost::math::trigamma(x); };
  EXPECT_LT(worst_ulps(log_points<Real>(1e-10, 1e15, 8000), FUNCTION(trigamma), trigamma_reference), few);
  EXPECT_LT(worst_ulps(log_points<Real>(1e-6, 1e6, 2000), FUNCTION(tetragamma),
                       [](Long x) { return boost::math::polygamma(2, x); }),
            3 * few);
  // digamma has a zero at 1.46 where only the absolute error stays small.
  for (const Real x : log_points<Real>(1e-10, 1e15, 8000)) {
    const double expected = static_cast<double>(boost::math::digamma(static_cast<Long>(x)));
    const double allowed = static_cast<double>(std::numeric_limits<Real>::epsilon()) * (6.0 * std::abs(expected) + 8.0);
    EXPECT_NEAR(AT(digamma, x), expected, allowed) << x;
  }
}

TYPED_TEST(VectorMath, GammaFunctionsBelowZero_AgreeWithBoost) {
  using Real = TypeParam;
  const double relative = this->is_double ? 1e-12 : 1e-5;
  for (const Real x : {Real(-0.25), Real(-0.5), Real(-1.75), Real(-7.5), Real(-30.125)}) {
    const double exact = static_cast<double>(x);
    const auto near = [&](double value, double expected) {
      EXPECT_NEAR(value, expected, relative * (1 + std::abs(expected)));
    };
    near(AT(lgamma, x), std::lgamma(exact));
    near(AT(digamma, x), boost::math::digamma(exact));
    near(AT(trigamma, x), boost::math::trigamma(exact));
    near(AT(tetragamma, x), boost::math::polygamma(2, exact));
  }
}

}  // namespace
}  // namespace sgmcmc
