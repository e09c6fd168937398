// Functions of ints that give ints.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

double choose(const BuiltinCall& call, double total, double chosen) {
  if (chosen > total) return 0;
  if (total < 0 || chosen < 0) refuse(call, "its arguments must not be negative");
  const double least = std::min(chosen, total - chosen);
  double result = 1;
  for (double k = 1; k <= least && result < 1e15; ++k) result = std::round(result * (total - least + k) / k);
  return result;
}

/// Element by element on ints and arrays of them.
Operand choose_of(const BuiltinCall& call) {
  const Operand& a = call[0];
  const Operand& b = call[1];
  require_same_dims(call, a, b);
  const Operand& shape = a.dims.empty() ? b : a;
  Operand result{shape.type, shape.dims, {}, {}};
  if (!a.is_data() || !b.is_data()) {
    result.symbol = round(exp(lchoose(as_expression(a), as_expression(b))));
    return result;
  }
  result.numbers.resize(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    const double value = choose(call, a.numbers[a.dims.empty() ? 0 : i], b.numbers[b.dims.empty() ? 0 : i]);
    result.numbers[i] = checked_integer(call, value);
  }
  return result;
}

Operand absolute(const BuiltinCall& call) {
  const Operand& x = call[0];
  Operand result{x.type, x.dims, {}, {}};
  if (!x.is_data()) {
    result.symbol = abs(x.symbol);
    return result;
  }
  result.numbers.resize(x.numbers.size());
  std::transform(x.numbers.begin(), x.numbers.end(), result.numbers.begin(), [](double v) { return std::fabs(v); });
  return result;
}

Operand to_int(const BuiltinCall& call) {
  Operand result{{Base::integer, call[0].type.array_rank}, call[0].dims, call[0].numbers, {}};
  for (double& value : result.numbers) value = checked_integer(call, std::trunc(value));
  return result;
}

/// if_else(condition, a, b) of early Stan versions.
Operand if_else(const BuiltinCall& call) {
  if (call[0].is_data()) {
    Operand chosen = call[0].numbers[0] != 0 ? call[1] : call[2];
    if (!call[1].type.is_integer() || !call[2].type.is_integer()) chosen.type = {Base::real, 0};
    return chosen;
  }
  const bool integers = call[1].type.is_integer() && call[2].type.is_integer();
  return symbol_operand({integers ? Base::integer : Base::real, 0},
                        select(as_expression(call[0]), as_expression(call[1]), as_expression(call[2])));
}

}  // namespace

void add_integers(Table& table) {
  table.add("abs", {"(I): I", "(T): T"}, absolute).elementwise = true;
  table.add("choose", {"(I, I): I"}, choose_of).elementwise = true;
  table
      .add("to_int", {"(int): int", "(real): int", "(array[] real): array[] int", "(array[,] real): array[,] int"},
           to_int)
      .data_only = true;
  table.add("if_else", {"(int, int, int): int", "(int, real, real): real"}, if_else).deprecated = true;
}

}  // namespace sgmcmc::stan
