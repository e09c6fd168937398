// Gradient cases of the elementwise operations: every function, in every mix of shapes, of parameters and row data.
#include "graph/build.hpp"
#include "reference/gradient_cases.hpp"

#include <initializer_list>

namespace sgmcmc::reference {

/// Six values inside a function's domain, well away from its kinks.
using Domain = std::vector<double>;
static const Domain real_line{-1.7, -0.6, 0.35, 1.2, 2.3, -2.8};
static const Domain real_line_too{0.7, -1.1, 1.9, -0.25, 0.5, -2.1};
static const Domain inside_one{-0.8, -0.35, 0.2, 0.55, 0.75, -0.6};
static const Domain positive{0.3, 0.9, 1.6, 2.4, 3.3, 0.12};
static const Domain positive_too{1.3, 0.4, 2.2, 0.7, 0.25, 1.85};
static const Domain negative{-0.3, -0.9, -1.6, -2.4, -3.3, -0.12};
static const Domain above_one{1.3, 1.9, 2.6, 3.4, 4.3, 1.12};
static const Domain probability{0.1, 0.3, 0.55, 0.75, 0.9, 0.42};

static Domain three(const Domain& domain) { return {domain[1], domain[2], domain[0]}; }

using Unary = std::function<Expression(const Expression&)>;
using Binary = std::function<Expression(const Expression&, const Expression&)>;

static GradientCase unary_case(const std::string& name, const Unary& f, const Domain& domain,
                               const std::vector<double>& edges = {}, const std::vector<double>& extremes = {},
                               bool twice = true) {
  GradientCase made{name, {}, twice};
  const auto form = [&](const char* form_name, std::function<Expression(Parameters&, const Columns&)> function) {
    made.forms.push_back({form_name, std::move(function)});
  };
  form("scalar", [=](Parameters& p, const Columns&) { return probe(f(p.scalar(domain[3]))); });
  form("vector", [=](Parameters& p, const Columns&) { return probe(f(p.vector(domain))); });
  form("matrix", [=](Parameters& p, const Columns&) { return probe(f(p.make(domain, Shape{2, 3}))); });
  form("per-row vector",
       [=](Parameters& p, const Columns& c) { return probe(f(p.vector(three(domain)) + 0.03 * c.z)); });
  form("per-row scalar", [=](Parameters& p, const Columns& c) { return probe(f(p.scalar(domain[1]) + 0.03 * c.x)); });
  form("global result times row data",
       [=](Parameters& p, const Columns& c) { return probe(f(p.vector(three(domain))) * c.z); });
  form("of row data only",
       [=](Parameters& p, const Columns& c) { return probe(f(constant(three(domain)) + 0.03 * c.z) * p.scalar(0.8)); });
  form("square", [=](Parameters& p, const Columns& c) {
    const auto y = f(p.scalar(domain[2]) + 0.02 * c.x);
    return probe(y * y);
  });
  for (const double edge : edges) {
    form("edge", [=](Parameters& p, const Columns&) { return probe(f(p.scalar(edge))); });
  }
  for (const double extreme : extremes) {
    form("extreme", [=](Parameters& p, const Columns&) { return probe(f(p.scalar(extreme))); });
    made.forms.back().differences = false;
  }
  return made;
}

std::vector<GradientCase> unary_cases() {
#define SGMCMC_CASE(name, ...) \
  unary_case(                  \
      #name, [](const Expression& x) { return name(x); }, __VA_ARGS__)
  return {
      unary_case(
          "negate", [](const Expression& x) { return -x; }, real_line),
      SGMCMC_CASE(exp, real_line, {-30.0, 30.0}, {-700.0, 700.0}),
      SGMCMC_CASE(log, positive, {0.02, 1e9}, {1e-300, 1e300}),
      SGMCMC_CASE(log1p, positive, {-0.9}, {-0.999999, 1e-12, 1e300}),
      SGMCMC_CASE(expm1, real_line, {-30.0, 30.0}, {1e-12, 700.0}),
      SGMCMC_CASE(logistic, real_line, {-40.0, -5.0, 5.0}, {-800.0, 40.0, 800.0}),
      SGMCMC_CASE(logit, probability, {0.02, 0.98}, {1e-300, 1e-9, 1 - 1e-9}),
      SGMCMC_CASE(log_logistic, real_line, {-1000.0, -40.0, 30.0}, {-1e300, 700.0, 1e300}),
      SGMCMC_CASE(log1p_exp, real_line, {1000.0, 40.0, -30.0}, {1e300, -700.0, -1e300}),
      SGMCMC_CASE(log1m, probability, {-20.0, 0.9}, {0.999999, 1e-12}),
      SGMCMC_CASE(log1m_exp, negative, {-0.05, -0.6931, -0.6932, -30.0}, {-1e-9, -700.0, -1e300}),
      SGMCMC_CASE(tanh, real_line, {-3.0}, {1e-12, 400.0}),
      SGMCMC_CASE(sinh, real_line, {30.0}, {1e-12}),
      SGMCMC_CASE(cosh, real_line, {30.0}, {1e-12}),
      SGMCMC_CASE(sin, real_line, {10.0}, {1e-12}),
      SGMCMC_CASE(cos, real_line, {10.0}, {1e-12}),
      SGMCMC_CASE(tan, real_line, {1.4}, {1e-12}),
      SGMCMC_CASE(asin, inside_one, {0.95}, {0.999999, 1e-12}),
      SGMCMC_CASE(acos, inside_one, {-0.95}, {-0.999999, 1e-12}),
      SGMCMC_CASE(atan, real_line, {1e3}, {1e-12, 1e100}),
      SGMCMC_CASE(sqrt, positive, {0.02, 1e9}, {1e-300, 1e300}),
      SGMCMC_CASE(square, real_line, {0.0, -1e5}, {1e-150}),
      SGMCMC_CASE(reciprocal, real_line, {0.02, -1e6}, {1e-100, 1e100}),
      SGMCMC_CASE(abs, real_line, {-0.02, 0.02}, {-1e-300, 1e-300}),
      SGMCMC_CASE(sign, real_line, {-0.02, 0.02}),
      SGMCMC_CASE(floor, real_line, {-0.05, 2.85}),
      SGMCMC_CASE(ceil, real_line, {-0.05, 2.85}),
      SGMCMC_CASE(round, real_line, {0.48, -0.52}),
      SGMCMC_CASE(lgamma, positive, {0.02, 0.99, 2.01, 1e6}, {1e-12, 1e15}),
      SGMCMC_CASE(digamma, positive, {0.02, 1e4}, {1e-9, 1e15}),
      SGMCMC_CASE(trigamma, positive, {0.05, 1e3}, {1e-4}, false),
      SGMCMC_CASE(erf, real_line, {2.0}, {1e-12, 5.0}),
      SGMCMC_CASE(erfc, real_line, {-2.0, 10.0}, {-5.0, 1e-12}),
      SGMCMC_CASE(Phi, real_line, {-20.0, -5.0, 2.0}, {6.0}),
      SGMCMC_CASE(log_Phi, real_line, {-1000.0, -40.0, -5.001, -4.999, 3.0}, {-1e100, -1e10, -1e5, 20.0}),
      SGMCMC_CASE(inv_Phi, probability, {0.02, 0.97}, {1e-12}),
      SGMCMC_CASE(Phi_approx, real_line, {-5.0}),
      SGMCMC_CASE(asinh, real_line, {30.0}, {1e-12, -1e9}),
      SGMCMC_CASE(acosh, above_one, {30.0}, {1 + 1e-6, 1e9}),
      SGMCMC_CASE(atanh, inside_one, {0.95}, {1e-12, -0.9999}),
      SGMCMC_CASE(cbrt, real_line, {0.02, -1e6}, {1e-30}),
      SGMCMC_CASE(exp2, real_line, {-30.0, 30.0}),
      SGMCMC_CASE(log2, positive, {0.02}),
      SGMCMC_CASE(log10, positive, {0.02}),
      SGMCMC_CASE(inv, real_line, {0.02}),
      SGMCMC_CASE(inv_sqrt, positive, {0.02}),
      SGMCMC_CASE(inv_square, real_line, {0.05}),
      SGMCMC_CASE(inv_cloglog, real_line, {-20.0, 3.0}),
      SGMCMC_CASE(log_inv_logit, real_line),
      SGMCMC_CASE(log1m_inv_logit, real_line, {-30.0}, {700.0}),
      SGMCMC_CASE(tgamma, positive, {0.05, 12.0, -1.5, -0.4}),
      SGMCMC_CASE(lambert_w0, positive, {-0.2, 30.0}, {1e-9}),
      SGMCMC_CASE(trunc, real_line, {-0.05, 2.85}),
      SGMCMC_CASE(step, real_line),
      SGMCMC_CASE(int_step, real_line),
  };
#undef SGMCMC_CASE
}

/// Special functions, in fewer forms, because their references are integrals or long expressions and slow.
static GradientCase special_case(const std::string& name, const Binary& f, const Domain& left, const Domain& right,
                                 bool twice = true) {
  GradientCase made{name, {}, twice};
  const auto form = [&](const char* form_name, std::function<Expression(Parameters&, const Columns&)> function) {
    made.forms.push_back({form_name, std::move(function)});
  };
  form("vector, vector", [=](Parameters& p, const Columns&) {
    const auto a = p.vector(left);
    return probe(f(a, p.vector(right)));
  });
  form("scalar, vector", [=](Parameters& p, const Columns&) {
    const auto a = p.scalar(left[2]);
    return probe(f(a, p.vector(three(right))));
  });
  form("vector, scalar", [=](Parameters& p, const Columns&) {
    const auto a = p.vector(three(left));
    return probe(f(a, p.scalar(right[2])));
  });
  form("row data, scalar",
       [=](Parameters& p, const Columns& c) { return probe(f(left[3] + 0.03 * c.x, p.scalar(right[0]))); });
  form("scalar, row data",
       [=](Parameters& p, const Columns& c) { return probe(f(p.scalar(left[4]), right[1] + 0.03 * c.x)); });
  return made;
}

std::vector<GradientCase> special_cases() {
  using E = const Expression&;
  const auto binary = [](Op op) { return [op](E a, E b) { return build::binary(op, a, b, op_name(op)); }; };
  const auto in_x = [](const Unary& f) { return [f](E x, E scale) { return scale * f(x); }; };
  std::vector<GradientCase> cases{
      special_case(
          "lbeta", [](E a, E b) { return lbeta(a, b); }, positive, positive_too),
      special_case(
          "lchoose", [](E a, E b) { return lchoose(4.0 + a, b); }, positive, positive_too),
      special_case(
          "log_rising_factorial", [](E a, E b) { return log_rising_factorial(a, b); }, positive, positive_too),
      special_case(
          "log_falling_factorial", [](E a, E b) { return log_falling_factorial(3.0 + a, b); }, positive, positive_too),
      special_case(
          "factorials",
          [](E a, E b) {
            return falling_factorial(a, 3) + rising_factorial(b, 2) + rising_factorial(a, 1.5 + 0.0 * b) +
                   falling_factorial(2.0 + a, 0.5 * b) + falling_factorial(b, 0);
          },
          positive, positive_too),
      special_case(
          "lmgamma", [](E a, E b) { return b * lmgamma(3, 1.0 + a); }, positive, real_line),
      special_case(
          "owens_t", [](E a, E b) { return owens_t(a, b); }, real_line, real_line_too),
      special_case("log_gamma_p", binary(Op::log_gamma_p), positive, positive_too, false),
      special_case("log_gamma_q", binary(Op::log_gamma_q), positive, positive_too, false),
      special_case(
          "gamma_p", [](E a, E x) { return gamma_p(a, x); }, positive_too, positive, false),
      special_case(
          "gamma_q", [](E a, E x) { return gamma_q(a, x); }, positive_too, positive, false),
      special_case("gamma_p_in_x", in_x([](E x) { return gamma_p(1.7, x); }), positive, real_line),
      special_case("log_gamma_q_in_x", in_x([](E x) { return build::binary(Op::log_gamma_q, 0.6, x, "q"); }), positive,
                   real_line),
      special_case("log_student_t_cdf", binary(Op::log_student_t_cdf), real_line, positive, false),
      special_case("student_t_in_t", in_x([](E t) { return build::binary(Op::log_student_t_cdf, t, 2.5, "t"); }),
                   real_line, real_line_too),
      special_case(
          "inc_beta_shapes", [](E a, E b) { return inc_beta(a, b, 0.35); }, positive, positive_too, false),
      special_case(
          "inc_beta_mixed", [](E a, E x) { return inc_beta(a, 1.0 + a, x); }, positive, probability, false),
      special_case("inc_beta_in_x", in_x([](E x) { return inc_beta(1.7, 0.6, x); }), probability, real_line),
      special_case("log_bessel_i0", in_x([](E x) { return build::unary(Op::log_bessel_i0, x); }), positive, real_line),
  };
  for (const double order : {0.0, 2.0}) {
    const auto name = [order](const char* kind) { return std::string(kind) + (order == 0 ? "_0" : "_2"); };
    cases.push_back(special_case(name("bessel_first_kind"), in_x([=](E x) { return bessel_first_kind(order, x); }),
                                 positive, real_line));
    cases.push_back(special_case(name("bessel_second_kind"), in_x([=](E x) { return bessel_second_kind(order, x); }),
                                 above_one, real_line));
    cases.push_back(special_case(name("modified_bessel_first_kind"),
                                 in_x([=](E x) { return modified_bessel_first_kind(order, x); }), positive, real_line));
    cases.push_back(special_case(name("modified_bessel_second_kind"),
                                 in_x([=](E x) { return modified_bessel_second_kind(order, x); }), above_one,
                                 real_line));
  }
  return cases;
}

static GradientCase binary_case(const std::string& name, const Binary& f, const Domain& left, const Domain& right) {
  GradientCase made{name, {}, true};
  const auto form = [&](const char* form_name, std::function<Expression(Parameters&, const Columns&)> function) {
    made.forms.push_back({form_name, std::move(function)});
  };
  // Row data shifted into the domain; its values differ from row to row by a little.
  const auto rows = [](const Domain& domain, const Columns& c) { return constant(three(domain)) + 0.03 * c.z; };
  const auto rows_scalar = [](const Domain& domain, const Columns& c) { return domain[3] + 0.03 * c.x; };
  form("scalar, scalar", [=](Parameters& p, const Columns&) {
    const auto a = p.scalar(left[0]);
    return probe(f(a, p.scalar(right[1])));
  });
  form("vector, scalar", [=](Parameters& p, const Columns&) {
    const auto a = p.vector(left);
    return probe(f(a, p.scalar(right[2])));
  });
  form("scalar, vector", [=](Parameters& p, const Columns&) {
    const auto a = p.scalar(left[2]);
    return probe(f(a, p.vector(right)));
  });
  form("vector, vector", [=](Parameters& p, const Columns&) {
    const auto a = p.vector(left);
    return probe(f(a, p.vector(right)));
  });
  form("matrix, vector", [=](Parameters& p, const Columns&) {
    const auto a = p.make(left, Shape{2, 3});
    return probe(f(a, p.vector(three(right))));
  });
  form("vector, matrix", [=](Parameters& p, const Columns&) {
    const auto a = p.vector(three(left));
    return probe(f(a, p.make(right, Shape{2, 3})));
  });
  form("matrix, one column", [=](Parameters& p, const Columns&) {
    const auto a = p.make(left, Shape{2, 3});
    return probe(f(a, p.make({right[0], right[4]}, Shape{2, 1})));
  });
  form("one column, vector", [=](Parameters& p, const Columns&) {
    const auto a = p.make({left[0], left[4]}, Shape{2, 1});
    return probe(f(a, p.vector(three(right))));
  });
  form("row data, vector",
       [=](Parameters& p, const Columns& c) { return probe(f(rows(left, c), p.vector(three(right)))); });
  form("vector, row data",
       [=](Parameters& p, const Columns& c) { return probe(f(p.vector(three(left)), rows(right, c))); });
  form("row scalar, vector",
       [=](Parameters& p, const Columns& c) { return probe(f(rows_scalar(left, c), p.vector(three(right)))); });
  form("vector, row scalar",
       [=](Parameters& p, const Columns& c) { return probe(f(p.vector(three(left)), rows_scalar(right, c))); });
  form("scalar, row data",
       [=](Parameters& p, const Columns& c) { return probe(f(p.scalar(left[2]), rows(right, c))); });
  form("row data, scalar",
       [=](Parameters& p, const Columns& c) { return probe(f(rows(left, c), p.scalar(right[0]))); });
  form("matrix, row data", [=](Parameters& p, const Columns& c) {
    return probe(f(p.make(left, Shape{2, 3}), rows(right, c)));
  });
  form("both per-row with parameters", [=](Parameters& p, const Columns& c) {
    const auto a = p.vector(three(left)) + 0.03 * c.z;
    return probe(f(a, p.scalar(right[0]) + 0.02 * c.x));
  });
  form("global result in a per-row product", [=](Parameters& p, const Columns& c) {
    const auto a = p.vector(three(left));
    return probe(f(a, p.vector(three(right))) * c.z);
  });
  form("constant, vector", [=](Parameters& p, const Columns&) { return probe(f(constant(left), p.vector(right))); });
  form("vector, number", [=](Parameters& p, const Columns&) { return probe(f(p.vector(left), right[0])); });
  form("number, row scalar",
       [=](Parameters& p, const Columns& c) { return probe(f(left[1], rows_scalar(right, c)) * p.scalar(1.4)); });
  return made;
}

std::vector<GradientCase> binary_cases() {
#define SGMCMC_CASE(name, left, right) \
  binary_case(                         \
      #name, [](const Expression& a, const Expression& b) { return name(a, b); }, left, right)
#define SGMCMC_OPERATOR_CASE(name, symbol, left, right) \
  binary_case(                                          \
      #name, [](const Expression& a, const Expression& b) { return a symbol b; }, left, right)
  return {
      SGMCMC_OPERATOR_CASE(add, +, real_line, real_line_too),
      SGMCMC_OPERATOR_CASE(subtract, -, real_line, real_line_too),
      SGMCMC_OPERATOR_CASE(multiply, *, real_line, real_line_too),
      SGMCMC_OPERATOR_CASE(divide, /, real_line, positive_too),
      SGMCMC_CASE(pow, positive, real_line_too),
      SGMCMC_CASE(max, real_line, real_line_too),
      SGMCMC_CASE(min, real_line, real_line_too),
      SGMCMC_CASE(log_add_exp, real_line, real_line_too),
      binary_case(
          "log_diff_exp", [](const Expression& a, const Expression& b) { return log_diff_exp(3.5 + a, b); }, inside_one,
          real_line_too),
      SGMCMC_CASE(multiply_log, real_line, positive_too),
      SGMCMC_CASE(lmultiply, real_line, positive_too),
      SGMCMC_CASE(atan2, real_line, real_line_too),
      SGMCMC_CASE(hypot, real_line, real_line_too),
      SGMCMC_CASE(fdim, real_line, real_line_too),
      binary_case(
          "fmod", [](const Expression& a, const Expression& b) { return fmod(0.07 + a, b); }, real_line, positive_too),
      binary_case(
          "fma", [](const Expression& a, const Expression& b) { return fma(a, b, a); }, real_line, real_line_too),
      // Comparisons have no derivative; their factors do.
      binary_case(
          "less", [](const Expression& a, const Expression& b) { return (a < b) * a + b; }, real_line, real_line_too),
      binary_case(
          "less_equal", [](const Expression& a, const Expression& b) { return (a <= b) * a + b; }, real_line,
          real_line_too),
      binary_case(
          "greater", [](const Expression& a, const Expression& b) { return (a > b) * a + b; }, real_line,
          real_line_too),
      binary_case(
          "greater_equal", [](const Expression& a, const Expression& b) { return (a >= b) * a + b; }, real_line,
          real_line_too),
      binary_case(
          "equal", [](const Expression& a, const Expression& b) { return equal(a, b) * a + a * b; }, real_line,
          real_line_too),
      binary_case(
          "not_equal", [](const Expression& a, const Expression& b) { return not_equal(a, b) * a * b; }, real_line,
          real_line_too),
      binary_case(
          "select", [](const Expression& a, const Expression& b) { return select(a < b, exp(0.3 * a), square(b)); },
          real_line, real_line_too),
  };
#undef SGMCMC_CASE
#undef SGMCMC_OPERATOR_CASE
}

}  // namespace sgmcmc::reference
