// The operations of the graph: X-macro lists from which all tables over ops are generated.
#pragma once

#include <cstdint>

namespace sgmcmc {

// clang-format off
// Elementwise with one operand; same shape out as in. The second list is computed lane by lane (base/special_functions).
#define SGMCMC_VECTORISED_UNARY_OPS(X)                                                                             \
  X(negate) X(exp) X(log) X(log1p) X(expm1) X(logistic) X(log_logistic) X(log1p_exp) X(log1m_exp) X(tanh) X(sinh)  \
  X(cosh) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sqrt) X(square) X(reciprocal) X(abs) X(sign) X(floor)     \
  X(ceil) X(round) X(lgamma) X(digamma) X(trigamma) X(tetragamma) X(erf) X(erfc) X(phi) X(log_phi)
// inv_phi is the normal quantile; bessel_ratio(x) = I_1(x) / I_0(x), the derivative of log_bessel_i0.
#define SGMCMC_SPECIAL_UNARY_OPS(X)                                                                                \
  X(asinh) X(acosh) X(atanh) X(cbrt) X(trunc) X(tgamma) X(inv_phi) X(lambert_w0) X(log_bessel_i0) X(bessel_ratio)
#define SGMCMC_UNARY_OPS(X) SGMCMC_VECTORISED_UNARY_OPS(X) SGMCMC_SPECIAL_UNARY_OPS(X)

// Elementwise with two operands of one shape; either may also be a scalar. Comparisons give 1 or 0.
// multiply_log(a, b) = a log b with 0 log 0 = 0; zero_safe_divide(a, b) = a / b with 0 / 0 = 0 (its derivative).
#define SGMCMC_VECTORISED_BINARY_OPS(X)                                                                            \
  X(add) X(subtract) X(multiply) X(divide) X(pow) X(maximum) X(minimum) X(log_add_exp) X(multiply_log)             \
  X(zero_safe_divide) X(less) X(less_equal) X(equal) X(not_equal)
// Bessel functions take (order, x); incomplete gamma functions (shape, x), and ..._shape is their derivative in the
// shape; Student's distribution function (t, degrees), and ..._degrees its derivative in the degrees.
#define SGMCMC_SPECIAL_BINARY_OPS(X)                                                                               \
  X(atan2) X(hypot) X(fmod) X(owens_t) X(bessel_first_kind) X(bessel_second_kind) X(modified_bessel_first_kind)    \
  X(modified_bessel_second_kind) X(log_gamma_p) X(log_gamma_q) X(log_gamma_p_shape) X(log_gamma_q_shape)           \
  X(log_student_t_cdf) X(log_student_t_cdf_degrees)
#define SGMCMC_BINARY_OPS(X) SGMCMC_VECTORISED_BINARY_OPS(X) SGMCMC_SPECIAL_BINARY_OPS(X)

// Elementwise with three operands, any of them a scalar: log I_x(a, b) as (a, b, x), and its derivatives in a and b.
#define SGMCMC_TERNARY_OPS(X) X(log_inc_beta) X(log_inc_beta_a) X(log_inc_beta_b)
// clang-format on

enum class Op : std::uint8_t {
  // Leaves: no operands.
  constant,     ///< attributes.values
  parameter,    ///< attributes.point, offset, name: shape.size() elements of that vector from `offset` on
  row_real,     ///< attributes.name: a real column of the data, one array of node.shape per row
  row_integer,  ///< attributes.name: an integer column, likewise
  row_sparse,   ///< attributes.name: a sparse column; shape [columns]; only an operand of sparse_* ops
  row_weight,   ///< the weight of the row in sums over rows, set by the estimator

// clang-format off
#define X(name) name,
  SGMCMC_UNARY_OPS(X) SGMCMC_BINARY_OPS(X) SGMCMC_TERNARY_OPS(X)
#undef X
  // clang-format on
  select,  ///< (condition, a, b): a where condition != 0, else b; any operand may be a scalar

  // Along attributes.axis: (outer, length, inner) -> (outer, inner) for the first three, same shape for the rest.
  sum,
  reduce_max,
  log_sum_exp,
  softmax,
  log_softmax,
  cumulative_sum,  ///< attributes.reverse: from the end

  // Linear algebra; matrices are row-major.
  dot,               ///< (a, b) of one shape -> scalar
  matvec,            ///< (A [m,k], x [k]) -> [m]; transpose_a: (A [k,m], x [k]) -> [m]
  matmul,            ///< (A, B) -> op(A) op(B) with transpose_a, transpose_b
  outer,             ///< (a [m], b [k]) -> [m,k]
  cholesky,          ///< A [n,n] -> lower L, upper triangle zero; reads only the lower triangle of A
  solve_triangular,  ///< (L [n,n], B [n] or [n,k]) -> L^-1 B; transpose_a: L^-T B; reads only L's lower triangle
  solve,             ///< (A [n,n], B [n] or [n,k]) -> A^-1 B for any invertible A; transpose_a: A^-T B
  determinant,       ///< A [n,n] -> scalar
  log_determinant,   ///< A [n,n] -> log |det A|
  matrix_exp,        ///< A [n,n] -> its exponential
  eigenvalues_sym,   ///< A [n,n] -> [n], ascending; reads only the lower triangle of A
  eigenvectors_sym,  ///< A [n,n] -> [n,n], in columns; reads only the lower triangle of A

  // Arranging.
  reshape,  ///< same elements, other shape
  take,     ///< out[j] = positions[j] < 0 ? 0 : in[positions[j]]
  scatter,  ///< out[positions[j]] += in[j] where positions[j] >= 0, the rest 0: the adjoint of take
  concat,   ///< any number of operands, flattened and concatenated

  // Integer row data select entries of the first axis of a table; attributes.offset is the index base.
  // The index may be an array of any shape [i...], a scalar for one entry.
  gather,        ///< (table [g, ...], index [i...]) -> [i..., ...]
  scatter_rows,  ///< (value [i..., ...], index [i...]) -> [g, ...]: entry index[i] += value[i]: the adjoint of gather

  // Sparse row data x of shape [k].
  sparse_dot,     ///< (x, b [k]) -> scalar
  sparse_matvec,  ///< (x, B [m,k]) -> [m]
  sparse_scale,   ///< (x, s scalar) -> [k]: s * x, dense: the adjoint of sparse_dot
  sparse_outer,   ///< (x, a [m]) -> [m,k]: a x', dense: the adjoint of sparse_matvec

  // Sums over the rows of the batch: per-row operands, global results.
  row_sum,               ///< sum over rows of the operand
  row_sum_outer,         ///< sum over rows of outer(a [m], b [k])
  row_sum_scatter,       ///< sum over rows of scatter_rows(value, index)
  row_sum_sparse_scale,  ///< sum over rows of sparse_scale(x, s)
  row_sum_sparse_outer,  ///< sum over rows of sparse_outer(x, a)
};

/// The op's name as written in the lists above.
const char* op_name(Op op);
bool is_unary(Op op);
bool is_binary(Op op);
bool is_ternary(Op op);      ///< of the list above: without select
bool is_elementwise(Op op);  ///< unary, binary, ternary or select
bool is_row_sum(Op op);

}  // namespace sgmcmc
