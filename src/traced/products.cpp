// Products of matrices and arrays, matrix functions and multivariate densities: rows may be kept or added up, never
// paired with one another.
#include "traced/lowering.hpp"

#include <sgmcmc/distributions.hpp>

#include <algorithm>
#include <string>

namespace sgmcmc::traced {
namespace {

constexpr const char* pairs_of_rows =
    "every row of the minibatch is paired with every other one, and rows change every step; a density has a term for "
    "each row by itself";

Value swapped(const Value& x) {
  const std::size_t rank = x.rank();
  std::vector<std::size_t> own;
  std::size_t row_axis = 0;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t axis = k + 2 == rank ? rank - 1 : k + 1 == rank ? rank - 2 : k;
    if (x.is_per_row() && axis == x.row_axis)
      row_axis = k;
    else
      own.push_back(x.is_per_row() && axis > x.row_axis ? axis - 1 : axis);
  }
  const Expression made = permuted(x.own(), own);
  return x.is_per_row() ? Value::of_row(made, row_axis) : Value::of_all(made);
}

/// x [d] times B [d, k].
Expression row_times_matrix(const Expression& x, const Expression& matrix) {
  if (matrix.shape()[1] != 1) return matmul(x, matrix);
  return reshape(dot(x, reshape(matrix, Shape{matrix.shape()[0]})), Shape{1});
}

/// integers: transpose_a, transpose_b.
Value product(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  if (operands[0].is_summed() || operands[1].is_summed()) refuse(node.call, sum_misused);
  const bool transpose_a = !node.integers.empty() && node.integers[0] != 0;
  const bool transpose_b = node.integers.size() > 1 && node.integers[1] != 0;
  const std::int64_t n = lowering.batch_rows();
  if (operands[0].rank() < 2 || operands[1].rank() < 2)
    refuse(node.call, "tf$matmul takes matrices; found shapes " + operands[0].shape(n).to_string() + " and " +
                          operands[1].shape(n).to_string() + "; tf$expand_dims adds an axis");
  const Value a = transpose_a ? swapped(operands[0]) : operands[0],
              b = transpose_b ? swapped(operands[1]) : operands[1];
  const Shape left = a.shape(n), right = b.shape(n);
  if (left[left.rank() - 1] != right[right.rank() - 2])
    refuse(node.call, "matrices of shapes " + left.to_string() + " and " + right.to_string() + " do not fit together");
  if (left.rank() > 2 || right.rank() > 2) {
    if (left.rank() == 3 && right.rank() == 3 && a.is_per_row() && b.is_per_row() && a.row_axis == 0 && b.row_axis == 0)
      return Value::of_row(matmul(a.row, b.row), 0);
    refuse(node.call,
           "products of arrays with more than two axes are known for one matrix per row only; use tf$einsum");
  }
  if (a.is_global() && b.is_global()) return Value::of_all(matmul(a.global, b.global));
  if (a.is_per_row() && b.is_global()) {
    if (a.row_axis == 0) return Value::of_row(row_times_matrix(a.row, b.global), 0);
    // Sums over the rows. The global factor must not vary along the axis of rows, which without_rows() checks.
    return Value::sum_of(outer(a.row, without_rows(b, 2, node, n)));
  }
  if (a.is_global() && b.is_per_row()) {
    if (b.row_axis == 1) {
      if (a.global.shape()[0] == 1)
        return Value::of_row(reshape(dot(reshape(a.global, Shape{a.global.shape()[1]}), b.row), Shape{1}), 1);
      return Value::of_row(matmul(a.global, b.row), 1);
    }
    return Value::sum_of(outer(without_rows(a, 1, node, n), b.row));
  }
  if (a.row_axis == 1 && b.row_axis == 0) return Value::sum_of(outer(a.row, b.row));
  refuse(node.call, pairs_of_rows);
}

/// Broadcast product of arrays labelled by letters, summed over the letters that the result lacks.
Expression labelled_product(const std::vector<Expression>& x, const std::vector<std::string>& labels,
                            const std::string& result) {
  std::string all = result;
  for (const auto& own : labels)
    for (const char label : own)
      if (all.find(label) == std::string::npos) all += label;
  Expression made;
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::vector<std::size_t> order;
    std::vector<std::int64_t> dims;
    for (const char label : all) {
      const auto at = labels[k].find(label);
      if (at != std::string::npos) order.push_back(at);
      dims.push_back(at == std::string::npos ? 1 : x[k].shape()[at]);
    }
    const Expression own = reshape(permuted(x[k], order), Shape(dims));
    made = made ? made * own : own;
  }
  for (std::size_t axis = all.size(); axis-- > result.size();) made = sum(made, static_cast<std::int64_t>(axis));
  return made;
}

/// name: the formula, 'ij,jk->ik'.
Value einsum(Lowering&, const TracedNode& node, const Operands& operands) {
  std::string formula;
  for (const char c : node.name)
    if (c != ' ') formula += c;
  const auto arrow = formula.find("->");
  if (arrow == std::string::npos) refuse(node.call, "the formula needs '->', as in 'ij,ij->i'");
  std::string result = formula.substr(arrow + 2);
  std::vector<std::string> labels(1);
  for (const char c : formula.substr(0, arrow)) {
    if (c == ',')
      labels.emplace_back();
    else
      labels.back() += c;
  }
  if (labels.size() != operands.size()) refuse(node.call, "the formula has another number of operands");
  char rows = 0;
  std::vector<Expression> own;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].is_summed()) refuse(node.call, sum_misused);
    if (labels[k].size() != operands[k].rank()) refuse(node.call, "a label for each axis was expected");
    for (const char label : labels[k])
      if (std::count(labels[k].begin(), labels[k].end(), label) > 1)
        refuse(node.call, "diagonals, as in 'ii->i', are not known; use tf$diag_part");
    if (operands[k].is_per_row()) {
      const char label = labels[k][operands[k].row_axis];
      if (rows != 0 && rows != label) refuse(node.call, pairs_of_rows);
      rows = label;
    }
  }
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto at = rows == 0 ? std::string::npos : labels[k].find(rows);
    if (at != std::string::npos && operands[k].is_global())
      own.push_back(without_rows(operands[k], labels[k].size() - at, node, 0));
    else
      own.push_back(operands[k].own());
    if (at != std::string::npos) labels[k].erase(at, 1);
  }
  const auto kept = rows == 0 ? std::string::npos : result.find(rows);
  if (kept != std::string::npos) result.erase(kept, 1);
  const Expression made = labelled_product(own, labels, result);
  if (rows == 0) return Value::of_all(made);
  return kept == std::string::npos ? Value::sum_of(made) : Value::of_row(made, kept);
}

/// A function of matrices and vectors, either global ones or one per row.
template <auto function>
Value of_matrices(Lowering&, const TracedNode& node, const Operands& operands) {
  bool per_row = false;
  for (const auto& one : operands) {
    if (one.is_summed()) refuse(node.call, sum_misused);
    if (one.is_per_row() && one.row_axis != 0) refuse(node.call, "the rows must be the first axis; use tf$transpose");
    per_row = per_row || one.is_per_row();
  }
  std::vector<Expression> own;
  for (const auto& one : operands) own.push_back(one.own());
  const Expression made = function(own);
  return per_row ? Value::of_row(made, 0) : Value::of_all(made);
}

/// A density of vectors: one for each vector of x, the last operand.
template <auto density>
Value of_vectors(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value& x = operands.back();
  if (!x.is_global() || x.rank() < 2) return of_matrices<density>(lowering, node, operands);
  if (x.rank() > 2) refuse(node.call, "the outcome has more than two axes");
  std::vector<Expression> all;
  for (std::int64_t k = 0; k < x.global.shape()[0]; ++k) {
    std::vector<Expression> own;
    for (const auto& one : operands) {
      if (!one.is_global()) refuse(node.call, "parameters of rows meet an outcome without rows");
      own.push_back(one.global);
    }
    own.back() = x.global[k];
    all.push_back(density(own));
  }
  return Value::of_all(stack(all));
}

using Some = const std::vector<Expression>&;

}  // namespace

// Densities take the outcome last.
const std::vector<NamedRule> product_rules = {
    {"matmul", &product},
    {"einsum", &einsum},
    {"diag", &of_matrices<+[](Some x) { return diagonal_matrix(x[0]); }>},
    {"diag_part", &of_matrices<+[](Some x) { return diagonal(x[0]); }>},
    {"trace", &of_matrices<+[](Some x) { return trace(x[0]); }>},
    {"cholesky", &of_matrices<+[](Some x) { return cholesky(x[0]); }>},
    {"matrix_inverse", &of_matrices<+[](Some x) { return inverse(x[0]); }>},
    {"matrix_determinant", &of_matrices<+[](Some x) { return determinant(x[0]); }>},
    {"log_determinant", &of_matrices<+[](Some x) { return log_determinant(x[0]); }>},
    {"matrix_solve", &of_matrices<+[](Some x) { return solve(x[0], x[1]); }>},
    {"matrix_triangular_solve", &of_matrices<+[](Some x) { return solve_triangular(x[0], x[1]); }>},
    {"multi_normal_lpdf", &of_vectors<+[](Some x) { return multi_normal_lpdf(x[2], x[0], x[1]); }>},
    {"multi_normal_cholesky_lpdf", &of_vectors<+[](Some x) { return multi_normal_cholesky_lpdf(x[2], x[0], x[1]); }>},
    {"dirichlet_lpdf", &of_vectors<+[](Some x) { return dirichlet_lpdf(x[1], x[0]); }>},
    {"wishart_lpdf", &of_matrices<+[](Some x) { return wishart_lpdf(x[2], x[0], x[1]); }>},
};

}  // namespace sgmcmc::traced
