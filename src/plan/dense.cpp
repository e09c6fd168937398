// Dense ops, contiguous. Nothing here allocates.
#include "plan/dense.hpp"

#include "base/pack.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Real>
using MatrixIn = Eigen::Map<const Matrix<Real>>;
template <class Real>
using MatrixOut = Eigen::Map<Matrix<Real>>;
template <class Real>
using VectorIn = Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>;
template <class Real>
using VectorOut = Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, 1>>;

template <class Real>
Real sum_contiguous(const Real* x, std::int64_t n) {
  Pack<Real> total(Real(0));
  std::int64_t i = 0;
  for (; i + pack_width<Real> <= n; i += pack_width<Real>) total += load(x + i);
  if (i < n) total += load_first(x + i, n - i);
  return horizontal_sum(total);
}

template <class Real>
Real dot_contiguous(const Real* a, const Real* b, std::int64_t n) {
  Pack<Real> total(Real(0));
  std::int64_t i = 0;
  for (; i + pack_width<Real> <= n; i += pack_width<Real>) total = fma(load(a + i), load(b + i), total);
  if (i < n) total = fma(load_first(a + i, n - i), load_first(b + i, n - i), total);
  return horizontal_sum(total);
}

template <class Real>
void along_axis(const Node& node, const Real* x, Real* out) {
  const AxisView axis = node.attributes.axis;
  const std::int64_t length = axis.length;
  const std::int64_t step = axis.inner;
  for (std::int64_t o = 0; o < axis.outer; ++o) {
    for (std::int64_t i = 0; i < axis.inner; ++i) {
      const Real* from = x + o * length * step + i;
      Real* reduced = out + o * axis.inner + i;
      Real* to = out + o * length * step + i;
      if (node.op == Op::sum) {
        if (step == 1) {
          *reduced = sum_contiguous(from, length);
        } else {
          Real total = 0;
          for (std::int64_t j = 0; j < length; ++j) total += from[j * step];
          *reduced = total;
        }
        continue;
      }
      if (node.op == Op::cumulative_sum) {
        Real total = 0;
        for (std::int64_t j = 0; j < length; ++j) {
          const std::int64_t at = node.attributes.reverse ? length - 1 - j : j;
          total += from[at * step];
          to[at * step] = total;
        }
        continue;
      }
      Real largest = -std::numeric_limits<Real>::infinity();
      for (std::int64_t j = 0; j < length; ++j) {
        const Real value = from[j * step];
        largest = value > largest || std::isnan(value) ? value : largest;
      }
      if (node.op == Op::reduce_max) {
        *reduced = largest;
        continue;
      }
      Real total = 0;
      const bool finite = std::isfinite(largest);
      for (std::int64_t j = 0; j < length; ++j) {
        const Real shifted = finite ? from[j * step] - largest : (from[j * step] == largest ? Real(0) : from[j * step]);
        total += std::exp(shifted);
      }
      // All minus infinity: the sum is 0 and its log minus infinity; weights are then equal.
      const Real log_total = finite ? largest + std::log(total) : largest;
      if (node.op == Op::log_sum_exp) *reduced = log_total;
      for (std::int64_t j = 0; node.op != Op::log_sum_exp && j < length; ++j) {
        const Real difference = finite ? from[j * step] - log_total : -std::log(static_cast<Real>(length));
        to[j * step] = node.op == Op::softmax ? std::exp(difference) : difference;
      }
    }
  }
}

/// out' = b' a', because products are made column-major.
template <class Real>
void multiply(const Node& node, const Real* a, const Real* b, Real* out, MatrixProduct<Real>& product) {
  const Shape& sa = node.inputs[0].shape();
  const Shape& sb = node.inputs[1].shape();
  const bool ta = node.attributes.transpose_a;
  const bool tb = node.attributes.transpose_b;
  product.set(node.shape[1], node.shape[0], sa[ta ? 0 : 1], {b, sb[1], tb, nullptr}, {a, sa[1], ta, nullptr}, out,
              node.shape[1]);
}

/// Substitution row by row, in place; `columns` right-hand sides side by side.
template <class Real>
void solve(const Real* lower, Real* x, std::int64_t n, std::int64_t columns, bool transpose) {
  auto subtract = [&](std::int64_t to, Real factor, std::int64_t from) {
    for (std::int64_t c = 0; c < columns; ++c) x[to * columns + c] -= factor * x[from * columns + c];
  };
  auto divide = [&](std::int64_t i) {
    for (std::int64_t c = 0; c < columns; ++c) x[i * columns + c] /= lower[i * n + i];
  };
  if (transpose) {
    for (std::int64_t i = n - 1; i >= 0; --i) {
      divide(i);
      if (columns == 1) {
        for (std::int64_t j = 0; j < i; ++j) x[j] -= lower[i * n + j] * x[i];
      } else {
        for (std::int64_t j = 0; j < i; ++j) subtract(j, lower[i * n + j], i);
      }
    }
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (columns == 1)
      x[i] -= dot_contiguous(lower + i * n, x, i);
    else
      for (std::int64_t j = 0; j < i; ++j) subtract(i, lower[i * n + j], j);
    divide(i);
  }
}

template <class Real>
void factorise(const Real* a, Real* out, std::int64_t n) {
  // In place on a copy of the lower triangle; a pivot that is not positive gives NaN, which the run reports.
  MatrixOut<Real> lower(out, n, n);
  lower = MatrixIn<Real>(a, n, n).template triangularView<Eigen::Lower>();
  for (std::int64_t j = 0; j < n; ++j) {
    Real pivot = lower(j, j) - lower.row(j).head(j).squaredNorm();
    pivot = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<Real>::quiet_NaN();
    lower(j, j) = pivot;
    for (std::int64_t i = j + 1; i < n; ++i)
      lower(i, j) = (lower(i, j) - lower.row(i).head(j).dot(lower.row(j).head(j))) / pivot;
  }
}

}  // namespace

template <class Real>
void evaluate_dense(const Node& node, const Real* const* in, Real* out, DenseWorkspace<Real>& workspace) {
  switch (node.op) {
    case Op::sum:
    case Op::reduce_max:
    case Op::log_sum_exp:
    case Op::softmax:
    case Op::log_softmax:
    case Op::cumulative_sum: along_axis(node, in[0], out); return;
    case Op::dot: *out = dot_contiguous(in[0], in[1], node.inputs[0].shape().size()); return;
    case Op::matvec: {
      const Shape& shape = node.inputs[0].shape();
      MatrixIn<Real> matrix(in[0], shape[0], shape[1]);
      VectorIn<Real> vector(in[1], node.inputs[1].shape().size());
      VectorOut<Real> result(out, node.shape.size());
      if (node.attributes.transpose_a)
        result.noalias() = matrix.transpose() * vector;
      else
        result.noalias() = matrix * vector;
      return;
    }
    case Op::matmul: multiply(node, in[0], in[1], out, *workspace.product); return;
    case Op::outer:
      for (std::int64_t i = 0; i < node.shape[0]; ++i)
        for (std::int64_t j = 0; j < node.shape[1]; ++j) out[i * node.shape[1] + j] = in[0][i] * in[1][j];
      return;
    case Op::cholesky: factorise(in[0], out, node.shape[0]); return;
    case Op::solve_triangular: {
      const std::int64_t n = node.inputs[0].shape()[0];
      std::copy_n(in[1], node.shape.size(), out);
      solve(in[0], out, n, node.shape.size() / std::max<std::int64_t>(n, 1), node.attributes.transpose_a);
      return;
    }
    case Op::solve: {
      const std::int64_t n = node.inputs[0].shape()[0];
      solve_general(in[0], in[1], out, n, node.shape.size() / std::max<std::int64_t>(n, 1), node.attributes.transpose_a,
                    workspace.memory.data());
      return;
    }
    case Op::determinant:
    case Op::log_determinant:
      *out = determinant(in[0], node.inputs[0].shape()[0], node.op == Op::log_determinant, workspace.memory.data());
      return;
    case Op::matrix_exp: matrix_exponential(in[0], out, node.shape[0], workspace.memory.data()); return;
    case Op::eigenvalues_sym: symmetric_spectrum<Real>(in[0], out, nullptr, node.shape[0]); return;
    case Op::eigenvectors_sym: symmetric_spectrum<Real>(in[0], nullptr, out, node.shape[0]); return;
    case Op::reshape: std::copy_n(in[0], node.shape.size(), out); return;
    case Op::take: {
      const auto& positions = *node.attributes.positions;
      for (std::size_t j = 0; j < positions.size(); ++j) out[j] = positions[j] < 0 ? Real(0) : in[0][positions[j]];
      return;
    }
    case Op::scatter: {
      const auto& positions = *node.attributes.positions;
      std::fill_n(out, node.shape.size(), Real(0));
      for (std::size_t j = 0; j < positions.size(); ++j)
        if (positions[j] >= 0) out[positions[j]] += in[0][j];
      return;
    }
    case Op::concat:
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const auto size = node.inputs[i].shape().size();
        std::copy_n(in[i], size, out);
        out += size;
      }
      return;
    default: return;
  }
}

template void evaluate_dense<double>(const Node&, const double* const*, double*, DenseWorkspace<double>&);
template void evaluate_dense<float>(const Node&, const float* const*, float*, DenseWorkspace<float>&);

}  // namespace sgmcmc
