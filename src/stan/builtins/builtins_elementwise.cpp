// Elementary functions, element by element.
#include "stan/builtins/elementwise.hpp"

#include <sgmcmc/expression.hpp>

#include <cmath>
#include <numbers>

namespace sgmcmc::stan {
namespace {

void add_constant(Table& table, const char* name, double value) {
  table.add(name, {"(): real"}, [value](const BuiltinCall&) { return real_operand(value); });
}

/// A constant without arguments, a function with one: log2() is log(2), log2(8) is 3.
template <class Function>
void add_constant_and_function(Table& table, const char* name, double value, Function) {
  Builtin& entry = table.add(name, {"(): real", "(T): T"}, [value](const BuiltinCall& call) {
    if (call.size() == 0) return real_operand(value);
    return apply_elementwise([](double x) -> double { return Function{}(x); },
                             [](const Expression& x) -> Expression { return Function{}(x); }, call[0]);
  });
  entry.elementwise = true;
}

/// A predicate on a number, returned as an int.
template <class Function>
void add_question(Table& table, const char* name, Function) {
  table.add(name, {"(real): int"}, [](const BuiltinCall& call) {
    if (call[0].is_data()) return integer_operand(Function{}(call[0].numbers[0]) != 0 ? 1 : 0);
    return symbol_operand({Base::integer, 0}, Function{}(call[0].symbol));
  });
}

}  // namespace

// A lambda that calls the function of this name on numbers or on expressions, by overload resolution.
#define SGMCMC_SAME_NAME(name) \
  [](const auto& x) {          \
    using namespace numbers;   \
    return name(x);            \
  }
#define SGMCMC_ONE(name) add_one(table, #name, SGMCMC_SAME_NAME(name))
#define SGMCMC_SAME_NAME_TWO(name)   \
  [](const auto& a, const auto& b) { \
    using namespace numbers;         \
    return name(a, b);               \
  }
#define SGMCMC_TWO(name) add_two(table, #name, SGMCMC_SAME_NAME_TWO(name))

void add_elementwise(Table& table) {
  add_constant(table, "pi", std::numbers::pi);
  add_constant(table, "e", std::numbers::e);
  add_constant(table, "sqrt2", std::numbers::sqrt2);
  add_constant(table, "not_a_number", numbers::not_a_number);
  add_constant(table, "positive_infinity", numbers::infinity);
  add_constant(table, "negative_infinity", -numbers::infinity);
  add_constant(table, "machine_precision", std::numeric_limits<double>::epsilon());
  add_constant_and_function(table, "log2", std::numbers::ln2, SGMCMC_SAME_NAME(log2));
  add_constant_and_function(table, "log10", std::numbers::ln10, SGMCMC_SAME_NAME(log10));

  SGMCMC_ONE(exp);
  SGMCMC_ONE(log);
  SGMCMC_ONE(log1p);
  SGMCMC_ONE(expm1);
  SGMCMC_ONE(exp2);
  SGMCMC_ONE(sqrt);
  SGMCMC_ONE(cbrt);
  SGMCMC_ONE(square);
  SGMCMC_ONE(inv);
  SGMCMC_ONE(inv_sqrt);
  SGMCMC_ONE(inv_square);
  SGMCMC_ONE(floor);
  SGMCMC_ONE(ceil);
  SGMCMC_ONE(round);
  SGMCMC_ONE(trunc);
  SGMCMC_ONE(step);
  SGMCMC_ONE(sin);
  SGMCMC_ONE(cos);
  SGMCMC_ONE(tan);
  SGMCMC_ONE(asin);
  SGMCMC_ONE(acos);
  SGMCMC_ONE(atan);
  SGMCMC_ONE(sinh);
  SGMCMC_ONE(cosh);
  SGMCMC_ONE(tanh);
  SGMCMC_ONE(asinh);
  SGMCMC_ONE(acosh);
  SGMCMC_ONE(atanh);
  SGMCMC_ONE(logit);
  SGMCMC_ONE(log_inv_logit);
  SGMCMC_ONE(log1m_inv_logit);
  SGMCMC_ONE(log1p_exp);
  SGMCMC_ONE(log1m);
  SGMCMC_ONE(log1m_exp);
  SGMCMC_ONE(inv_cloglog);
  add_one(table, "inv_logit", SGMCMC_SAME_NAME(logistic));
  add_one(table, "fabs", SGMCMC_SAME_NAME(abs));

  SGMCMC_TWO(hypot);
  SGMCMC_TWO(atan2);
  SGMCMC_TWO(fdim);
  SGMCMC_TWO(fmod);
  SGMCMC_TWO(lmultiply);
  SGMCMC_TWO(multiply_log);
  SGMCMC_TWO(log_diff_exp);
  add_two(table, "fmin", SGMCMC_SAME_NAME_TWO(min));
  add_two(table, "fmax", SGMCMC_SAME_NAME_TWO(max));
  add_two(table, "log_inv_logit_diff", [](const auto& a, const auto& b) {
    using namespace numbers;
    return a + log1m_exp(b - a) - log1p_exp(a) - log1p_exp(b);
  });
  add_symbolic(table, "fma", fma);

  add_question(table, "is_nan", [](const auto& x) {
    using namespace numbers;
    return not_equal(x, x);
  });
  add_question(table, "is_inf", [](const auto& x) {
    using namespace numbers;
    return equal(abs(x), infinity);
  });
  add_question(table, "int_step", [](const auto& x) { return x > 0.0; });
}

}  // namespace sgmcmc::stan
