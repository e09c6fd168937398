// The derivatives of factorisations, solves and functions of matrices. Y = op(A, B), g the adjoint of Y.
#include "graph/build.hpp"
#include "graph/gradient_rules.hpp"
#include "graph/node.hpp"

namespace sgmcmc {
namespace {

/// Multiplies elementwise by 1 below the diagonal, `on_diagonal` on it, 0 above.
Expression mask_lower(const Expression& x, double on_diagonal) {
  auto n = x.shape()[0];
  std::vector<double> mask(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) mask[static_cast<std::size_t>(i * n + j)] = i == j ? on_diagonal : 1.0;
  return x * constant(std::move(mask), x.shape());
}

/// B x' for vectors, B X' for matrices.
Expression times_transposed(const Expression& b, const Expression& x) {
  return x.shape().rank() == 1 ? outer(b, x) : build::matmul(b, x, false, true);
}

/// The adjoint S of a symmetric matrix of which only the lower triangle is read: element (i, j) gets S_ij + S_ji below
/// the diagonal and S_ii on it.
Expression onto_lower(const Expression& s) { return mask_lower(s + transpose(s), 0.5); }

Expression cholesky_adjoint(const Expression& factor, const Expression& g) {
  // S = L^-T Phi(L' g) L^-1 with Phi = lower triangle, diagonal halved.
  auto p = mask_lower(build::matmul(factor, g, true, false), 0.5);
  auto q = solve_triangular(factor, p, Triangle::lower_transposed);
  return onto_lower(solve_triangular(factor, transpose(q), Triangle::lower_transposed));
}

/// The derivative of exp at A' in the direction g is the upper right block of exp [A' g; 0 A'].
Expression matrix_exp_adjoint(const Expression& a, const Expression& g) {
  const std::int64_t n = a.shape()[0];
  const std::int64_t size = 2 * n;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(size * size), -1), corner;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      positions[static_cast<std::size_t>(i * size + j)] = j * n + i;
      positions[static_cast<std::size_t>((i + n) * size + j + n)] = j * n + i;
      positions[static_cast<std::size_t>(i * size + j + n)] = n * n + i * n + j;
      corner.push_back(i * size + j + n);
    }
  }
  const auto parts = concatenate({reshape(a, Shape{n * n}), reshape(g, Shape{n * n})});
  return take(matrix_exp(take(parts, std::move(positions), Shape{size, size})), std::move(corner), Shape{n, n});
}

/// V (F * V' g) V' with F_ij = 1 / (lambda_j - lambda_i), 0 on the diagonal.
Expression eigenvectors_adjoint(const Expression& a, const Expression& v, const Expression& g) {
  const std::int64_t n = a.shape()[0];
  const auto lambda = eigenvalues_sym(a);
  const auto one = build::identity(n);
  const auto gaps = reshape(lambda, Shape{1, n}) - reshape(lambda, Shape{n, 1}) + one;
  const auto inner = (1.0 - one) / gaps * build::matmul(v, g, true, false);
  return onto_lower(matmul(v, build::matmul(inner, v, false, true)));
}

}  // namespace

std::vector<Expression> matrix_contributions(const Expression& y, const Expression& g,
                                             const std::vector<bool>& needed) {
  const Node& n = y.node();
  const Expression none;
  const Expression& a = n.inputs[0];
  switch (n.op) {
    case Op::cholesky: return {cholesky_adjoint(y, g)};
    case Op::solve_triangular: {
      const bool t = n.attributes.transpose_a;
      auto b_adjoint = solve_triangular(a, g, t ? Triangle::lower : Triangle::lower_transposed);
      if (!needed[0]) return {none, b_adjoint};
      auto product = t ? times_transposed(y, b_adjoint) : times_transposed(b_adjoint, y);
      return {-mask_lower(product, 1.0), b_adjoint};
    }
    case Op::solve: {
      const bool t = n.attributes.transpose_a;
      auto b_adjoint = t ? solve(a, g) : solve_transposed(a, g);
      if (!needed[0]) return {none, b_adjoint};
      return {-(t ? times_transposed(y, b_adjoint) : times_transposed(b_adjoint, y)), b_adjoint};
    }
    case Op::determinant: return {(g * y) * solve_transposed(a, build::identity(a.shape()[0]))};
    case Op::log_determinant: return {g * solve_transposed(a, build::identity(a.shape()[0]))};
    case Op::matrix_exp: return {matrix_exp_adjoint(a, g)};
    case Op::eigenvalues_sym: {
      const auto v = eigenvectors_sym(a);
      return {onto_lower(build::matmul(v * g, v, false, true))};
    }
    case Op::eigenvectors_sym: return {eigenvectors_adjoint(a, y, g)};
    default: return {};
  }
}

}  // namespace sgmcmc
