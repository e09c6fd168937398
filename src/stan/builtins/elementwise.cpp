// Applies functions element by element.
#include "stan/builtins/elementwise.hpp"

#include "stan/builtins/number_program.hpp"

#include <algorithm>
#include <memory>

namespace sgmcmc::stan {
namespace {

/// The argument whose type and sizes the result has: the first container, or a scalar.
const Operand& shape_giver(const BuiltinCall& call) {
  for (const auto& argument : call.arguments)
    if (!argument.dims.empty()) return argument;
  return call[0];
}

/// A container of an int type and one of a real type have equal sizes.
const Operand& checked_shape_giver(const BuiltinCall& call) {
  const Operand& giver = shape_giver(call);
  for (const auto& argument : call.arguments) require_same_dims(call, giver, argument);
  return giver;
}

}  // namespace

Operand apply_elementwise(NumberFunction1 numbers, SymbolFunction1 symbols, const Operand& x) {
  const Type type = with_real_elements(x.type);
  if (!x.is_data()) return {type, x.dims, {}, symbols(x.symbol)};
  std::vector<double> values(x.numbers.size());
  std::transform(x.numbers.begin(), x.numbers.end(), values.begin(), numbers);
  return {type, x.dims, std::move(values), {}};
}

Operand apply_elementwise(const BuiltinCall& call, NumberFunction2 numbers, SymbolFunction2 symbols) {
  const Operand& a = call[0];
  const Operand& b = call[1];
  if (a.is_data() && b.is_data() && a.dims.empty() && b.dims.empty())
    return real_operand(numbers(a.numbers[0], b.numbers[0]));
  const Operand& giver = checked_shape_giver(call);
  Operand result{with_real_elements(giver.type), giver.dims, {}, {}};
  if (giver.size() == 0) return result;
  if (!a.is_data() || !b.is_data()) {
    result.symbol = symbols(as_expression(a), as_expression(b));
    return result;
  }
  const std::size_t step_a = a.dims.empty() ? 0 : 1;
  const std::size_t step_b = b.dims.empty() ? 0 : 1;
  result.numbers.resize(static_cast<std::size_t>(giver.size()));
  for (std::size_t i = 0; i < result.numbers.size(); ++i)
    result.numbers[i] = numbers(a.numbers[i * step_a], b.numbers[i * step_b]);
  return result;
}

namespace {

/// A function without a separate implementation for numbers.
Builtin& add_traced(Table& table, std::string name, std::initializer_list<std::string_view> signatures,
                    NumberProgram::Function function, std::size_t arguments) {
  const auto program = std::make_shared<const NumberProgram>(function, arguments);
  Builtin& entry = table.add(std::move(name), signatures, [function, program](const BuiltinCall& call) {
    const Operand& giver = checked_shape_giver(call);
    Operand result{with_real_elements(giver.type), giver.dims, {}, {}};
    if (giver.size() == 0) return result;
    if (all_data(call.arguments)) {
      std::vector<std::span<const double>> numbers;
      for (const auto& argument : call.arguments) numbers.emplace_back(argument.numbers);
      result.numbers.resize(static_cast<std::size_t>(giver.size()));
      program->evaluate(numbers, result.numbers);
    } else {
      std::vector<Expression> symbols;
      for (const auto& argument : call.arguments) symbols.push_back(as_expression(argument));
      result.symbol = function(symbols);
    }
    return result;
  });
  entry.elementwise = true;
  return entry;
}

}  // namespace

Builtin& add_symbolic(Table& table, std::string name, SymbolFunction2 function,
                      std::initializer_list<std::string_view> signatures) {
  return add_traced(
      table, std::move(name), signatures, [function](std::span<const Expression> x) { return function(x[0], x[1]); },
      2);
}

Builtin& add_symbolic(Table& table, std::string name, SymbolFunction3 function,
                      std::initializer_list<std::string_view> signatures) {
  return add_traced(
      table, std::move(name), signatures,
      [function](std::span<const Expression> x) { return function(x[0], x[1], x[2]); }, 3);
}

}  // namespace sgmcmc::stan
