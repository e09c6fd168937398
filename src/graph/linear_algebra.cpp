// Products, factorisations and solves.
#include "graph/build.hpp"

#include <sgmcmc/expression.hpp>

namespace sgmcmc {
namespace {

bool is_sparse(const Expression& x) { return x && x.node().op == Op::row_sparse; }

}  // namespace

namespace build {

void require_square(const char* what, const Expression& x) {
  require_value(what, x);
  if (x.shape().rank() != 2 || x.shape()[0] != x.shape()[1]) fail(what, "needs a square matrix", {x});
}

Expression matvec(const Expression& matrix, const Expression& vector, bool transpose) {
  Attributes attributes;
  attributes.transpose_a = transpose;
  return node(Op::matvec, {matrix, vector}, Shape{matrix.shape()[transpose ? 1 : 0]}, attributes);
}

Expression matmul(const Expression& a, const Expression& b, bool transpose_a, bool transpose_b) {
  Attributes attributes;
  attributes.transpose_a = transpose_a;
  attributes.transpose_b = transpose_b;
  return node(Op::matmul, {a, b}, Shape{a.shape()[transpose_a ? 1 : 0], b.shape()[transpose_b ? 0 : 1]}, attributes);
}

}  // namespace build

Expression dot(const Expression& a, const Expression& b) {
  if (is_sparse(b) && !is_sparse(a)) return dot(b, a);
  if (is_sparse(a)) {
    build::require_value("dot", b);
    if (b.shape() != a.shape()) build::fail("dot", "the operands differ in length", {a, b});
    return build::node(Op::sparse_dot, {a, b}, Shape{});
  }
  build::require_value("dot", a);
  build::require_value("dot", b);
  if (a.shape() != b.shape()) build::fail("dot", "the operands differ in shape", {a, b});
  if (a.shape().is_scalar()) return a * b;
  return build::node(Op::dot, {a, b}, Shape{});
}

Expression matmul(const Expression& a, const Expression& b) {
  if (is_sparse(b)) {  // B x with x sparse row data
    build::require_value("matmul", a);
    if (a.shape().rank() != 2 || a.shape()[1] != b.shape()[0])
      build::fail("matmul", "the matrix needs as many columns as the sparse column has", {a, b});
    return build::node(Op::sparse_matvec, {b, a}, Shape{a.shape()[0]});
  }
  build::require_value("matmul", b);
  if (is_sparse(a)) build::fail("matmul", "put sparse row data on the right: matmul(B, x) with B [m, columns]", {a, b});
  build::require_value("matmul", a);
  auto ra = a.shape().rank();
  auto rb = b.shape().rank();
  if (ra < 1 || ra > 2 || rb < 1 || rb > 2 || ra + rb < 3)
    build::fail("matmul", "needs two matrices, or a matrix and a vector; use dot for two vectors", {a, b});
  if (a.shape()[ra - 1] != b.shape()[0])
    build::fail(
        "matmul",
        "inner dimensions " + std::to_string(a.shape()[ra - 1]) + " and " + std::to_string(b.shape()[0]) + " differ",
        {a, b});
  if (rb == 1) return build::matvec(a, b, false);
  if (ra == 1) return build::matvec(b, a, true);
  return build::matmul(a, b, false, false);
}

Expression outer(const Expression& a, const Expression& b) {
  build::require_value("outer", a);
  build::require_value("outer", b);
  if (a.shape().rank() != 1 || b.shape().rank() != 1) build::fail("outer", "needs two vectors", {a, b});
  return build::node(Op::outer, {a, b}, Shape{a.shape()[0], b.shape()[0]});
}

Expression transpose(const Expression& matrix) {
  build::require_value("transpose", matrix);
  if (matrix.shape().rank() != 2) build::fail("transpose", "needs a matrix", {matrix});
  auto rows = matrix.shape()[0];
  auto columns = matrix.shape()[1];
  std::vector<std::int64_t> positions;
  positions.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) positions.push_back(i * columns + j);
  return take(matrix, std::move(positions), Shape{columns, rows});
}

Expression diagonal(const Expression& matrix) {
  build::require_square("diagonal", matrix);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < matrix.shape()[0]; ++i) positions.push_back(i * matrix.shape()[0] + i);
  return take(matrix, std::move(positions), Shape{matrix.shape()[0]});
}

Expression diagonal_matrix(const Expression& vector) {
  build::require_value("diagonal_matrix", vector);
  if (vector.shape().rank() != 1) build::fail("diagonal_matrix", "needs a vector", {vector});
  auto n = vector.shape()[0];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(n * n), -1);
  for (std::int64_t i = 0; i < n; ++i) positions[static_cast<std::size_t>(i * n + i)] = i;
  return take(vector, std::move(positions), Shape{n, n});
}

Expression cholesky(const Expression& matrix) {
  build::require_square("cholesky", matrix);
  return build::node(Op::cholesky, {matrix}, matrix.shape());
}

Expression solve_triangular(const Expression& lower, const Expression& b, Triangle which) {
  build::require_square("solve_triangular", lower);
  build::require_value("solve_triangular", b);
  if (b.shape().rank() < 1 || b.shape().rank() > 2 || b.shape()[0] != lower.shape()[0])
    build::fail("solve_triangular", "the right-hand side needs as many rows as the factor", {lower, b});
  Attributes attributes;
  attributes.transpose_a = which == Triangle::lower_transposed;
  return build::node(Op::solve_triangular, {lower, b}, b.shape(), attributes);
}

}  // namespace sgmcmc
