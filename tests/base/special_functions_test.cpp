// Special functions: kernels against integrals over a grid, identities, and values known to twenty digits.
#include "base/special_functions.hpp"

#include "reference/special_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc::special {
namespace {

namespace expected = reference::functions;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_close(double got, double wanted, double relative = 1e-11) {
  EXPECT_NEAR(got, wanted, relative * std::max(1e-300, std::abs(wanted)));
}

const std::vector<double> shapes{0.12, 0.3, 0.9, 1.6, 2.4, 8.0, 30.0};
const std::vector<double> arguments{0.12, 0.3, 0.9, 1.6, 3.3, 8.0, 30.0, 80.0};

TEST(IncompleteGamma, OverAGrid_EqualsItsIntegral) {
  for (const double a : shapes) {
    for (const double x : arguments) {
      SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(x));
      expect_close(log_gamma_p(a, x), expected::log_gamma_p<double>(a, x));
      expect_close(log_gamma_q(a, x), expected::log_gamma_q<double>(a, x));
      expect_close(log_gamma_p_shape(a, x), expected::log_gamma_p_shape<double>(a, x));
      expect_close(log_gamma_q_shape(a, x), expected::log_gamma_q_shape<double>(a, x));
    }
  }
}

TEST(IncompleteGamma, LowerAndUpper_AddUpToOne) {
  for (const double a : {1e-3, 0.4, 5.0, 300.0, 1e5}) {
    for (const double ratio : {0.01, 0.5, 0.99, 1.0, 1.02, 3.0}) {
      const double x = a * ratio, p = std::exp(log_gamma_p(a, x)), q = std::exp(log_gamma_q(a, x));
      EXPECT_NEAR(p + q, 1, 1e-13) << a << " " << x;
      const double scale = std::abs(p * log_gamma_p_shape(a, x));
      EXPECT_NEAR(p * log_gamma_p_shape(a, x) + q * log_gamma_q_shape(a, x), 0, 1e-9 * scale) << a << " " << x;
    }
  }
}

TEST(IncompleteGamma, WhereItUnderflows_LogarithmIsFinite) {
  // Leading terms: P = x^a / Gamma(a + 1), Q = x^(a - 1) exp(-x) / Gamma(a).
  expect_close(log_gamma_p(400.0, 1e-3), 400 * std::log(1e-3) - std::lgamma(401.0), 1e-6);
  expect_close(log_gamma_p_shape(400.0, 1e-3), std::log(1e-3) - 5.9927, 1e-5);
  expect_close(log_gamma_q(2.0, 1e4), std::log1p(1e4) - 1e4, 1e-13);
  expect_close(log_gamma_q_shape(2.0, 1e4), std::log(1e4) - (1 - 0.57721566490153286) + 1e-4, 1e-6);
}

TEST(IncompleteGamma, Edges_AreLimits) {
  EXPECT_EQ(log_gamma_p(2.0, 0.0), -infinity);
  EXPECT_EQ(log_gamma_q(2.0, 0.0), 0.0);
  EXPECT_EQ(log_gamma_p(2.0, infinity), 0.0);
  EXPECT_EQ(log_gamma_q(2.0, infinity), -infinity);
  for (const auto& [a, x] : std::vector<std::pair<double, double>>{{-1, 1}, {1, -1}, {nan, 1}, {1, nan}, {0, 1}}) {
    EXPECT_TRUE(std::isnan(log_gamma_p(a, x)) && std::isnan(log_gamma_q(a, x)));
    EXPECT_TRUE(std::isnan(log_gamma_p_shape(a, x)) && std::isnan(log_gamma_q_shape(a, x)));
  }
}

TEST(IncompleteBeta, OverAGrid_EqualsItsIntegral) {
  for (const double a : shapes) {
    for (const double b : shapes) {
      for (const double x : {0.01, 0.2, 0.5, 0.7, 0.97}) {
        SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(x));
        expect_close(log_inc_beta(a, b, x), expected::log_inc_beta<double>(a, b, x));
        expect_close(log_inc_beta_a(a, b, x), expected::log_inc_beta_a<double>(a, b, x));
        expect_close(log_inc_beta_b(a, b, x), expected::log_inc_beta_b<double>(a, b, x));
      }
    }
  }
}

TEST(IncompleteBeta, PowersAreExact_WithTheirDerivatives) {
  for (const double x : {1e-200, 0.003, 0.4, 0.99}) {
    for (const double a : {0.01, 1.0, 37.5, 2e3}) {  // I_x(a, 1) = x^a
      expect_close(log_inc_beta(a, 1.0, x), a * std::log(x), 1e-13);
      expect_close(log_inc_beta_a(a, 1.0, x), std::log(x), 1e-12);
    }
  }
  expect_close(log_inc_beta_b(1.0, 2.5, 0.3), -std::pow(0.7, 2.5) * std::log(0.7) / (1 - std::pow(0.7, 2.5)), 1e-13);
}

TEST(IncompleteBeta, Edges_AreLimits) {
  EXPECT_EQ(log_inc_beta(2.0, 3.0, 0.0), -infinity);
  EXPECT_EQ(log_inc_beta(2.0, 3.0, 1.0), 0.0);
  EXPECT_EQ(log_inc_beta_a(2.0, 3.0, 1.0), 0.0);
  EXPECT_TRUE(std::isnan(log_inc_beta(2.0, 3.0, 1.1)));
  EXPECT_TRUE(std::isnan(log_inc_beta(0.0, 3.0, 0.1)));
  EXPECT_TRUE(std::isnan(log_inc_beta_b(2.0, nan, 0.1)));
}

TEST(StudentT, OverAGrid_EqualsItsIntegral) {
  for (const double t : {-30.0, -4.0, -1.0, -0.1, 0.1, 0.9, 5.0}) {
    for (const double degrees : {0.12, 0.9, 1.6, 3.3, 8.0, 80.0}) {
      SCOPED_TRACE(std::to_string(t) + ", " + std::to_string(degrees));
      expect_close(log_student_t_cdf(t, degrees), expected::log_student_t_cdf<double>(t, degrees));
      expect_close(log_student_t_cdf_degrees(t, degrees), expected::log_student_t_cdf_degrees<double>(t, degrees),
                   1e-10);
    }
  }
}

TEST(StudentT, OneDegree_IsCauchy) {
  for (const double t : {-1e8, -3.0, -1e-9, 0.0, 1e-9, 2.0})
    expect_close(log_student_t_cdf(t, 1.0), std::log(std::atan2(1.0, -t) / std::acos(-1.0)), 1e-14);
  EXPECT_EQ(log_student_t_cdf(-infinity, 3.0), -infinity);
  EXPECT_EQ(log_student_t_cdf(infinity, 3.0), 0.0);
  EXPECT_TRUE(std::isnan(log_student_t_cdf(1.0, -1.0)));
}

TEST(Bessel, OverAGrid_EqualTheirIntegrals) {
  for (const double x : {0.4, 1.0, 3.0, 9.0, 25.0}) {
    expect_close(log_bessel_i0(x), expected::log_bessel_i0<double>(x));
    expect_close(bessel_ratio(x), expected::bessel_ratio<double>(x));
    for (const double n : {-2.0, -1.0, 0.0, 1.0, 3.0}) {
      expect_close(bessel_first_kind(n, x), expected::bessel_first_kind<double>(n, x), 1e-10);
      expect_close(bessel_second_kind(n, x), expected::bessel_second_kind<double>(n, x), 1e-10);
      expect_close(modified_bessel_first_kind(n, x), expected::modified_bessel_first_kind<double>(n, x), 1e-10);
      expect_close(modified_bessel_second_kind(n, x), expected::modified_bessel_second_kind<double>(n, x), 1e-10);
    }
  }
}

TEST(Bessel, AcrossTheSwitchToTheAsymptoticSeries_Continuous) {
  EXPECT_NEAR(log_bessel_i0(std::nextafter(40.0, 0)), log_bessel_i0(40.0), 1e-13);
  EXPECT_NEAR(bessel_ratio(std::nextafter(40.0, 0)), bessel_ratio(40.0), 1e-15);
  expect_close(log_bessel_i0(1e6), 1e6 - 0.5 * std::log(2 * std::acos(-1.0) * 1e6) + 1.25e-7, 1e-15);
  EXPECT_EQ(bessel_ratio(infinity), 1.0);
  EXPECT_EQ(bessel_ratio(-2.0), -bessel_ratio(2.0));
}

TEST(OtherFunctions, KnownValues_AreMet) {
  for (const double h : {-3.0, -0.4, 0.2, 1.7})
    for (const double a : {-2.0, 0.3, 5.0}) expect_close(owens_t(h, a), expected::owens_t<double>(h, a), 1e-12);
  for (const double p : {1e-12, 0.02, 0.3, 0.5 + 1e-9, 0.9})
    EXPECT_NEAR(inv_phi(p), expected::inv_phi<double>(p), 1e-14 * std::max(1.0, std::abs(inv_phi(p))));
  expect_close(inv_phi(1e-300), -37.04709640, 1e-8);
  EXPECT_EQ(inv_phi(0.0), -infinity);
  EXPECT_EQ(inv_phi(1.0), infinity);
  EXPECT_TRUE(std::isnan(inv_phi(1.5)));
  for (const double x : {-0.3, 0.1, 5.0, 1e6}) {
    const double w = lambert_w0(x);
    expect_close(w * std::exp(w), x, 1e-13);
  }
  EXPECT_TRUE(std::isnan(lambert_w0(-1.0)));
}

}  // namespace
}  // namespace sgmcmc::special
