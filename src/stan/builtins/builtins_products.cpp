// Products of linear algebra: operator * and its relatives.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

namespace sgmcmc::stan {
namespace {

Operand dot_of(const BuiltinCall& call, const Operand& a, const Operand& b) {
  if (a.size() != b.size()) refuse(call, "the sizes differ: " + shape_text(a) + " and " + shape_text(b));
  if (a.size() == 0) return real_operand(0);
  if (a.is_data() && b.is_data()) {
    double total = 0;
    for (std::size_t i = 0; i < a.numbers.size(); ++i) total += a.numbers[i] * b.numbers[i];
    return real_operand(total);
  }
  return symbol_operand(real_type, dot(as_expression(a), as_expression(b)));
}

Operand scaled(const Operand& a, const Operand& b) {
  const Operand& container = a.dims.empty() ? b : a;
  const Operand& scale = a.dims.empty() ? a : b;
  Operand result{container.type, container.dims, {}, {}};
  if (a.is_data() && b.is_data()) {
    result.numbers = container.numbers;
    for (double& value : result.numbers) value *= scale.numbers[0];
  } else if (container.size() > 0) {
    result.symbol = as_expression(a) * as_expression(b);
  }
  return result;
}

/// Products of matrices and vectors with a non-empty inner dimension.
Operand linear_product(const Operand& a, const Operand& b, Type type, Dimensions dims) {
  Operand result{type, std::move(dims), {}, {}};
  if (result.size() == 0) return result;
  if (a.size() == 0 || b.size() == 0) {
    result.numbers.assign(static_cast<std::size_t>(result.size()), 0.0);
    return result;
  }
  result.symbol = matmul(as_expression(a), as_expression(b));
  return result;
}

Operand multiply(const BuiltinCall& call) {
  const Operand& a = call[0];
  const Operand& b = call[1];
  if (a.dims.empty() && b.dims.empty()) {
    const bool integers = a.type == integer_type && b.type == integer_type;
    if (!a.is_data() || !b.is_data())
      return symbol_operand(integers ? integer_type : real_type, as_expression(a) * as_expression(b));
    const double value = a.numbers[0] * b.numbers[0];
    if (!integers) return real_operand(value);
    return {integer_type, {}, {checked_integer(call, value)}, {}};
  }
  if (a.dims.empty() || b.dims.empty()) return scaled(a, b);
  const auto mismatch = [&](std::int64_t left, std::int64_t right) {
    if (left != right)
      refuse(call, shape_text(a) + " cannot be multiplied by " + shape_text(b) + ": " + std::to_string(left) +
                       " columns, " + std::to_string(right) + " rows");
  };
  if (a.type == row_vector_type && b.type == vector_type) return dot_of(call, a, b);
  if (a.type == vector_type && b.type == row_vector_type) {
    Operand result{matrix_type, {a.dims[0], b.dims[0]}, {}, {}};
    if (result.size() > 0) result.symbol = outer(as_expression(a), as_expression(b));
    return result;
  }
  if (a.type == row_vector_type) {
    mismatch(a.dims[0], b.dims[0]);
    return linear_product(a, b, row_vector_type, {b.dims[1]});
  }
  mismatch(a.dims[1], b.dims[0]);
  if (b.type == vector_type) return linear_product(a, b, vector_type, {a.dims[0]});
  return linear_product(a, b, matrix_type, {a.dims[0], b.dims[1]});
}

Operand transposed(const BuiltinCall& call) {
  const Operand& x = call[0];
  if (x.type == vector_type) return retyped(x, row_vector_type, x.dims);
  if (x.type == row_vector_type) return retyped(x, vector_type, x.dims);
  Positions positions;
  positions.reserve(static_cast<std::size_t>(x.size()));
  for (std::int64_t j = 0; j < x.dims[1]; ++j)
    for (std::int64_t i = 0; i < x.dims[0]; ++i) positions.push_back(i * x.dims[1] + j);
  return pick(x, matrix_type, {x.dims[1], x.dims[0]}, std::move(positions));
}

/// Dot products of the columns (axis 0) or rows (axis 1) of two matrices.
Operand products_along(const BuiltinCall& call, const Operand& a, const Operand& b, std::int64_t axis) {
  require_same_dims(call, a, b);
  Dimensions dims = a.dims;
  if (a.type == vector_type) dims = {a.dims[0], 1};
  if (a.type == row_vector_type) dims = {1, a.dims[0]};
  const Type type = axis == 0 ? row_vector_type : vector_type;
  const std::int64_t size = dims[static_cast<std::size_t>(1 - axis)];
  if (a.size() == 0) return numbers_operand(type, {size}, std::vector<double>(static_cast<std::size_t>(size), 0.0));
  const Shape shape(dims);
  return symbol_operand(type, {size}, sum(reshape(as_expression(a) * as_expression(b), shape), axis));
}

Expression difference(const BuiltinCall& call) {
  if (call[0].size() != call[1].size())
    refuse(call, "the sizes differ: " + shape_text(call[0]) + " and " + shape_text(call[1]));
  return as_expression(call[0]) - as_expression(call[1]);
}

/// The Euclidean norm of a vector, with derivative 0 at 0.
Expression length(const Expression& x) {
  const Expression squared = dot(x, x);
  const Expression positive = squared > 0.0;
  return select(positive, sqrt(select(positive, squared, 1.0)), 0.0);
}

}  // namespace

void add_products(Table& table) {
  table
      .add("multiply",
           {"(int, int): int", "(real, L): L", "(L, real): L", "(row_vector, vector): real",
            "(vector, row_vector): matrix", "(matrix, vector): vector", "(row_vector, matrix): row_vector",
            "(matrix, matrix): matrix"},
           multiply)
      .label = "operator *";
  table.add("transpose", {"(vector): row_vector", "(row_vector): vector", "(matrix): matrix"}, transposed).label =
      "transpose";
  table.add("dot_product",
            {"(vector, vector): real", "(vector, row_vector): real", "(row_vector, vector): real",
             "(row_vector, row_vector): real", "(array[] real, array[] real): real"},
            [](const BuiltinCall& call) { return dot_of(call, call[0], call[1]); });
  table.add("dot_self", {"(vector): real", "(row_vector): real", "(array[] real): real"},
            [](const BuiltinCall& call) { return dot_of(call, call[0], call[0]); });
  table.add("columns_dot_product",
            {"(vector, vector): row_vector", "(row_vector, row_vector): row_vector", "(matrix, matrix): row_vector"},
            [](const BuiltinCall& call) { return products_along(call, call[0], call[1], 0); });
  table.add("rows_dot_product",
            {"(vector, vector): vector", "(row_vector, row_vector): vector", "(matrix, matrix): vector"},
            [](const BuiltinCall& call) { return products_along(call, call[0], call[1], 1); });
  table.add("columns_dot_self", {"(vector): row_vector", "(row_vector): row_vector", "(matrix): row_vector"},
            [](const BuiltinCall& call) { return products_along(call, call[0], call[0], 0); });
  table.add("rows_dot_self", {"(vector): vector", "(row_vector): vector", "(matrix): vector"},
            [](const BuiltinCall& call) { return products_along(call, call[0], call[0], 1); });
  const std::initializer_list<std::string_view> pairs{"(vector, vector): real", "(vector, row_vector): real",
                                                      "(row_vector, vector): real", "(row_vector, row_vector): real"};
  table.add("squared_distance", pairs, [](const BuiltinCall& call) {
    if (call[0].size() == 0 && call[1].size() == 0) return real_operand(0);
    const Expression apart = difference(call);
    return symbol_operand(real_type, dot(apart, apart));
  });
  table.add("distance", pairs, [](const BuiltinCall& call) {
    if (call[0].size() == 0 && call[1].size() == 0) return real_operand(0);
    return symbol_operand(real_type, length(difference(call)));
  });
  const std::initializer_list<std::string_view> lists{"(vector): real", "(row_vector): real", "(array[] real): real"};
  table.add("norm1", lists, [](const BuiltinCall& call) {
    if (call[0].size() == 0) return real_operand(0);
    return symbol_operand(real_type, sum(abs(as_expression(call[0]))));
  });
  table.add("norm2", lists, [](const BuiltinCall& call) {
    if (call[0].size() == 0) return real_operand(0);
    return symbol_operand(real_type, length(as_expression(call[0])));
  });
}

}  // namespace sgmcmc::stan
