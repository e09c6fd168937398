// Solving, factorising and quadratic forms.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

#include <cmath>

namespace sgmcmc::stan {
namespace {

using SymbolFunction = Expression (*)(const Expression&);
using PairFunction = Expression (*)(const Expression&, const Expression&);

std::int64_t require_square(const BuiltinCall& call, const Operand& x) {
  if (x.dims[0] != x.dims[1]) refuse(call, shape_text(x) + " is not square");
  return x.dims[0];
}

/// A failed factorisation of data leaves NaN.
bool has_nan(const std::vector<double>& numbers) {
  for (const double value : numbers)
    if (std::isnan(value)) return true;
  return false;
}

/// A matrix from a square matrix; throws for data on which it fails.
void add_of_square(Table& table, const char* name, SymbolFunction function, const char* otherwise) {
  table.add(name, {"(matrix): matrix"}, [function, otherwise](const BuiltinCall& call) {
    const std::int64_t size = require_square(call, call[0]);
    if (size == 0) return call[0];
    Operand result = symbol_operand(matrix_type, function(as_expression(call[0])));
    if (!call[0].is_data() || has_nan(call[0].numbers)) return result;
    result.numbers = evaluate_constant(result.symbol);
    result.symbol = Expression();
    if (has_nan(result.numbers)) refuse(call, std::string("the matrix is not ") + otherwise);
    return result;
  });
}

void add_scalar_of_square(Table& table, const char* name, SymbolFunction function, double of_nothing) {
  table.add(name, {"(matrix): real"}, [function, of_nothing](const BuiltinCall& call) {
    if (require_square(call, call[0]) == 0) return real_operand(of_nothing);
    return symbol_operand(real_type, function(as_expression(call[0])));
  });
}

/// matrix \ b, with b a vector or a matrix.
void add_left_division(Table& table, const char* name, PairFunction function) {
  table.add(name, {"(matrix, vector): vector", "(matrix, matrix): matrix"}, [function](const BuiltinCall& call) {
    const std::int64_t size = require_square(call, call[0]);
    if (call[1].dims[0] != size) refuse(call, shape_text(call[0]) + " cannot be divided into " + shape_text(call[1]));
    if (call[1].size() == 0) return call[1];
    return symbol_operand(call[1].type, function(as_expression(call[0]), as_expression(call[1])));
  });
}

/// b / matrix, with b a row vector or a matrix.
void add_right_division(Table& table, const char* name, PairFunction function) {
  table.add(
      name, {"(row_vector, matrix): row_vector", "(matrix, matrix): matrix"}, [function](const BuiltinCall& call) {
        const std::int64_t size = require_square(call, call[1]);
        if (call[0].dims.back() != size)
          refuse(call, shape_text(call[0]) + " cannot be divided by " + shape_text(call[1]));
        if (call[0].size() == 0) return call[0];
        return symbol_operand(call[0].type, call[0].dims, function(as_expression(call[0]), as_expression(call[1])));
      });
}

void require_rows(const BuiltinCall& call, const Operand& square, const Operand& b) {
  if (require_square(call, square) != b.dims[0]) refuse(call, shape_text(square) + " does not fit " + shape_text(b));
}

Operand quad_form_of(const BuiltinCall& call, bool symmetrised) {
  require_rows(call, call[0], call[1]);
  const Expression form = quad_form(as_expression(call[0]), as_expression(call[1]));
  if (call[1].type == vector_type) return symbol_operand(real_type, {}, form);
  if (!symmetrised) return symbol_operand(matrix_type, form);
  return symbol_operand(matrix_type, 0.5 * (form + transpose(form)));
}

Operand quad_form_diag(const BuiltinCall& call) {
  require_rows(call, call[0], call[1]);
  const Expression scale = as_expression(call[1]);
  const Shape column{call[1].dims[0], 1};
  return symbol_operand(matrix_type, call[0].dims, as_expression(call[0]) * scale * reshape(scale, column));
}

/// Rows or columns of a matrix times the elements of a vector.
Operand diag_pre_multiply(const BuiltinCall& call) {
  if (call[0].dims[0] != call[1].dims[0]) refuse(call, shape_text(call[0]) + " for the rows of " + shape_text(call[1]));
  const Expression scale = reshape(as_expression(call[0]), Shape{call[0].dims[0], 1});
  return symbol_operand(matrix_type, call[1].dims, scale * as_expression(call[1]));
}
Operand diag_post_multiply(const BuiltinCall& call) {
  if (call[0].dims[1] != call[1].dims[0])
    refuse(call, shape_text(call[1]) + " for the columns of " + shape_text(call[0]));
  return symbol_operand(matrix_type, call[0].dims, as_expression(call[0]) * as_expression(call[1]));
}

Operand add_diag(const BuiltinCall& call) {
  const std::int64_t rows = call[0].dims[0], columns = call[0].dims[1], size = std::min(rows, columns);
  if (!call[1].dims.empty() && call[1].dims[0] != size)
    refuse(call, shape_text(call[1]) + " for the diagonal of " + shape_text(call[0]));
  Positions positions(static_cast<std::size_t>(rows * columns), -1);
  for (std::int64_t i = 0; i < size; ++i)
    positions[static_cast<std::size_t>(i * columns + i)] = call[1].dims.empty() ? 0 : i;
  const Operand added = pick(call[1], matrix_type, call[0].dims, std::move(positions));
  return symbol_operand(matrix_type, as_expression(call[0]) + as_expression(added));
}

Operand trace_gen_quad_form_of(const BuiltinCall& call) {
  require_rows(call, call[1], call[2]);
  if (require_square(call, call[0]) != call[2].dims[1])
    refuse(call, shape_text(call[0]) + " does not fit the columns of " + shape_text(call[2]));
  return symbol_operand(real_type, {},
                        trace_gen_quad_form(as_expression(call[0]), as_expression(call[1]), as_expression(call[2])));
}

}  // namespace

void add_linear_algebra(Table& table) {
  add_of_square(table, "cholesky_decompose", cholesky, "positive definite");
  add_of_square(table, "inverse", inverse, "invertible");
  add_of_square(table, "inverse_spd", inverse_spd, "positive definite");
  add_of_square(table, "matrix_exp", matrix_exp, "finite");
  add_of_square(
      table, "chol2inv",
      [](const Expression& factor) {
        const Expression half = solve_triangular(
            factor, diagonal_matrix(constant(std::vector<double>(static_cast<std::size_t>(factor.shape()[0]), 1.0))));
        return crossprod(half);
      },
      "a Cholesky factor");
  add_scalar_of_square(table, "determinant", determinant, 1);
  add_scalar_of_square(table, "log_determinant", log_determinant, 0);
  add_scalar_of_square(table, "log_determinant_spd", log_determinant_spd, 0);
  add_scalar_of_square(table, "trace", trace, 0);
  add_left_division(table, "mdivide_left", mdivide_left);
  add_left_division(table, "mdivide_left_spd", mdivide_left_spd);
  add_left_division(table, "mdivide_left_tri_low", mdivide_left_tri_low);
  add_right_division(table, "mdivide_right", mdivide_right);
  add_right_division(table, "mdivide_right_spd", mdivide_right_spd);
  add_right_division(table, "mdivide_right_tri_low", mdivide_right_tri_low);

  const auto product = [](SymbolFunction function, bool inner) {
    return [function, inner](const BuiltinCall& call) {
      const std::int64_t size = call[0].dims[inner ? 1 : 0];
      if (call[0].size() == 0)
        return numbers_operand(matrix_type, {size, size}, std::vector<double>(static_cast<std::size_t>(size * size)));
      return symbol_operand(matrix_type, function(as_expression(call[0])));
    };
  };
  table.add("crossprod", {"(matrix): matrix"}, product(crossprod, true));
  table.add("tcrossprod", {"(matrix): matrix"}, product(tcrossprod, false));
  add_of_square(table, "multiply_lower_tri_self_transpose", multiply_lower_tri_self_transpose, "finite");
  table.add("quad_form", {"(matrix, vector): real", "(matrix, matrix): matrix"},
            [](const BuiltinCall& call) { return quad_form_of(call, false); });
  table.add("quad_form_sym", {"(matrix, vector): real", "(matrix, matrix): matrix"},
            [](const BuiltinCall& call) { return quad_form_of(call, true); });
  table.add("quad_form_diag", {"(matrix, vector): matrix", "(matrix, row_vector): matrix"}, quad_form_diag);
  table.add("trace_quad_form", {"(matrix, vector): real", "(matrix, matrix): real"}, [](const BuiltinCall& call) {
    require_rows(call, call[0], call[1]);
    const Expression a = as_expression(call[0]), b = as_expression(call[1]);
    return symbol_operand(real_type, {}, call[1].type == vector_type ? quad_form(a, b) : trace_quad_form(a, b));
  });
  table.add("trace_gen_quad_form", {"(matrix, matrix, matrix): real"}, trace_gen_quad_form_of);
  table.add("diag_pre_multiply", {"(vector, matrix): matrix", "(row_vector, matrix): matrix"}, diag_pre_multiply);
  table.add("diag_post_multiply", {"(matrix, vector): matrix", "(matrix, row_vector): matrix"}, diag_post_multiply);
  table.add("add_diag", {"(matrix, real): matrix", "(matrix, vector): matrix", "(matrix, row_vector): matrix"},
            add_diag);
  table.add("matrix_power", {"(matrix, int): matrix"}, [](const BuiltinCall& call) {
    const std::int64_t size = require_square(call, call[0]), power = size_argument(call, 1, "power");
    std::vector<double> ones(static_cast<std::size_t>(size), 1.0);
    Expression result = diagonal_matrix(constant(ones)), squared = as_expression(call[0]);
    for (std::int64_t rest = power; rest > 0; rest /= 2) {
      if (rest % 2 == 1) result = matmul(result, squared);
      if (rest > 1) squared = matmul(squared, squared);
    }
    return symbol_operand(matrix_type, result);
  });
  table.add("matrix_exp_multiply", {"(matrix, matrix): matrix"}, [](const BuiltinCall& call) {
    require_rows(call, call[0], call[1]);
    return symbol_operand(matrix_type, matmul(matrix_exp(as_expression(call[0])), as_expression(call[1])));
  });
  table.add("scale_matrix_exp_multiply", {"(real, matrix, matrix): matrix"}, [](const BuiltinCall& call) {
    require_rows(call, call[1], call[2]);
    const Expression scaled = as_expression(call[0]) * as_expression(call[1]);
    return symbol_operand(matrix_type, matmul(matrix_exp(scaled), as_expression(call[2])));
  });
}

}  // namespace sgmcmc::stan
