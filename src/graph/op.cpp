// Names and kinds of the operations.
#include "graph/op.hpp"

namespace sgmcmc {

const char* op_name(Op op) {
  switch (op) {
    case Op::constant: return "constant";
    case Op::parameter: return "parameter";
    case Op::row_real: return "row_real";
    case Op::row_integer: return "row_integer";
    case Op::row_sparse: return "row_sparse";
    case Op::row_weight:
      return "row_weight";
// clang-format off
#define X(name) case Op::name: return #name;
    SGMCMC_UNARY_OPS(X) SGMCMC_BINARY_OPS(X) SGMCMC_TERNARY_OPS(X)
#undef X
          // clang-format on
          case Op::select : return "select";
    case Op::sum: return "sum";
    case Op::reduce_max: return "reduce_max";
    case Op::log_sum_exp: return "log_sum_exp";
    case Op::softmax: return "softmax";
    case Op::log_softmax: return "log_softmax";
    case Op::cumulative_sum: return "cumulative_sum";
    case Op::dot: return "dot";
    case Op::matvec: return "matvec";
    case Op::matmul: return "matmul";
    case Op::outer: return "outer";
    case Op::cholesky: return "cholesky";
    case Op::solve_triangular: return "solve_triangular";
    case Op::solve: return "solve";
    case Op::determinant: return "determinant";
    case Op::log_determinant: return "log_determinant";
    case Op::matrix_exp: return "matrix_exp";
    case Op::eigenvalues_sym: return "eigenvalues_sym";
    case Op::eigenvectors_sym: return "eigenvectors_sym";
    case Op::reshape: return "reshape";
    case Op::take: return "take";
    case Op::scatter: return "scatter";
    case Op::concat: return "concat";
    case Op::gather: return "gather";
    case Op::scatter_rows: return "scatter_rows";
    case Op::sparse_dot: return "sparse_dot";
    case Op::sparse_matvec: return "sparse_matvec";
    case Op::sparse_scale: return "sparse_scale";
    case Op::sparse_outer: return "sparse_outer";
    case Op::row_sum: return "row_sum";
    case Op::row_sum_outer: return "row_sum_outer";
    case Op::row_sum_scatter: return "row_sum_scatter";
    case Op::row_sum_sparse_scale: return "row_sum_sparse_scale";
    case Op::row_sum_sparse_outer: return "row_sum_sparse_outer";
  }
  return "unknown";
}

bool is_unary(Op op) {
  switch (op) {
#define X(name) case Op::name:
    SGMCMC_UNARY_OPS(X)
#undef X
    return true;
    default: return false;
  }
}

bool is_binary(Op op) {
  switch (op) {
#define X(name) case Op::name:
    SGMCMC_BINARY_OPS(X)
#undef X
    return true;
    default: return false;
  }
}

bool is_ternary(Op op) {
  switch (op) {
#define X(name) case Op::name:
    SGMCMC_TERNARY_OPS(X)
#undef X
    return true;
    default: return false;
  }
}

bool is_elementwise(Op op) { return op == Op::select || is_unary(op) || is_binary(op) || is_ternary(op); }

bool is_row_sum(Op op) { return op >= Op::row_sum; }

}  // namespace sgmcmc
