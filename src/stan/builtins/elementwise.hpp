// Elementwise functions: one body serves numbers and expressions.
#pragma once

#include "stan/builtins/numbers.hpp"
#include "stan/builtins/operands.hpp"

#include <string>

namespace sgmcmc::stan {

using NumberFunction1 = double (*)(double);
using NumberFunction2 = double (*)(double, double);
using SymbolFunction1 = Expression (*)(const Expression&);
using SymbolFunction2 = Expression (*)(const Expression&, const Expression&);
using SymbolFunction3 = Expression (*)(const Expression&, const Expression&, const Expression&);

Operand apply_elementwise(NumberFunction1 numbers, SymbolFunction1 symbols, const Operand& x);
Operand apply_elementwise(const BuiltinCall& call, NumberFunction2 numbers, SymbolFunction2 symbols);

inline constexpr std::string_view one_of_each = "(T): T";
inline constexpr std::string_view two_of_each = "(T, T): T";
inline constexpr std::string_view three_of_each = "(T, T, T): T";

/// `function` is a lambda without captures that takes double or Expression.
template <class Function>
Builtin& add_one(Table& table, std::string name, Function,
                 std::initializer_list<std::string_view> signatures = {one_of_each}) {
  Builtin& entry = table.add(std::move(name), signatures, [](const BuiltinCall& call) {
    return apply_elementwise([](double x) -> double { return Function{}(x); },
                             [](const Expression& x) -> Expression { return Function{}(x); }, call[0]);
  });
  entry.elementwise = true;
  return entry;
}
/// The same for two arguments, as part of a function that does more.
template <class Function>
Operand apply_two(const BuiltinCall& call, Function) {
  return apply_elementwise(
      call, [](double a, double b) -> double { return Function{}(a, b); },
      [](const Expression& a, const Expression& b) -> Expression { return Function{}(a, b); });
}
template <class Function>
Builtin& add_two(Table& table, std::string name, Function,
                 std::initializer_list<std::string_view> signatures = {two_of_each}) {
  Builtin& entry =
      table.add(std::move(name), signatures, [](const BuiltinCall& call) { return apply_two(call, Function{}); });
  entry.elementwise = true;
  return entry;
}
/// Functions whose numeric version is traced from the version for expressions.
Builtin& add_symbolic(Table& table, std::string name, SymbolFunction2 function,
                      std::initializer_list<std::string_view> signatures = {two_of_each});
Builtin& add_symbolic(Table& table, std::string name, SymbolFunction3 function,
                      std::initializer_list<std::string_view> signatures = {three_of_each});

}  // namespace sgmcmc::stan
