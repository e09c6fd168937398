// Elementwise functions and operators, with broadcasting.
#include "graph/build.hpp"

#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc {
namespace {

Shape broadcast_shape(const Shape& a, const Shape& b, const char* what, const std::vector<Expression>& operands) {
  std::size_t rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> dims(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    std::int64_t da = i < a.rank() ? a[a.rank() - 1 - i] : 1;
    std::int64_t db = i < b.rank() ? b[b.rank() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1)
      build::fail(what, "shapes " + a.to_string() + " and " + b.to_string() + " do not fit together", operands);
    dims[rank - 1 - i] = da == 1 ? db : da;
  }
  return Shape(std::move(dims));
}

Expression fit(const Expression& x, const Shape& shape) {
  return x.shape().is_scalar() || x.shape() == shape ? x : broadcast_to(x, shape);
}

}  // namespace

namespace build {

Expression unary(Op op, const Expression& x) {
  require_value(op_name(op), x);
  return node(op, {x}, x.shape());
}

Expression binary(Op op, const Expression& a, const Expression& b, const char* what) {
  require_value(what, a);
  require_value(what, b);
  Shape shape = broadcast_shape(a.shape(), b.shape(), what, {a, b});
  auto a_fits = [&] { return a.shape() == shape; };
  auto b_fits = [&] { return b.shape() == shape; };
  switch (op) {
    case Op::add:
      if (is_constant(b, 0.0) && a_fits()) return a;
      if (is_constant(a, 0.0) && b_fits()) return b;
      break;
    case Op::subtract:
      if (is_constant(b, 0.0) && a_fits()) return a;
      if (is_constant(a, 0.0) && b_fits()) return -b;
      break;
    case Op::multiply:
      if (is_constant(b, 1.0) && a_fits()) return a;
      if (is_constant(a, 1.0) && b_fits()) return b;
      if (is_constant(b, -1.0) && a_fits()) return -a;
      if (is_constant(a, -1.0) && b_fits()) return -b;
      break;
    case Op::divide:
      if (is_constant(b, 1.0) && a_fits()) return a;
      break;
    default: break;
  }
  return node(op, {fit(a, shape), fit(b, shape)}, shape);
}

Expression ternary(Op op, const Expression& a, const Expression& b, const Expression& c, const char* what) {
  for (const auto* x : {&a, &b, &c}) require_value(what, *x);
  const std::vector<Expression> operands{a, b, c};
  Shape shape = broadcast_shape(b.shape(), c.shape(), what, operands);
  shape = broadcast_shape(shape, a.shape(), what, operands);
  return node(op, {fit(a, shape), fit(b, shape), fit(c, shape)}, shape);
}

}  // namespace build

using build::binary;
using build::unary;

Expression operator-(const Expression& x) {
  build::require_value("operator-", x);
  if (x.node().op == Op::negate) return x.node().inputs[0];
  if (x.node().op == Op::constant) {  // so that multiplication by it is recognised as a sign change
    auto values = *x.node().attributes.values;
    for (double& value : values) value = -value;
    return constant(std::move(values), x.shape());
  }
  return unary(Op::negate, x);
}

#define SGMCMC_UNARY(name) \
  Expression name(const Expression& x) { return unary(Op::name, x); }
SGMCMC_UNARY(exp)
SGMCMC_UNARY(log)
SGMCMC_UNARY(log1p)
SGMCMC_UNARY(expm1)
SGMCMC_UNARY(logistic)
SGMCMC_UNARY(log_logistic)
SGMCMC_UNARY(log1p_exp)
SGMCMC_UNARY(log1m_exp)
SGMCMC_UNARY(tanh)
SGMCMC_UNARY(sinh)
SGMCMC_UNARY(cosh)
SGMCMC_UNARY(sin)
SGMCMC_UNARY(cos)
SGMCMC_UNARY(tan)
SGMCMC_UNARY(asin)
SGMCMC_UNARY(acos)
SGMCMC_UNARY(atan)
SGMCMC_UNARY(sqrt)
SGMCMC_UNARY(square)
SGMCMC_UNARY(reciprocal)
SGMCMC_UNARY(abs)
SGMCMC_UNARY(sign)
SGMCMC_UNARY(floor)
SGMCMC_UNARY(ceil)
SGMCMC_UNARY(round)
SGMCMC_UNARY(lgamma)
SGMCMC_UNARY(digamma)
SGMCMC_UNARY(trigamma)
SGMCMC_UNARY(erf)
SGMCMC_UNARY(erfc)
SGMCMC_UNARY(asinh)
SGMCMC_UNARY(acosh)
SGMCMC_UNARY(atanh)
SGMCMC_UNARY(cbrt)
SGMCMC_UNARY(trunc)
SGMCMC_UNARY(tgamma)
SGMCMC_UNARY(lambert_w0)
#undef SGMCMC_UNARY
Expression Phi(const Expression& x) { return unary(Op::phi, x); }
Expression log_Phi(const Expression& x) { return unary(Op::log_phi, x); }
Expression inv_Phi(const Expression& p) { return unary(Op::inv_phi, p); }
Expression Phi_approx(const Expression& x) { return logistic(x * (0.07056 * square(x) + 1.5976)); }
Expression log1m(const Expression& x) { return log1p(-x); }
Expression logit(const Expression& x) { return log(x) - log1m(x); }
Expression log_inv_logit(const Expression& x) { return log_logistic(x); }
Expression log1m_inv_logit(const Expression& x) { return log_logistic(-x); }
Expression inv_cloglog(const Expression& x) { return -expm1(-exp(x)); }
Expression exp2(const Expression& x) { return pow(2.0, x); }
Expression log2(const Expression& x) { return log(x) * std::numbers::log2e; }
Expression log10(const Expression& x) { return log(x) * std::numbers::log10e; }
Expression inv(const Expression& x) { return reciprocal(x); }
Expression inv_sqrt(const Expression& x) { return reciprocal(sqrt(x)); }
Expression inv_square(const Expression& x) { return reciprocal(square(x)); }
Expression step(const Expression& x) { return x >= 0.0; }
Expression int_step(const Expression& x) { return x > 0.0; }

Expression operator+(const Expression& a, const Expression& b) { return binary(Op::add, a, b, "operator+"); }
Expression operator-(const Expression& a, const Expression& b) { return binary(Op::subtract, a, b, "operator-"); }
Expression operator*(const Expression& a, const Expression& b) { return binary(Op::multiply, a, b, "operator*"); }
Expression operator/(const Expression& a, const Expression& b) { return binary(Op::divide, a, b, "operator/"); }
Expression max(const Expression& a, const Expression& b) { return binary(Op::maximum, a, b, "max"); }
Expression min(const Expression& a, const Expression& b) { return binary(Op::minimum, a, b, "min"); }
Expression log_add_exp(const Expression& a, const Expression& b) {
  return binary(Op::log_add_exp, a, b, "log_add_exp");
}
Expression log_diff_exp(const Expression& a, const Expression& b) { return a + log1m_exp(b - a); }
Expression multiply_log(const Expression& a, const Expression& b) {
  return binary(Op::multiply_log, a, b, "multiply_log");
}
Expression lmultiply(const Expression& a, const Expression& b) { return multiply_log(a, b); }
Expression fdim(const Expression& a, const Expression& b) { return select(a > b, a - b, 0.0); }
Expression fma(const Expression& a, const Expression& b, const Expression& c) { return a * b + c; }
#define SGMCMC_BINARY(name) \
  Expression name(const Expression& a, const Expression& b) { return binary(Op::name, a, b, #name); }
SGMCMC_BINARY(atan2)
SGMCMC_BINARY(hypot)
SGMCMC_BINARY(fmod)
SGMCMC_BINARY(owens_t)
SGMCMC_BINARY(bessel_first_kind)
SGMCMC_BINARY(bessel_second_kind)
SGMCMC_BINARY(modified_bessel_first_kind)
SGMCMC_BINARY(modified_bessel_second_kind)
#undef SGMCMC_BINARY
// By the logarithms, which are precise in both tails.
Expression gamma_p(const Expression& shape, const Expression& x) {
  return exp(binary(Op::log_gamma_p, shape, x, "gamma_p"));
}
Expression gamma_q(const Expression& shape, const Expression& x) {
  return exp(binary(Op::log_gamma_q, shape, x, "gamma_q"));
}
Expression inc_beta(const Expression& a, const Expression& b, const Expression& x) {
  return exp(build::ternary(Op::log_inc_beta, a, b, x, "inc_beta"));
}
Expression operator<(const Expression& a, const Expression& b) { return binary(Op::less, a, b, "operator<"); }
Expression operator<=(const Expression& a, const Expression& b) { return binary(Op::less_equal, a, b, "operator<="); }
Expression operator>(const Expression& a, const Expression& b) { return binary(Op::less, b, a, "operator>"); }
Expression operator>=(const Expression& a, const Expression& b) { return binary(Op::less_equal, b, a, "operator>="); }
Expression equal(const Expression& a, const Expression& b) { return binary(Op::equal, a, b, "equal"); }
Expression not_equal(const Expression& a, const Expression& b) { return binary(Op::not_equal, a, b, "not_equal"); }

Expression pow(const Expression& base, const Expression& exponent) {
  build::require_value("pow", base);
  if (build::is_constant(exponent, 2.0) && exponent.shape().is_scalar()) return square(base);
  if (build::is_constant(exponent, 1.0) && exponent.shape().is_scalar()) return base;
  if (build::is_constant(exponent, 0.5) && exponent.shape().is_scalar()) return sqrt(base);
  if (build::is_constant(exponent, -1.0) && exponent.shape().is_scalar()) return reciprocal(base);
  return binary(Op::pow, base, exponent, "pow");
}

Expression select(const Expression& condition, const Expression& if_true, const Expression& if_false) {
  return build::ternary(Op::select, condition, if_true, if_false, "select");
}

}  // namespace sgmcmc
