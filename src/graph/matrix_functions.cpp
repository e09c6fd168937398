// Solves with general and positive definite matrices, determinants, quadratic forms, spectra and the exponential.
#include "graph/build.hpp"

#include <sgmcmc/expression.hpp>

namespace sgmcmc {
namespace {

void require_matrix(const char* what, const Expression& x) {
  build::require_value(what, x);
  if (x.shape().rank() != 2) build::fail(what, "needs a matrix", {x});
}

/// A vector, or a matrix, with as many entries along `axis` as the square matrix has rows.
void require_fit(const char* what, const Expression& matrix, const Expression& b, bool last_axis) {
  build::require_square(what, matrix);
  build::require_value(what, b);
  const auto rank = b.shape().rank();
  if (rank < 1 || rank > 2 || b.shape()[last_axis ? rank - 1 : 0] != matrix.shape()[0])
    build::fail(
        what,
        std::string("the other operand needs as many ") + (last_axis ? "columns" : "rows") + " as the square matrix",
        {matrix, b});
}

Expression solve_general(const char* what, const Expression& matrix, const Expression& b, bool transposed) {
  require_fit(what, matrix, b, false);
  Attributes attributes;
  attributes.transpose_a = transposed;
  return build::node(Op::solve, {matrix, b}, b.shape(), attributes);
}

/// b' for a matrix; a vector serves as row and column.
Expression turned(const Expression& b) { return b.shape().rank() == 2 ? transpose(b) : b; }

}  // namespace

Expression build::identity(std::int64_t n) {
  return diagonal_matrix(constant(std::vector<double>(static_cast<std::size_t>(n), 1.0)));
}

Expression solve(const Expression& matrix, const Expression& b) { return solve_general("solve", matrix, b, false); }

Expression solve_transposed(const Expression& matrix, const Expression& b) {
  return solve_general("solve_transposed", matrix, b, true);
}

Expression solve_spd(const Expression& matrix, const Expression& b) {
  require_fit("solve_spd", matrix, b, false);
  const auto factor = cholesky(matrix);
  return solve_triangular(factor, solve_triangular(factor, b), Triangle::lower_transposed);
}

Expression mdivide_left(const Expression& matrix, const Expression& b) { return solve(matrix, b); }
Expression mdivide_left_spd(const Expression& matrix, const Expression& b) { return solve_spd(matrix, b); }
Expression mdivide_left_tri_low(const Expression& lower, const Expression& b) { return solve_triangular(lower, b); }

Expression mdivide_right(const Expression& b, const Expression& matrix) {
  require_fit("mdivide_right", matrix, b, true);
  return turned(solve_transposed(matrix, turned(b)));
}

Expression mdivide_right_spd(const Expression& b, const Expression& matrix) {
  require_fit("mdivide_right_spd", matrix, b, true);
  return turned(solve_spd(matrix, turned(b)));
}

Expression mdivide_right_tri_low(const Expression& b, const Expression& lower) {
  require_fit("mdivide_right_tri_low", lower, b, true);
  return turned(solve_triangular(lower, turned(b), Triangle::lower_transposed));
}

Expression inverse(const Expression& matrix) {
  build::require_square("inverse", matrix);
  return solve(matrix, build::identity(matrix.shape()[0]));
}

Expression inverse_spd(const Expression& matrix) {
  build::require_square("inverse_spd", matrix);
  return solve_spd(matrix, build::identity(matrix.shape()[0]));
}

Expression determinant(const Expression& matrix) {
  build::require_square("determinant", matrix);
  return build::node(Op::determinant, {matrix}, Shape{});
}

Expression log_determinant(const Expression& matrix) {
  build::require_square("log_determinant", matrix);
  return build::node(Op::log_determinant, {matrix}, Shape{});
}

Expression log_determinant_spd(const Expression& matrix) {
  build::require_square("log_determinant_spd", matrix);
  return 2.0 * sum(log(diagonal(cholesky(matrix))));
}

Expression crossprod(const Expression& matrix) {
  require_matrix("crossprod", matrix);
  return build::matmul(matrix, matrix, true, false);
}

Expression tcrossprod(const Expression& matrix) {
  require_matrix("tcrossprod", matrix);
  return build::matmul(matrix, matrix, false, true);
}

Expression multiply_lower_tri_self_transpose(const Expression& lower) {
  require_matrix("multiply_lower_tri_self_transpose", lower);
  const auto rows = lower.shape()[0], columns = lower.shape()[1];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(rows * columns), -1);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j <= i && j < columns; ++j)
      positions[static_cast<std::size_t>(i * columns + j)] = i * columns + j;
  return tcrossprod(take(lower, std::move(positions), lower.shape()));
}

Expression quad_form(const Expression& matrix, const Expression& b) {
  require_fit("quad_form", matrix, b, false);
  const auto product = matmul(matrix, b);
  return b.shape().rank() == 1 ? dot(b, product) : build::matmul(b, product, true, false);
}

Expression trace(const Expression& matrix) { return sum(diagonal(matrix)); }

Expression trace_quad_form(const Expression& matrix, const Expression& b) {
  require_fit("trace_quad_form", matrix, b, false);
  return dot(b, matmul(matrix, b));
}

Expression trace_gen_quad_form(const Expression& d, const Expression& a, const Expression& b) {
  build::require_square("trace_gen_quad_form", d);
  return dot(transpose(d), quad_form(a, b));
}

Expression matrix_exp(const Expression& matrix) {
  build::require_square("matrix_exp", matrix);
  return build::node(Op::matrix_exp, {matrix}, matrix.shape());
}

Expression eigenvalues_sym(const Expression& matrix) {
  build::require_square("eigenvalues_sym", matrix);
  return build::node(Op::eigenvalues_sym, {matrix}, Shape{matrix.shape()[0]});
}

Expression eigenvectors_sym(const Expression& matrix) {
  build::require_square("eigenvectors_sym", matrix);
  return build::node(Op::eigenvectors_sym, {matrix}, matrix.shape());
}

Expression singular_values(const Expression& matrix) {
  require_matrix("singular_values", matrix);
  const bool wide = matrix.shape()[0] < matrix.shape()[1];
  const auto squares = eigenvalues_sym(wide ? tcrossprod(matrix) : crossprod(matrix));
  std::vector<std::int64_t> descending;
  for (auto i = squares.shape()[0]; i > 0; --i) descending.push_back(i - 1);
  return sqrt(take(squares, std::move(descending), squares.shape()));
}

}  // namespace sgmcmc
