// Eigenvalues, singular values and QR factors.
#include "stan/builtins/matrix_operands.hpp"

#include <sgmcmc/expression.hpp>

namespace sgmcmc::stan {
namespace {

std::int64_t require_square(const BuiltinCall& call) {
  if (call[0].dims[0] != call[0].dims[1]) refuse(call, shape_text(call[0]) + " is not square");
  if (call[0].size() == 0) refuse(call, "the matrix has no elements");
  return call[0].dims[0];
}

/// By the Cholesky factor of A'A, which has derivatives but loses half the digits of nearly singular matrices.
Operand qr_of_symbol(const BuiltinCall& call, bool thin, bool orthogonal) {
  const auto rows = call[0].dims[0], columns = call[0].dims[1];
  if (thin ? rows < columns : rows != columns)
    refuse(call, "for a matrix that depends on parameters, it needs " +
                     std::string(thin ? "at least as many rows as columns" : "as many rows as columns") + ", found " +
                     shape_text(call[0]));
  const Expression a = as_expression(call[0]), lower = cholesky(crossprod(a));
  return symbol_operand(matrix_type, orthogonal ? transpose(solve_triangular(lower, transpose(a))) : transpose(lower));
}

void add_factor(Table& table, const char* name, bool thin, bool orthogonal) {
  table.add(name, {"(matrix): matrix"}, [thin, orthogonal](const BuiltinCall& call) {
    if (call[0].size() == 0) refuse(call, "the matrix has no elements");
    if (!call[0].is_data()) return qr_of_symbol(call, thin, orthogonal);
    const QrFactors factors = qr_factors(matrix_of(call[0]), thin);
    return matrix_operand(orthogonal ? factors.orthogonal : factors.triangular);
  });
}

}  // namespace

void add_decompositions(Table& table) {
  table.add("eigenvalues_sym", {"(matrix): vector"}, [](const BuiltinCall& call) {
    require_square(call);
    return symbol_operand(vector_type, eigenvalues_sym(as_expression(call[0])));
  });
  table.add("eigenvectors_sym", {"(matrix): matrix"}, [](const BuiltinCall& call) {
    require_square(call);
    return symbol_operand(matrix_type, eigenvectors_sym(as_expression(call[0])));
  });
  table.add("singular_values", {"(matrix): vector"}, [](const BuiltinCall& call) {
    if (call[0].size() == 0) refuse(call, "the matrix has no elements");
    return symbol_operand(vector_type, singular_values(as_expression(call[0])));
  });
  table
      .add("svd_U", {"(matrix): matrix"},
           [](const BuiltinCall& call) { return matrix_operand(left_singular_vectors(matrix_of(call[0]))); })
      .data_only = true;
  table
      .add("svd_V", {"(matrix): matrix"},
           [](const BuiltinCall& call) { return matrix_operand(right_singular_vectors(matrix_of(call[0]))); })
      .data_only = true;
  table
      .add("generalized_inverse", {"(matrix): matrix"},
           [](const BuiltinCall& call) { return matrix_operand(pseudo_inverse(matrix_of(call[0]))); })
      .data_only = true;
  add_factor(table, "qr_Q", false, true);
  add_factor(table, "qr_R", false, false);
  add_factor(table, "qr_thin_Q", true, true);
  add_factor(table, "qr_thin_R", true, false);
}

}  // namespace sgmcmc::stan
