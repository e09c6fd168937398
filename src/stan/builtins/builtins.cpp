// Applies a built-in function by name.
#include "stan/builtins/builtins.hpp"

#include "stan/builtins/operands.hpp"
#include "stan/builtins/table.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgmcmc::stan {

std::int64_t Operand::size() const {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

Operand real_operand(double value) { return {{Base::real, 0}, {}, {value}, {}}; }
Operand integer_operand(std::int64_t value) { return {{Base::integer, 0}, {}, {static_cast<double>(value)}, {}}; }
Operand symbol_operand(Type type, Expression symbol) {
  Dimensions dims = symbol.shape().dims();
  return {type, std::move(dims), {}, std::move(symbol)};
}

Operand numbers_operand(Type type, Dimensions dims, std::vector<double> numbers) {
  return {type, std::move(dims), std::move(numbers), {}};
}
Operand symbol_operand(Type type, Dimensions dims, const Expression& symbol) {
  Shape shape(dims);
  return {type, std::move(dims), {}, symbol.shape() == shape ? symbol : reshape(symbol, std::move(shape))};
}
Operand vector_operand(std::vector<double> numbers) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return {{Base::vector, 0}, {size}, std::move(numbers), {}};
}

Expression as_expression(const Operand& operand) {
  return operand.is_data() ? constant(operand.numbers, Shape(operand.dims)) : operand.symbol;
}

void refuse(const BuiltinCall& call, const std::string& message, std::string help) {
  throw ArgumentError{std::string(call.name) + ": " + message, std::move(help)};
}

bool all_data(std::span<const Operand> operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Operand& operand) { return operand.is_data(); });
}

std::string shape_text(const Operand& operand) {
  if (operand.dims.empty()) return "a scalar";
  if (operand.type == Type{Base::matrix, 0})
    return "a " + std::to_string(operand.dims[0]) + " x " + std::to_string(operand.dims[1]) + " matrix";
  std::string sizes;
  for (const auto dim : operand.dims) sizes += (sizes.empty() ? "" : " x ") + std::to_string(dim);
  const bool one = operand.dims.size() == 1;
  return (operand.type.array_rank > 0 ? "an " : "a ") + operand.type.to_string() + " of " +
         (one ? sizes + (operand.dims[0] == 1 ? " element" : " elements") : "sizes " + sizes);
}

std::int64_t integer_argument(const BuiltinCall& call, std::size_t i, const char* what) {
  if (!call[i].is_data())
    refuse(call, std::string("the ") + what + " depends on parameters or on the row; it must depend on data only");
  return static_cast<std::int64_t>(call[i].numbers[0]);
}

std::int64_t size_argument(const BuiltinCall& call, std::size_t i, const char* what) {
  const std::int64_t size = integer_argument(call, i, what);
  if (size < 0) refuse(call, std::string("the ") + what + " is " + std::to_string(size) + ", must not be negative");
  return size;
}

double checked_integer(const BuiltinCall& call, double value) {
  if (!(std::fabs(value) <= 2147483647.0))
    refuse(call, "the result does not fit into an int, which has 32 bits",
           "make one of the operands a real: write 1.0 * n");
  return value;
}

Operand pick(const Operand& x, Type type, Dimensions dims, Positions positions) {
  if (!x.is_data()) {
    Shape shape(dims);
    return {type, std::move(dims), {}, take(x.symbol, std::move(positions), std::move(shape))};
  }
  std::vector<double> numbers(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    numbers[i] = positions[i] < 0 ? 0.0 : x.numbers[static_cast<std::size_t>(positions[i])];
  return numbers_operand(type, std::move(dims), std::move(numbers));
}

Operand retyped(const Operand& x, Type type, Dimensions dims) {
  if (!x.is_data()) return symbol_operand(type, std::move(dims), x.symbol);
  return numbers_operand(type, std::move(dims), x.numbers);
}

Operand joined(const Operand& a, const Operand& b) {
  const Type type{a.type.is_integer() && b.type.is_integer() ? Base::integer : Base::real, 1};
  const std::int64_t size = a.size() + b.size();
  if (a.is_data() && b.is_data()) {
    std::vector<double> numbers = a.numbers;
    numbers.insert(numbers.end(), b.numbers.begin(), b.numbers.end());
    return numbers_operand(type, {size}, std::move(numbers));
  }
  const auto one_axis = [](const Operand& x) { return reshape(as_expression(x), Shape{x.size()}); };
  if (a.size() == 0) return symbol_operand(type, {size}, one_axis(b));
  if (b.size() == 0) return symbol_operand(type, {size}, one_axis(a));
  return symbol_operand(type, {size}, concatenate({one_axis(a), one_axis(b)}));
}

Expression flat(const Operand& operand) {
  if (operand.dims.size() <= 1) return as_expression(operand);
  if (operand.is_data()) return constant(operand.numbers);
  return reshape(operand.symbol, Shape{operand.size()});
}

void require_same_dims(const BuiltinCall& call, const Operand& a, const Operand& b) {
  if (a.dims.empty() || b.dims.empty() || a.dims == b.dims) return;
  refuse(call, "the sizes differ: " + shape_text(a) + " and " + shape_text(b));
}

Operand apply_builtin(std::string_view function, std::span<const Operand> arguments) {
  const Builtin* builtin = table().find(function);
  if (builtin == nullptr || !builtin->apply)
    throw ArgumentError{"there is no function named " + std::string(function), {}};
  const BuiltinCall call{builtin->label, arguments};
  const bool data = all_data(arguments);
  if (builtin->data_only && !data)
    refuse(call, "works on data only, but an argument depends on parameters or on the row",
           "compute it in transformed data");
  if (builtin->checks_data) check_domains(*builtin, call);
  try {
    Operand result = builtin->apply(call);
    if (data && !result.is_data()) {
      result.numbers = evaluate_constant(result.symbol);
      result.symbol = Expression();
    }
    return result;
  } catch (const Error& error) {  // invalid shapes of expressions
    throw ArgumentError{error.what(), {}};
  }
}

Operand apply_rng(std::string_view function, std::span<const Operand> arguments, UniformSource& uniform) {
  const Builtin* builtin = table().find(function);
  if (builtin == nullptr || !builtin->draw)
    throw ArgumentError{"there is no random number generator named " + std::string(function), {}};
  const BuiltinCall call{builtin->label, arguments};
  if (!all_data(arguments)) refuse(call, "its arguments must be numbers");
  check_domains(*builtin, call);
  return builtin->draw(call, uniform);
}

bool is_elementwise(std::string_view function) {
  const Builtin* builtin = table().find(function);
  return builtin != nullptr && builtin->elementwise;
}

std::vector<int> outcome_ranks(std::string_view density) {
  const Builtin* builtin = table().find(density);
  return builtin == nullptr ? std::vector<int>{} : builtin->outcome_ranks;
}

}  // namespace sgmcmc::stan
