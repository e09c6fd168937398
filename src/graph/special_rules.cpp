// The derivatives of special functions. Names in the formulas: y = op(a, b, c), g the adjoint of y.
//
// Incomplete gamma and beta functions are represented by their logarithms y, whose derivative in x is exp(l - y) for
// the log density l. Their derivatives in the shapes are separate ops, which can be differentiated in x only.
#include "graph/build.hpp"
#include "graph/gamma_ratio.hpp"
#include "graph/gradient_rules.hpp"
#include "graph/node.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace sgmcmc {
namespace {

constexpr double pi = std::numbers::pi;

/// Throws for second derivatives in a shape.
void require_not_needed(bool needed, const std::string& function, const std::string& argument) {
  if (!needed) return;
  throw ModelError("the second derivative of " + function + " in " + argument +
                   " is not implemented; choose a method that needs gradients only, without Hessian-vector products");
}

Expression bessel(Op op, const Expression& order, const Expression& x) {
  return build::binary(op, order, x, op_name(op));
}

/// Log density of the gamma distribution with rate 1, and its derivative in the shape.
Expression log_gamma_density(const Expression& shape, const Expression& x) {
  return (shape - 1.0) * log(x) - x - lgamma(shape);
}
Expression gamma_score(const Expression& shape, const Expression& x) { return log(x) - digamma(shape); }

/// Log density of Student's distribution, and its derivative in the degrees of freedom.
Expression log_student_density(const Expression& t, const Expression& degrees) {
  const Expression half = 0.5 * degrees;
  return scaled_log_gamma_ratio(half, 0.5) - 0.5 * std::log(2.0 * pi) - (half + 0.5) * log1p(t / degrees * t);
}
Expression student_score(const Expression& t, const Expression& degrees) {
  const Expression half = 0.5 * degrees;
  const Expression ratio = t / degrees * t;
  return 0.5 * (digamma(half + 0.5) - digamma(half) - log1p(ratio) - reciprocal(degrees)) +
         (half + 0.5) * (ratio / (degrees * (1.0 + ratio)));
}

Expression log_beta_density(const Expression& a, const Expression& b, const Expression& x) {
  return multiply_log(a - 1.0, x) + multiply_log(b - 1.0, 1.0 - x) - lbeta(a, b);
}

}  // namespace

std::vector<Expression> special_contributions(const Expression& y, const Expression& g,
                                              const std::vector<bool>& needed) {
  const Node& n = y.node();
  const Expression none;
  const Expression& a = n.inputs[0];
  const Expression b = n.inputs.size() < 2 ? none : n.inputs[1];
  const Expression c = n.inputs.size() < 3 ? none : n.inputs[2];
  const auto want = [&](std::size_t i) { return i < needed.size() && needed[i]; };
  const auto of_shape = [&](Op op) { return build::binary(op, a, b, op_name(op)); };
  switch (n.op) {
    case Op::asinh: return {g / hypot(a, 1.0)};
    case Op::acosh: return {g / (sqrt(a - 1.0) * sqrt(a + 1.0))};
    case Op::atanh: return {g / ((1.0 - a) * (1.0 + a))};
    case Op::cbrt: return {g / (3.0 * square(y))};
    case Op::trunc: return {none};
    case Op::tgamma: return {g * (y * digamma(a))};
    case Op::inv_phi: return {std::sqrt(2.0 * pi) * g * exp(0.5 * square(y))};
    case Op::lambert_w0: return {g * (exp(-y) / (1.0 + y))};
    case Op::log_bessel_i0: return {g * build::unary(Op::bessel_ratio, a)};
    case Op::bessel_ratio: return {g * (1.0 - square(y) - y / a)};

    case Op::atan2: {
      const auto scaled = g / (square(a) + square(b));
      return {want(0) ? scaled * b : none, want(1) ? -(scaled * a) : none};
    }
    case Op::hypot: return {want(0) ? g * (a / y) : none, want(1) ? g * (b / y) : none};
    case Op::fmod: return {g, want(1) ? -(g * trunc(a / b)) : none};
    case Op::owens_t: {
      const auto tail = exp(-0.5 * square(a));
      const auto one_plus = 1.0 + square(b);
      return {want(0) ? (-0.5 / std::sqrt(2.0 * pi)) * g * tail * erf(std::sqrt(0.5) * (a * b)) : none,
              want(1) ? (0.5 / pi) * g * exp(-0.5 * square(a) * one_plus) / one_plus : none};
    }
    case Op::bessel_first_kind:
    case Op::bessel_second_kind:
    case Op::modified_bessel_first_kind:
    case Op::modified_bessel_second_kind: {
      if (want(0))
        throw ModelError(std::string(op_name(n.op)) + ": the order has no derivative; give it as integer data");
      const auto below = bessel(n.op, a - 1.0, b), above = bessel(n.op, a + 1.0, b);
      const bool modified = n.op == Op::modified_bessel_first_kind || n.op == Op::modified_bessel_second_kind;
      const double factor = n.op == Op::modified_bessel_second_kind ? -0.5 : 0.5;
      return {none, factor * g * (modified ? below + above : below - above)};
    }

    case Op::log_gamma_p:
      return {want(0) ? g * of_shape(Op::log_gamma_p_shape) : none,
              want(1) ? g * exp(log_gamma_density(a, b) - y) : none};
    case Op::log_gamma_q:
      return {want(0) ? g * of_shape(Op::log_gamma_q_shape) : none,
              want(1) ? -(g * exp(log_gamma_density(a, b) - y)) : none};
    case Op::log_gamma_p_shape:
    case Op::log_gamma_q_shape: {
      require_not_needed(want(0), "the incomplete gamma function", "its shape");
      const bool lower = n.op == Op::log_gamma_p_shape;
      const auto value = of_shape(lower ? Op::log_gamma_p : Op::log_gamma_q);
      const auto slope = exp(log_gamma_density(a, b) - value) * (gamma_score(a, b) - y);
      return {none, lower ? g * slope : -(g * slope)};
    }
    case Op::log_student_t_cdf:
      return {want(0) ? g * exp(log_student_density(a, b) - y) : none,
              want(1) ? g * of_shape(Op::log_student_t_cdf_degrees) : none};
    case Op::log_student_t_cdf_degrees: {
      require_not_needed(want(1), "Student's distribution function", "the degrees of freedom");
      const auto slope = exp(log_student_density(a, b) - of_shape(Op::log_student_t_cdf));
      return {g * (slope * (student_score(a, b) - y)), none};
    }
    case Op::log_inc_beta: {
      const auto in = [&](Op op) { return build::ternary(op, a, b, c, op_name(op)); };
      return {want(0) ? g * in(Op::log_inc_beta_a) : none, want(1) ? g * in(Op::log_inc_beta_b) : none,
              want(2) ? g * exp(log_beta_density(a, b, c) - y) : none};
    }
    case Op::log_inc_beta_a:
    case Op::log_inc_beta_b: {
      require_not_needed(want(0) || want(1), "the incomplete beta function", "its shapes");
      const auto value = build::ternary(Op::log_inc_beta, a, b, c, "log_inc_beta");
      const auto score = n.op == Op::log_inc_beta_a ? log(c) - digamma(a) : log1m(c) - digamma(b);
      return {none, none, g * (exp(log_beta_density(a, b, c) - value) * (score + digamma(a + b) - y))};
    }
    default: return {};
  }
}

}  // namespace sgmcmc
