// Functions that only rearrange elements: parts, concatenations and conversions of containers.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

#include <numeric>

namespace sgmcmc::stan {
namespace {

/// Flat positions of a matrix in column-major order, as Stan reads matrices.
Positions by_columns(std::int64_t rows, std::int64_t columns) {
  Positions positions;
  positions.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) positions.push_back(i * columns + j);
  return positions;
}

/// Elements in Stan's order, as one axis of the given type.
Operand listed(const Operand& x, Type type) {
  if (x.type == matrix_type) return pick(x, type, {x.size()}, by_columns(x.dims[0], x.dims[1]));
  return retyped(x, type, {x.size()});
}

Operand to_matrix(const BuiltinCall& call) {
  const Operand& x = call[0];
  if (call.size() == 1) {
    if (x.type == vector_type) return retyped(x, matrix_type, {x.dims[0], 1});
    if (x.type == row_vector_type) return retyped(x, matrix_type, {1, x.dims[0]});
    return retyped(x, matrix_type, x.dims);
  }
  const std::int64_t rows = size_argument(call, 1, "number of rows"),
                     columns = size_argument(call, 2, "number of columns");
  if (rows * columns != x.size())
    refuse(call,
           shape_text(x) + " does not fill a " + std::to_string(rows) + " x " + std::to_string(columns) + " matrix");
  const Operand list = listed(x, {Base::real, 1});
  const bool column_major = call.size() == 3 || integer_argument(call, 3, "order") != 0;
  if (!column_major) return retyped(list, matrix_type, {rows, columns});
  return pick(list, matrix_type, {rows, columns}, by_columns(columns, rows));
}

/// Entries `from` (from 0) up to `count` of them, of a vector's elements or an array's first dimension.
Operand stretch(const BuiltinCall& call, std::int64_t from, std::int64_t count) {
  const Operand& x = call[0];
  if (from < 0 || count < 0 || from + count > x.dims[0])
    refuse(call,
           "entries " + std::to_string(from + 1) + " to " + std::to_string(from + count) + " of " + shape_text(x));
  Dimensions dims = x.dims;
  dims[0] = count;
  const std::int64_t stride = x.dims[0] == 0 ? 0 : x.size() / x.dims[0];
  Positions positions(static_cast<std::size_t>(count * stride));
  std::iota(positions.begin(), positions.end(), from * stride);
  return pick(x, x.type, std::move(dims), std::move(positions));
}

/// The part of a matrix that starts at (row, column), both from 0.
Operand part(const BuiltinCall& call, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns,
             Type type) {
  const Operand& x = call[0];
  if (row < 0 || column < 0 || rows < 0 || columns < 0 || row + rows > x.dims[0] || column + columns > x.dims[1])
    refuse(call, "rows " + std::to_string(row + 1) + " to " + std::to_string(row + rows) + " and columns " +
                     std::to_string(column + 1) + " to " + std::to_string(column + columns) + " of " + shape_text(x));
  Positions positions;
  for (std::int64_t i = row; i < row + rows; ++i)
    for (std::int64_t j = column; j < column + columns; ++j) positions.push_back(i * x.dims[1] + j);
  Dimensions dims{rows, columns};
  if (type == vector_type) dims = {rows};
  if (type == row_vector_type) dims = {columns};
  return pick(x, type, std::move(dims), std::move(positions));
}

/// Rows and columns as a matrix has them.
Dimensions matrix_dims(const Operand& x) {
  if (x.dims.empty()) return {1, 1};
  if (x.type == vector_type) return {x.dims[0], 1};
  if (x.type == row_vector_type) return {1, x.dims[0]};
  return x.dims;
}

Operand append_col(const BuiltinCall& call) {
  const Operand& a = call[0];
  const Operand& b = call[1];
  const auto is_line = [](const Operand& x) { return x.dims.empty() || x.type == row_vector_type; };
  const Dimensions da = matrix_dims(a), db = matrix_dims(b);
  if (is_line(a) && is_line(b) && !(a.dims.empty() && b.dims.empty()))
    return retyped(joined(a, b), row_vector_type, {da[1] + db[1]});
  if (da[0] != db[0]) refuse(call, "the numbers of rows differ: " + shape_text(a) + " and " + shape_text(b));
  Positions positions;
  for (std::int64_t i = 0; i < da[0]; ++i) {
    for (std::int64_t j = 0; j < da[1]; ++j) positions.push_back(i * da[1] + j);
    for (std::int64_t j = 0; j < db[1]; ++j) positions.push_back(a.size() + i * db[1] + j);
  }
  return pick(joined(a, b), matrix_type, {da[0], da[1] + db[1]}, std::move(positions));
}

Operand append_row(const BuiltinCall& call) {
  const Operand& a = call[0];
  const Operand& b = call[1];
  const auto is_column = [](const Operand& x) { return x.dims.empty() || x.type == vector_type; };
  const Dimensions da = matrix_dims(a), db = matrix_dims(b);
  if (is_column(a) && is_column(b) && !(a.dims.empty() && b.dims.empty()))
    return retyped(joined(a, b), vector_type, {da[0] + db[0]});
  if (da[1] != db[1]) refuse(call, "the numbers of columns differ: " + shape_text(a) + " and " + shape_text(b));
  return retyped(joined(a, b), matrix_type, {da[0] + db[0], da[1]});
}

Operand append_array(const BuiltinCall& call) {
  const Operand& a = call[0];
  const Operand& b = call[1];
  Dimensions dims = a.dims;
  if (a.dims[0] == 0) dims = b.dims;
  if (a.dims[0] > 0 && b.dims[0] > 0 && !std::equal(a.dims.begin() + 1, a.dims.end(), b.dims.begin() + 1))
    refuse(call, "the entries differ in size: " + shape_text(a) + " and " + shape_text(b));
  dims[0] = a.dims[0] + b.dims[0];
  const Type type = a.type.is_integer() ? b.type : a.type;
  return retyped(joined(a, b), type, std::move(dims));
}

Operand reversed(const BuiltinCall& call) {
  const Operand& x = call[0];
  const std::int64_t entries = x.dims[0], stride = entries == 0 ? 0 : x.size() / entries;
  Positions positions;
  for (std::int64_t i = entries; i-- > 0;)
    for (std::int64_t j = 0; j < stride; ++j) positions.push_back(i * stride + j);
  return pick(x, x.type, x.dims, std::move(positions));
}

Operand diagonal_of(const BuiltinCall& call) {
  const Operand& x = call[0];
  const std::int64_t size = std::min(x.dims[0], x.dims[1]);
  Positions positions;
  for (std::int64_t i = 0; i < size; ++i) positions.push_back(i * x.dims[1] + i);
  return pick(x, vector_type, {size}, std::move(positions));
}

Operand diag_matrix(const BuiltinCall& call) {
  const std::int64_t size = call[0].dims[0];
  Positions positions(static_cast<std::size_t>(size * size), -1);
  for (std::int64_t i = 0; i < size; ++i) positions[static_cast<std::size_t>(i * size + i)] = i;
  return pick(call[0], matrix_type, {size, size}, std::move(positions));
}

Operand symmetrized(const BuiltinCall& call) {
  const Operand& x = call[0];
  const std::int64_t size = x.dims[0];
  if (size != x.dims[1]) refuse(call, shape_text(x) + " is not square");
  Positions positions;
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) positions.push_back(std::max(i, j) * size + std::min(i, j));
  return pick(x, x.type, x.dims, std::move(positions));
}

std::int64_t place(const BuiltinCall& call, std::size_t i) { return integer_argument(call, i, "index") - 1; }

}  // namespace

void add_arrangements(Table& table) {
  table.add("to_vector", {"(reals): vector", "(matrix): vector"},
            [](const BuiltinCall& call) { return listed(call[0], vector_type); });
  table.add("to_row_vector", {"(reals): row_vector", "(matrix): row_vector"},
            [](const BuiltinCall& call) { return listed(call[0], row_vector_type); });
  table.add("to_array_1d",
            {"(array[] int): array[] int", "(array[,] int): array[] int", "(array[,,] int): array[] int",
             "(reals): array[] real", "(matrix): array[] real", "(array[,] real): array[] real",
             "(array[,,] real): array[] real"},
            [](const BuiltinCall& call) {
              return listed(call[0], {call[0].type.is_integer() ? Base::integer : Base::real, 1});
            });
  table.add("to_array_2d", {"(matrix): array[,] real"}, [](const BuiltinCall& call) {
    return retyped(call[0], {Base::real, 2}, call[0].dims);
  });
  table.add("to_matrix",
            {"(matrix): matrix", "(vector): matrix", "(row_vector): matrix", "(array[,] real): matrix",
             "(array[] row_vector): matrix", "(matrix, int, int): matrix", "(reals, int, int): matrix",
             "(matrix, int, int, int): matrix", "(reals, int, int, int): matrix"},
            to_matrix);

  table.add("head", {"(vector, int): vector", "(row_vector, int): row_vector", "(array[] E, int): array[] E"},
            [](const BuiltinCall& call) { return stretch(call, 0, size_argument(call, 1)); });
  table.add("tail", {"(vector, int): vector", "(row_vector, int): row_vector", "(array[] E, int): array[] E"},
            [](const BuiltinCall& call) {
              const std::int64_t count = size_argument(call, 1);
              return stretch(call, call[0].dims[0] - count, count);
            });
  table.add("segment",
            {"(vector, int, int): vector", "(row_vector, int, int): row_vector", "(array[] E, int, int): array[] E"},
            [](const BuiltinCall& call) {
              const std::int64_t count = size_argument(call, 2);
              return stretch(call, count == 0 ? 0 : place(call, 1), count);
            });
  table.add("sub_row", {"(matrix, int, int, int): row_vector"}, [](const BuiltinCall& call) {
    return part(call, place(call, 1), place(call, 2), 1, size_argument(call, 3), row_vector_type);
  });
  table.add("sub_col", {"(matrix, int, int, int): vector"}, [](const BuiltinCall& call) {
    return part(call, place(call, 1), place(call, 2), size_argument(call, 3), 1, vector_type);
  });
  table.add("block", {"(matrix, int, int, int, int): matrix"}, [](const BuiltinCall& call) {
    return part(call, place(call, 1), place(call, 2), size_argument(call, 3), size_argument(call, 4), matrix_type);
  });
  table.add("row", {"(matrix, int): row_vector"},
            [](const BuiltinCall& call) { return part(call, place(call, 1), 0, 1, call[0].dims[1], row_vector_type); });
  table.add("col", {"(matrix, int): vector"},
            [](const BuiltinCall& call) { return part(call, 0, place(call, 1), call[0].dims[0], 1, vector_type); });

  table.add(
      "append_col",
      {"(real, row_vector): row_vector", "(row_vector, real): row_vector", "(row_vector, row_vector): row_vector",
       "(vector, vector): matrix", "(vector, matrix): matrix", "(matrix, vector): matrix", "(matrix, matrix): matrix"},
      append_col);
  table.add("append_row",
            {"(real, vector): vector", "(vector, real): vector", "(vector, vector): vector",
             "(row_vector, row_vector): matrix", "(row_vector, matrix): matrix", "(matrix, row_vector): matrix",
             "(matrix, matrix): matrix"},
            append_row);
  table.add("append_array", {"(array[] E, array[] E): array[] E"}, append_array);
  table.add("reverse", {"(vector): vector", "(row_vector): row_vector", "(array[] E): array[] E"}, reversed);
  table.add("diagonal", {"(matrix): vector"}, diagonal_of);
  table.add("diag_matrix", {"(vector): matrix"}, diag_matrix);
  table.add("symmetrize_from_lower_tri", {"(matrix): matrix"}, symmetrized);
}

}  // namespace sgmcmc::stan
