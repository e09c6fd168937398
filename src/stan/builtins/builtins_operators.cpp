// Elementwise operators, comparisons and logic, under the names of Stan's functions.
#include "stan/builtins/elementwise.hpp"

#include <sgmcmc/expression.hpp>

#include <cmath>

namespace sgmcmc::stan {
namespace {

bool both_integers(const BuiltinCall& call) { return call[0].type == integer_type && call[1].type == integer_type; }

Operand integer_result(const BuiltinCall& call, double value) {
  return {integer_type, {}, {checked_integer(call, value)}, {}};
}

/// Arithmetic: ints stay ints.
template <class Function>
void add_arithmetic(Table& table, const char* name, const char* label,
                    std::initializer_list<std::string_view> signatures, Function) {
  Builtin& entry = table.add(name, signatures, [](const BuiltinCall& call) {
    if (!both_integers(call)) return apply_two(call, Function{});
    if (call[0].is_data() && call[1].is_data())
      return integer_result(call, Function{}(call[0].numbers[0], call[1].numbers[0]));
    return symbol_operand(integer_type, Function{}(as_expression(call[0]), as_expression(call[1])));
  });
  entry.elementwise = true;
  entry.label = label;
}

/// Integer division, rounding towards zero.
Operand integer_quotient(const BuiltinCall& call) {
  if (call[0].is_data() && call[1].is_data()) {
    if (call[1].numbers[0] == 0) refuse(call, "an int is divided by 0");
    return integer_result(call, std::trunc(call[0].numbers[0] / call[1].numbers[0]));
  }
  return symbol_operand(integer_type, trunc(as_expression(call[0]) / as_expression(call[1])));
}

Operand integer_remainder(const BuiltinCall& call) {
  if (call[0].is_data() && call[1].is_data()) {
    if (call[1].numbers[0] == 0) refuse(call, "an int is divided by 0");
    return integer_result(call, std::fmod(call[0].numbers[0], call[1].numbers[0]));
  }
  const Expression a = as_expression(call[0]);
  const Expression b = as_expression(call[1]);
  return symbol_operand(integer_type, a - b * trunc(a / b));
}

Operand divide(const BuiltinCall& call) {
  if (both_integers(call)) return integer_quotient(call);
  if (call[1].type == Type{Base::matrix, 0}) {
    const auto columns = call[0].dims.back();
    if (call[1].dims[0] != columns || call[1].dims[1] != columns)
      refuse(call, shape_text(call[0]) + " cannot be divided by " + shape_text(call[1]));
    const Expression a = as_expression(call[0]);
    return symbol_operand(call[0].type, call[0].dims, mdivide_right(a, as_expression(call[1])));
  }
  return apply_two(call, [](const auto& a, const auto& b) { return a / b; });
}

template <class Function>
void add_comparison(Table& table, const char* name, const char* label, Function) {
  Builtin& entry = table.add(name, {"(real, real): int"}, [](const BuiltinCall& call) {
    if (call[0].is_data() && call[1].is_data())
      return integer_operand(Function{}(call[0].numbers[0], call[1].numbers[0]) != 0 ? 1 : 0);
    return symbol_operand(integer_type, Function{}(as_expression(call[0]), as_expression(call[1])));
  });
  entry.elementwise = true;
  entry.label = label;
}

Operand negated(const BuiltinCall& call) {
  Operand result = apply_elementwise([](double x) { return -x; }, [](const Expression& x) { return -x; }, call[0]);
  result.type = call[0].type;
  return result;
}

}  // namespace

void add_operators(Table& table) {
  add_arithmetic(table, "add", "operator +", {"(int, int): int", "(L, L): L"},
                 [](const auto& a, const auto& b) { return a + b; });
  add_arithmetic(table, "subtract", "operator -", {"(int, int): int", "(L, L): L"},
                 [](const auto& a, const auto& b) { return a - b; });
  add_arithmetic(table, "elt_multiply", "operator .*", {"(int, int): int", "(L, L): L"},
                 [](const auto& a, const auto& b) { return a * b; });
  Builtin& elementwise_quotient =
      table.add("elt_divide", {"(int, int): int", "(L, L): L"}, [](const BuiltinCall& call) {
        if (both_integers(call)) return integer_quotient(call);
        return apply_two(call, [](const auto& a, const auto& b) { return a / b; });
      });
  elementwise_quotient.elementwise = true;
  elementwise_quotient.label = "operator ./";
  table
      .add("divide",
           {"(int, int): int", "(L, real): L", "(row_vector, matrix): row_vector", "(matrix, matrix): matrix"}, divide)
      .label = "operator /";
  table.add("int_divide", {"(int, int): int"}, integer_quotient).label = "operator %/%";
  table.add("modulus", {"(int, int): int"}, integer_remainder).label = "operator %";
  const auto power = [](const auto& a, const auto& b) {
    using namespace numbers;
    return pow(a, b);
  };
  add_two(table, "pow", power);
  add_two(table, "elt_pow", power).label = "operator .^";

  Builtin& minus = table.add("minus", {"(int): int", "(L): L"}, negated);
  minus.elementwise = true;
  minus.label = "operator -";
  table.add("plus", {"(int): int", "(L): L"}, [](const BuiltinCall& call) { return call[0]; }).elementwise = true;

  add_comparison(table, "logical_eq", "operator ==", [](const auto& a, const auto& b) {
    using namespace numbers;
    return equal(a, b);
  });
  add_comparison(table, "logical_neq", "operator !=", [](const auto& a, const auto& b) {
    using namespace numbers;
    return not_equal(a, b);
  });
  add_comparison(table, "logical_lt", "operator <", [](const auto& a, const auto& b) { return a < b; });
  add_comparison(table, "logical_lte", "operator <=", [](const auto& a, const auto& b) { return a <= b; });
  add_comparison(table, "logical_gt", "operator >", [](const auto& a, const auto& b) { return a > b; });
  add_comparison(table, "logical_gte", "operator >=", [](const auto& a, const auto& b) { return a >= b; });
  add_comparison(table, "logical_and", "operator &&", [](const auto& a, const auto& b) {
    using namespace numbers;
    return not_equal(a, 0.0) * not_equal(b, 0.0);
  });
  add_comparison(table, "logical_or", "operator ||", [](const auto& a, const auto& b) {
    using namespace numbers;
    return 0.0 < not_equal(a, 0.0) + not_equal(b, 0.0);
  });
  Builtin& negation = table.add("logical_negation", {"(real): int"}, [](const BuiltinCall& call) {
    if (call[0].is_data()) return integer_operand(call[0].numbers[0] == 0 ? 1 : 0);
    return symbol_operand(integer_type, equal(call[0].symbol, 0.0));
  });
  negation.elementwise = true;
  negation.label = "operator !";
}

}  // namespace sgmcmc::stan
