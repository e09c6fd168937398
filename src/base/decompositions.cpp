// Instantiates Eigen's products, Cholesky factors and triangular solvers; the other decompositions are by reflections.
#include "base/decompositions.hpp"

#include "base/symmetric_eigen.hpp"
#include "base/vector_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace sgmcmc {

using Eigen::Index;
using Eigen::Lower;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::Upper;
using Eigen::VectorXd;

namespace {

double* column_of(MatrixXd& matrix, Index j) { return matrix.data() + j * matrix.rows(); }
const double* column_of(const MatrixXd& matrix, Index j) { return matrix.data() + j * matrix.rows(); }

double length(const double* x, Index size) {
  double sum = 0;
  for (Index i = 0; i < size; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

Cholesky::Cholesky(Index size) : factor_(size) {}
Cholesky::Cholesky(const Eigen::Ref<const MatrixXd>& matrix) : factor_(matrix) {}
void Cholesky::compute(const Eigen::Ref<const MatrixXd>& matrix) { factor_.compute(matrix); }
bool Cholesky::succeeded() const { return factor_.info() == Eigen::Success; }
const MatrixXd& Cholesky::numbers() const { return factor_.matrixLLT(); }
MatrixXd Cholesky::lower() const { return factor_.matrixL(); }
double Cholesky::sum_of_logs() const { return numbers().diagonal().array().log().sum(); }
MatrixXd Cholesky::inverse() const { return solve(MatrixXd::Identity(numbers().rows(), numbers().cols()).eval()); }
MatrixXd Cholesky::solve(const MatrixXd& right) const { return factor_.solve(right); }
VectorXd Cholesky::solve(const VectorXd& right) const {
  VectorXd x = right;
  solve_lower_in_place({x.data(), x.size()});
  solve_upper_in_place({x.data(), x.size()});
  return x;
}
MatrixXd Cholesky::solve_lower(const MatrixXd& right) const { return lower_solve(numbers(), right); }
MatrixXd Cholesky::solve_upper(const MatrixXd& right) const { return factor_.matrixU().solve(right); }
VectorXd Cholesky::solve_upper(const VectorXd& right) const {
  VectorXd x = right;
  solve_upper_in_place({x.data(), x.size()});
  return x;
}
void Cholesky::solve_lower_in_place(Map<VectorXd> x) const {
  lower_solve_in_place({numbers().data(), x.size(), x.size()}, x);
}
void Cholesky::solve_upper_in_place(Map<VectorXd> x) const {
  lower_transposed_solve_in_place({numbers().data(), x.size(), x.size()}, x);
}

PivotedCholesky::PivotedCholesky(const MatrixXd& matrix)
    : lower_(matrix), pivots_(matrix.rows()), order_(static_cast<std::size_t>(matrix.rows())) {
  const Index size = matrix.rows();
  std::iota(order_.begin(), order_.end(), Index{0});
  for (Index j = 0; j < size; ++j)
    for (Index i = j + 1; i < size; ++i) lower_(j, i) = lower_(i, j);
  for (Index k = 0; k < size; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < size; ++i)
      if (std::abs(lower_(i, i)) > std::abs(lower_(pivot, pivot))) pivot = i;
    for (Index j = 0; j < size && pivot != k; ++j) std::swap(lower_(k, j), lower_(pivot, j));
    if (pivot != k) std::swap_ranges(column_of(lower_, k), column_of(lower_, k) + size, column_of(lower_, pivot));
    std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    const double value = pivots_[k] = lower_(k, k);
    double* column = column_of(lower_, k);
    lower_(k, k) = 1;
    for (Index i = k + 1; i < size; ++i) {
      // Pivots of 0 come last, and what is left of a semidefinite matrix is then 0.
      if (value == 0 && column[i] != 0) succeeded_ = false;
      column[i] = value == 0 ? 0 : column[i] / value;
    }
    for (Index j = k + 1; j < size; ++j) {
      const double factor = value * column[j];
      double* left = column_of(lower_, j);
      for (Index i = k + 1; i < size; ++i) left[i] -= factor * column[i];
    }
  }
  succeeded_ = succeeded_ && pivots_.allFinite();
}
MatrixXd PivotedCholesky::solve(const MatrixXd& right) const {
  MatrixXd ordered(right.rows(), right.cols()), result(right.rows(), right.cols());
  for (Index i = 0; i < right.rows(); ++i) ordered.row(i) = right.row(order_[static_cast<std::size_t>(i)]);
  ordered = lower_solve(lower_, ordered);
  for (Index j = 0; j < right.cols(); ++j) {
    Map<VectorXd> column(column_of(ordered, j), right.rows());
    for (Index i = 0; i < right.rows(); ++i) column[i] = pivots_[i] == 0 ? 0 : column[i] / pivots_[i];
    lower_transposed_solve_in_place({lower_.data(), lower_.rows(), lower_.cols()}, column);
    for (Index i = 0; i < right.rows(); ++i) result(order_[static_cast<std::size_t>(i)], j) = column[i];
  }
  return result;
}
MatrixXd PivotedCholesky::root() const {
  MatrixXd root = MatrixXd::Zero(lower_.rows(), lower_.cols());
  for (Index j = 0; j < root.cols(); ++j) {
    const double scale = pivots_[j] < 0 ? 0 : std::sqrt(pivots_[j]);
    for (Index i = j; i < root.rows(); ++i) root(order_[static_cast<std::size_t>(i)], j) = scale * lower_(i, j);
  }
  return root;
}

LeastSquares::LeastSquares(const MatrixXd& design) : reduced_(design) {
  const Index rows = design.rows(), columns = design.cols(), least = std::min(rows, columns);
  factors_.resize(static_cast<std::size_t>(least));
  order_.resize(static_cast<std::size_t>(columns));
  std::iota(order_.begin(), order_.end(), Index{0});
  // Lengths of what is left of the columns: each step takes a square from them, and those that cancelled are summed
  // again.
  std::vector<double> lengths(order_.size()), summed(order_.size());
  const auto sum_again = [&](Index j, Index first) {
    const auto k = static_cast<std::size_t>(j);
    lengths[k] = summed[k] = length(column_of(reduced_, j) + first, rows - first);
  };
  for (Index j = 0; j < columns; ++j) sum_again(j, 0);
  for (Index k = 0; k < least; ++k) {
    const auto here = static_cast<std::size_t>(k);
    const auto pivot = static_cast<std::size_t>(std::max_element(lengths.begin() + k, lengths.end()) - lengths.begin());
    if (pivot != here) {
      double* longest = column_of(reduced_, static_cast<Index>(pivot));
      std::swap_ranges(longest, longest + rows, column_of(reduced_, k));
      std::swap(order_[here], order_[pivot]);
      std::swap(lengths[here], lengths[pivot]);
      std::swap(summed[here], summed[pivot]);
    }
    double* v = column_of(reduced_, k) + k;
    const Reflection reflection = make_reflection(v, rows - k);
    factors_[here] = reflection.factor;
    v[0] = reflection.image;
    for (Index j = k + 1; j < columns; ++j) {
      double* column = column_of(reduced_, j) + k;
      reflect(v, reflection.factor, column, rows - k);
      const auto at = static_cast<std::size_t>(j);
      if (lengths[at] == 0) continue;
      const double taken = std::abs(column[0]) / lengths[at];
      const double share = std::max(0.0, (1 + taken) * (1 - taken)), ratio = lengths[at] / summed[at];
      if (share * ratio * ratio <= std::sqrt(std::numeric_limits<double>::epsilon()))
        sum_again(j, k + 1);
      else
        lengths[at] *= std::sqrt(share);
    }
  }
  double largest = 0;
  for (Index k = 0; k < least; ++k) largest = std::max(largest, std::abs(reduced_(k, k)));
  const double smallest = largest * std::numeric_limits<double>::epsilon() * static_cast<double>(least);
  for (Index k = 0; k < least; ++k) rank_ += std::abs(reduced_(k, k)) > smallest;
}
MatrixXd LeastSquares::solve(const MatrixXd& right) const {
  MatrixXd result = MatrixXd::Zero(reduced_.cols(), right.cols());
  for (Index j = 0; j < right.cols(); ++j) {
    VectorXd turned = right.col(j);
    for (Index k = 0; k < rank_; ++k)
      reflect(column_of(reduced_, k) + k, factors_[static_cast<std::size_t>(k)], turned.data() + k, turned.size() - k);
    for (Index k = rank_; k-- > 0;) {
      const double solved = turned[k] / reduced_(k, k);
      for (Index i = 0; i < k; ++i) turned[i] -= solved * reduced_(i, k);
      result(order_[static_cast<std::size_t>(k)], j) = solved;
    }
  }
  return result;
}
VectorXd LeastSquares::shortest_of_transposed(const VectorXd& right) const {
  VectorXd t = VectorXd::Zero(reduced_.rows());
  for (Index k = 0; k < rank_; ++k) {  // R' t = right, from the top
    double sum = right[order_[static_cast<std::size_t>(k)]];
    for (Index i = 0; i < k; ++i) sum -= reduced_(i, k) * t[i];
    t[k] = sum / reduced_(k, k);
  }
  for (Index k = rank_; k-- > 0;)
    reflect(column_of(reduced_, k) + k, factors_[static_cast<std::size_t>(k)], t.data() + k, t.size() - k);
  return t;
}

SymmetricEigen symmetric_eigen(const MatrixXd& matrix) {
  const Index size = matrix.rows();
  SymmetricEigen found{VectorXd(size), matrix};
  VectorXd memory(2 * size);
  symmetric_eigen_in_place(found.vectors.data(), size, found.values.data(), true, memory.data());
  return found;
}

MatrixXd with_eigenvalues(const MatrixXd& vectors, const VectorXd& values) {
  const MatrixXd scaled = vectors * values.asDiagonal();
  return product_transposed(scaled, vectors);
}

double nuclear_norm(MatrixXd matrix) {
  const Index size = matrix.rows();
  if (matrix.cols() != size) throw std::invalid_argument("nuclear_norm: the matrix is not square");
  // Householder reflections make it upper bidiagonal, with diagonal a and superdiagonal b. The eigenvalues of the
  // symmetric tridiagonal matrix with zeros on its diagonal and a_1, b_1, a_2, b_2, ... beside it are its singular
  // values and their negatives.
  std::vector<double> beside(static_cast<std::size_t>(size > 0 ? 2 * size - 1 : 0)), row, along;
  for (Index k = 0; k < size; ++k) {
    const Index below = size - k;
    const auto right = static_cast<std::size_t>(below - 1);
    double* of_column = beside.data() + 2 * k;
    double* column = column_of(matrix, k) + k;
    const Reflection down = make_reflection(column, below);
    of_column[0] = down.image;
    if (right == 0) break;
    row.resize(right);
    for (std::size_t j = 0; j < right; ++j) {
      double* reflected = column_of(matrix, k + 1 + static_cast<Index>(j)) + k;
      reflect(column, down.factor, reflected, below);
      row[j] = reflected[0];
    }
    const Reflection across = make_reflection(row.data(), below - 1);
    of_column[1] = across.image;
    row[0] = 1;
    along.assign(right, 0.0);  // what is left of the matrix, times the vector of the reflection
    const auto left = [&](std::size_t j) {
      return std::span(column_of(matrix, k + 1 + static_cast<Index>(j)) + k + 1, right);
    };
    for (std::size_t j = 0; j < right; ++j) add_multiple(along, row[j], left(j));
    for (std::size_t j = 0; j < right; ++j) add_multiple(left(j), -across.factor * row[j], along);
  }
  std::vector<double> values(static_cast<std::size_t>(2 * size));
  tridiagonal_eigen(2 * size, values.data(), beside.data(), nullptr, 0);
  return 0.5 *
         std::accumulate(values.begin(), values.end(), 0.0, [](double sum, double x) { return sum + std::abs(x); });
}

MatrixXd lower_product(const MatrixXd& lower, const MatrixXd& right) { return lower.triangularView<Lower>() * right; }
VectorXd plus_lower_product(const VectorXd& start, const MatrixXd& lower, std::span<const double> right) {
  return start + lower.triangularView<Lower>() * Map<const VectorXd>(right.data(), lower.cols());
}
VectorXd lower_transposed_product(const MatrixXd& lower, std::span<const double> right) {
  return lower.transpose().triangularView<Upper>() * Map<const VectorXd>(right.data(), lower.rows());
}
MatrixXd lower_solve(const MatrixXd& lower, const MatrixXd& right) {
  return lower.triangularView<Lower>().solve(right);
}
void lower_solve_in_place(Map<const MatrixXd> lower, Map<VectorXd> x) { lower.triangularView<Lower>().solveInPlace(x); }
void lower_transposed_solve_in_place(Map<const MatrixXd> lower, Map<VectorXd> x) {
  lower.transpose().triangularView<Upper>().solveInPlace(x);
}

void invert_lower(Eigen::Ref<MatrixXd> lower) {
  constexpr Index few = 96;
  const Index size = lower.rows(), half = size / 2, rest = size - half;
  if (size <= few) {
    MatrixXd inverse = MatrixXd::Identity(size, size);
    lower.triangularView<Lower>().solveInPlace(inverse);
    lower.triangularView<Lower>() = inverse;
    return;
  }
  invert_lower(lower.topLeftCorner(half, half));
  invert_lower(lower.bottomRightCorner(rest, rest));
  auto below = lower.bottomLeftCorner(rest, half);
  const MatrixXd product = lower.bottomRightCorner(rest, rest).triangularView<Lower>() * below;
  below = -(product * lower.topLeftCorner(half, half).triangularView<Lower>());
}

MatrixXd product(const MatrixXd& a, const MatrixXd& b) { return a * b; }
MatrixXd product_transposed(const MatrixXd& a, const MatrixXd& b) { return a * b.transpose(); }
MatrixXd transposed_product(const MatrixXd& a, const MatrixXd& b) { return a.transpose() * b; }
VectorXd product(const MatrixXd& a, const VectorXd& b) { return a * b; }
VectorXd transposed_product(const MatrixXd& a, const VectorXd& b) { return a.transpose() * b; }
VectorXd plus_product(const VectorXd& start, const MatrixXd& a, const VectorXd& b) { return start + a * b; }
MatrixXd minus_transposed_product(const MatrixXd& start, const MatrixXd& a, const MatrixXd& b) {
  return start - a.transpose() * b;
}

}  // namespace sgmcmc
