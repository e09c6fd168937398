// The reference evaluator: any expression, one op at a time, one element at a time, exactly as op.hpp defines it.
//
// Slow, and independent of the executor and the differentiation rules. With duals as scalars, it computes derivatives.
// Also checks the shape and per-row attributes of each node.
#pragma once

#include "graph/node.hpp"
#include "reference/matrix_functions.hpp"
#include "reference/row_table.hpp"
#include "reference/scalar_functions.hpp"
#include "reference/special_functions.hpp"

#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace sgmcmc::reference {

/// One array, or one array per row, row after row.
template <class Scalar>
struct Value {
  bool per_row = false;
  std::int64_t size = 1;  ///< elements of one array
  std::vector<Scalar> elements;

  const Scalar* at(std::int64_t row) const { return elements.data() + (per_row ? row * size : 0); }
  Scalar* at(std::int64_t row) { return elements.data() + (per_row ? row * size : 0); }
};

template <class Scalar>
class ReferenceEvaluator {
 public:
  ReferenceEvaluator(const RowTable& data, ParameterVectors<Scalar> parameters)
      : data_(data), parameters_(std::move(parameters)) {}

  const Value<Scalar>& evaluate(const Expression& expression) {
    // Depth first with a stack of its own: graphs may be deeper than the call stack.
    std::vector<Expression> pending{expression};
    while (!pending.empty()) {
      const Expression next = pending.back();
      const std::size_t before = pending.size();
      if (!values_.contains(&next.node())) {
        for (const auto& input : next.node().inputs) {
          if (!values_.contains(&input.node())) pending.push_back(input);
        }
        if (pending.size() > before) continue;
        values_.emplace(&next.node(), compute(next.node()));
        kept_.push_back(next);
      }
      pending.pop_back();
    }
    return values_.at(&expression.node());
  }

 private:
  using V = Value<Scalar>;

  [[noreturn]] static void fail(const Node& node, const std::string& what) {
    throw std::logic_error("reference evaluator, op " + std::to_string(static_cast<int>(node.op)) + " of shape " +
                           node.shape.to_string() + ": " + what);
  }

  static void require(bool condition, const Node& node, const char* what) {
    if (!condition) fail(node, what);
  }

  V compute(const Node& node) {
    std::vector<const V*> inputs;
    bool any_per_row = false;
    for (const auto& input : node.inputs) {
      inputs.push_back(&values_.at(&input.node()));
      any_per_row = any_per_row || inputs.back()->per_row;
    }
    const bool from_rows = node.op == Op::row_sum || node.op == Op::row_sum_outer || node.op == Op::row_sum_scatter ||
                           node.op == Op::row_sum_sparse_scale || node.op == Op::row_sum_sparse_outer;
    const bool row_leaf =
        node.op == Op::row_real || node.op == Op::row_integer || node.op == Op::row_sparse || node.op == Op::row_weight;
    require(!from_rows || any_per_row, node, "sums over rows something that is not per-row");
    require(node.per_row == (row_leaf || (any_per_row && !from_rows)), node, "its per_row flag is wrong");

    V out;
    out.per_row = node.per_row;
    out.size = node.shape.size();
    out.elements.assign(static_cast<std::size_t>(out.size * (out.per_row ? data_.rows : 1)), Scalar(0.0));
    const std::int64_t rows = node.per_row || from_rows ? data_.rows : 1;
    std::vector<const Scalar*> arguments(inputs.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < inputs.size(); ++i) arguments[i] = inputs[i]->at(row);
      add_one(node, row, arguments, out.at(row));
    }
    return out;
  }

  /// Adds the node's value for one row to `out`, which is zero unless the op sums over rows.
  void add_one(const Node& node, std::int64_t row, const std::vector<const Scalar*>& in, Scalar* out) {
    const auto& attributes = node.attributes;
    const std::int64_t size = node.shape.size();
    switch (node.op) {
      case Op::constant:
        require(static_cast<std::int64_t>(attributes.values->size()) == size, node, "number of constants");
        std::copy(attributes.values->begin(), attributes.values->end(), out);
        return;
      case Op::parameter: {
        const auto& from = vector_of(attributes.point);
        require(attributes.offset >= 0 && attributes.offset + size <= static_cast<std::int64_t>(from.size()), node,
                "reads beyond the end of the parameter vector");
        std::copy_n(from.begin() + attributes.offset, size, out);
        return;
      }
      case Op::row_real: return copy_row(node, data_.reals, row, out);
      case Op::row_integer: return copy_row(node, data_.integers, row, out);
      case Op::row_sparse: return copy_row(node, data_.sparse, row, out);
      case Op::row_weight:
        out[0] = data_.weights.empty() ? Scalar(1.0) : Scalar(data_.weights.at(static_cast<std::size_t>(row)));
        return;

#define X(name)                                                                         \
  case Op::name:                                                                        \
    require(size_of(node, 0) == size, node, "operand of another size");                 \
    for (std::int64_t i = 0; i < size; ++i) out[i] = functions::name<Scalar>(in[0][i]); \
    return;
        SGMCMC_UNARY_OPS(X)
#undef X
#define X(name)                                                                                     \
  case Op::name:                                                                                    \
    for (std::int64_t i = 0; i < size; ++i) {                                                       \
      out[i] = functions::name<Scalar>(in[0][stretched(node, 0, i)], in[1][stretched(node, 1, i)]); \
    }                                                                                               \
    return;
        SGMCMC_BINARY_OPS(X)
#undef X
#define X(name)                                                                                    \
  case Op::name:                                                                                   \
    for (std::int64_t i = 0; i < size; ++i) {                                                      \
      out[i] = functions::name<Scalar>(in[0][stretched(node, 0, i)], in[1][stretched(node, 1, i)], \
                                       in[2][stretched(node, 2, i)]);                              \
    }                                                                                              \
    return;
        SGMCMC_TERNARY_OPS(X)
#undef X
      case Op::select:
        for (std::int64_t i = 0; i < size; ++i) {
          const bool taken = primal(in[0][stretched(node, 0, i)]) != 0;
          out[i] = taken ? in[1][stretched(node, 1, i)] : in[2][stretched(node, 2, i)];
        }
        return;

      case Op::sum:
      case Op::reduce_max:
      case Op::log_sum_exp:
      case Op::softmax:
      case Op::log_softmax:
      case Op::cumulative_sum: return along_axis(node, in[0], out);

      case Op::dot:
        require(size == 1 && size_of(node, 0) == size_of(node, 1), node, "dot of arrays of different sizes");
        for (std::int64_t i = 0; i < size_of(node, 0); ++i) out[0] += in[0][i] * in[1][i];
        return;
      case Op::matvec: return multiply(node, in, false, size, 1, out);
      case Op::matmul: return multiply(node, in, attributes.transpose_b, node.shape[0], node.shape[1], out);
      case Op::outer:
      case Op::row_sum_outer: return add_outer(node, in[0], size_of(node, 0), in[1], size_of(node, 1), out);
      case Op::cholesky: return cholesky(node, in[0], out);
      case Op::solve_triangular: return solve_triangular(node, in[0], in[1], out);

      case Op::solve:
      case Op::determinant:
      case Op::log_determinant:
      case Op::matrix_exp:
      case Op::eigenvalues_sym:
      case Op::eigenvectors_sym: return matrix_function(node, in, out);

      case Op::reshape:
        require(size_of(node, 0) == size, node, "reshape to another size");
        std::copy_n(in[0], size, out);
        return;
      case Op::take:
        require(static_cast<std::int64_t>(attributes.positions->size()) == size, node, "number of positions");
        for (std::int64_t i = 0; i < size; ++i) {
          const std::int64_t position = (*attributes.positions)[static_cast<std::size_t>(i)];
          require(position < size_of(node, 0), node, "position beyond the end");
          if (position >= 0) out[i] = in[0][position];
        }
        return;
      case Op::scatter:
        require(static_cast<std::int64_t>(attributes.positions->size()) == size_of(node, 0), node,
                "number of positions");
        for (std::int64_t i = 0; i < size_of(node, 0); ++i) {
          const std::int64_t position = (*attributes.positions)[static_cast<std::size_t>(i)];
          require(position < size, node, "position beyond the end");
          if (position >= 0) out[position] += in[0][i];
        }
        return;
      case Op::concat: {
        std::int64_t start = 0;
        for (std::size_t part = 0; part < in.size(); ++part) {
          require(start + size_of(node, part) <= size, node, "parts longer than the whole");
          std::copy_n(in[part], size_of(node, part), out + start);
          start += size_of(node, part);
        }
        return require(start == size, node, "parts shorter than the whole");
      }

      case Op::gather: {
        const Shape& table = node.inputs[0].shape();
        const std::int64_t count = entry_size(node, table, size);
        for (std::int64_t k = 0; k < size_of(node, 1); ++k) {
          const std::int64_t index = index_of(node, in[1][k], table[0]);
          std::copy_n(in[0] + index * count, count, out + k * count);
        }
        return;
      }
      case Op::scatter_rows:
      case Op::row_sum_scatter: {
        const std::int64_t count = entry_size(node, node.shape, size_of(node, 0));
        for (std::int64_t k = 0; k < size_of(node, 1); ++k) {
          const std::int64_t index = index_of(node, in[1][k], node.shape[0]);
          for (std::int64_t i = 0; i < count; ++i) out[index * count + i] += in[0][k * count + i];
        }
        return;
      }

      case Op::sparse_dot:
        require(size == 1 && size_of(node, 0) == size_of(node, 1), node, "sparse_dot of different sizes");
        for (std::int64_t i = 0; i < size_of(node, 0); ++i) out[0] += in[0][i] * in[1][i];
        return;
      case Op::sparse_matvec: {
        const std::int64_t columns = size_of(node, 0);
        require(size_of(node, 1) == size * columns, node, "sparse_matvec of sizes that do not fit");
        for (std::int64_t i = 0; i < size; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) out[i] += in[1][i * columns + j] * in[0][j];
        }
        return;
      }
      case Op::sparse_scale:
      case Op::row_sum_sparse_scale:
        require(size_of(node, 0) == size && size_of(node, 1) == 1, node, "sparse_scale of sizes that do not fit");
        for (std::int64_t i = 0; i < size; ++i) out[i] += in[0][i] * in[1][0];
        return;
      case Op::sparse_outer:
      case Op::row_sum_sparse_outer: return add_outer(node, in[1], size_of(node, 1), in[0], size_of(node, 0), out);

      case Op::row_sum:
        require(size_of(node, 0) == size, node, "sum over rows of another size");
        for (std::int64_t i = 0; i < size; ++i) out[i] += in[0][i];
        return;
    }
    fail(node, "an op that the reference does not know");
  }

  static std::int64_t size_of(const Node& node, std::size_t input) { return node.inputs[input].shape().size(); }

  /// Position of element i of the result in an operand, which has the result's shape or is a scalar.
  static std::int64_t stretched(const Node& node, std::size_t input, std::int64_t i) {
    if (node.inputs[input].shape() == node.shape) return i;
    require(node.inputs[input].shape().is_scalar(), node, "operand neither of the result's shape nor a scalar");
    return 0;
  }

  const std::vector<Scalar>& vector_of(Point point) const {
    switch (point) {
      case Point::current: return parameters_.current;
      case Point::centre: return parameters_.centre;
      case Point::direction: return parameters_.direction;
    }
    throw std::logic_error("reference evaluator: an unknown point");
  }

  template <class Columns>
  static void copy_row(const Node& node, const Columns& columns, std::int64_t row, Scalar* out) {
    const auto found = columns.find(node.attributes.name);
    if (found == columns.end()) fail(node, "no column " + node.attributes.name);
    const std::int64_t size = node.shape.size();
    require((row + 1) * size <= static_cast<std::int64_t>(found->second.size()), node, "column too short");
    for (std::int64_t i = 0; i < size; ++i) {
      out[i] = Scalar(static_cast<double>(found->second[static_cast<std::size_t>(row * size + i)]));
    }
  }

  /// Elements of one entry of a table, of which the picked array has as many as there are indices.
  static std::int64_t entry_size(const Node& node, const Shape& table, std::int64_t picked_size) {
    require(table.rank() >= 1, node, "the table has no first axis");
    const std::int64_t count = table.size() / table[0];
    require(picked_size == count * size_of(node, 1), node, "table and picked entries do not fit");
    return count;
  }

  static std::int64_t index_of(const Node& node, const Scalar& index, std::int64_t length) {
    const auto position = static_cast<std::int64_t>(primal(index)) - node.attributes.offset;
    require(position >= 0 && position < length, node, "index out of range");
    return position;
  }

  static void along_axis(const Node& node, const Scalar* in, Scalar* out) {
    using std::exp, std::log;
    const AxisView& axis = node.attributes.axis;
    const bool reduces = node.op == Op::sum || node.op == Op::reduce_max || node.op == Op::log_sum_exp;
    require(axis.outer * axis.length * axis.inner == size_of(node, 0), node, "axis does not fit the operand");
    require(axis.outer * axis.inner * (reduces ? 1 : axis.length) == node.shape.size(), node, "axis does not fit");
    for (std::int64_t o = 0; o < axis.outer; ++o) {
      for (std::int64_t i = 0; i < axis.inner; ++i) {
        const auto x = [&](std::int64_t j) { return in[(o * axis.length + j) * axis.inner + i]; };
        Scalar total(0.0);
        Scalar largest(-std::numeric_limits<double>::infinity());
        for (std::int64_t j = 0; j < axis.length; ++j) {
          total += x(j);
          if (primal(x(j)) > primal(largest)) largest = x(j);
        }
        Scalar exponentials(0.0);
        if (std::isfinite(primal(largest))) {
          for (std::int64_t j = 0; j < axis.length; ++j) exponentials += exp(x(j) - largest);
        }
        const Scalar log_total = std::isfinite(primal(largest)) ? largest + log(exponentials) : largest;
        if (reduces) {
          out[o * axis.inner + i] = node.op == Op::sum ? total : node.op == Op::reduce_max ? largest : log_total;
          continue;
        }
        Scalar running(0.0);
        for (std::int64_t step = 0; step < axis.length; ++step) {
          const std::int64_t j = node.attributes.reverse ? axis.length - 1 - step : step;
          running += x(j);
          Scalar& result = out[(o * axis.length + j) * axis.inner + i];
          if (node.op == Op::softmax) result = exp(x(j) - largest) / exponentials;
          if (node.op == Op::log_softmax) result = x(j) - largest - log(exponentials);
          if (node.op == Op::cumulative_sum) result = running;
        }
      }
    }
  }

  /// out [rows, columns] = op(A) op(B), where a vector B counts as one column.
  static void multiply(const Node& node, const std::vector<const Scalar*>& in, bool transpose_b, std::int64_t rows,
                       std::int64_t columns, Scalar* out) {
    const Shape& a = node.inputs[0].shape();
    const bool transpose_a = node.attributes.transpose_a;
    require(a.rank() == 2 && a[transpose_a ? 1 : 0] == rows, node, "rows of the left factor");
    const std::int64_t inner = a[transpose_a ? 0 : 1];
    require(size_of(node, 1) == inner * columns && node.shape.size() == rows * columns, node, "right factor");
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t k = 0; k < inner; ++k) {
          const Scalar& left = in[0][transpose_a ? k * rows + i : i * inner + k];
          const Scalar& right = in[1][transpose_b ? j * inner + k : k * columns + j];
          out[i * columns + j] += left * right;
        }
      }
    }
  }

  static void add_outer(const Node& node, const Scalar* a, std::int64_t rows, const Scalar* b, std::int64_t columns,
                        Scalar* out) {
    require(node.shape == Shape({rows, columns}), node, "shape of an outer product");
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) out[i * columns + j] += a[i] * b[j];
    }
  }

  static void cholesky(const Node& node, const Scalar* a, Scalar* lower) {
    using std::sqrt;
    require(node.shape.rank() == 2 && node.shape[0] == node.shape[1], node, "not square");
    require(node.inputs[0].shape() == node.shape, node, "operand of another shape");
    const std::int64_t n = node.shape[0];
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        Scalar rest = a[i * n + j];
        for (std::int64_t k = 0; k < j; ++k) rest -= lower[i * n + k] * lower[j * n + k];
        lower[i * n + j] = i == j ? sqrt(rest) : rest / lower[j * n + j];
      }
    }
  }

  static void solve_triangular(const Node& node, const Scalar* lower, const Scalar* b, Scalar* x) {
    const Shape& matrix = node.inputs[0].shape();
    require(matrix.rank() == 2 && matrix[0] == matrix[1], node, "not square");
    require(node.inputs[1].shape() == node.shape && node.shape[0] == matrix[0], node, "right-hand side");
    const std::int64_t n = matrix[0];
    const std::int64_t columns = node.shape.size() / n;
    const bool transposed = node.attributes.transpose_a;
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t i = transposed ? n - 1 - step : step;
        Scalar rest = b[i * columns + c];
        for (std::int64_t done = 0; done < step; ++done) {
          const std::int64_t j = transposed ? n - 1 - done : done;
          rest -= lower[transposed ? j * n + i : i * n + j] * x[j * columns + c];
        }
        x[i * columns + c] = rest / lower[i * n + i];
      }
    }
  }

  static void matrix_function(const Node& node, const std::vector<const Scalar*>& in, Scalar* out) {
    using std::log;
    const Shape& matrix = node.inputs[0].shape();
    require(matrix.rank() == 2 && matrix[0] == matrix[1], node, "not square");
    const std::int64_t n = matrix[0];
    std::vector<Scalar> a(in[0], in[0] + n * n);
    switch (node.op) {
      case Op::solve:
        require(node.inputs[1].shape() == node.shape && node.shape[0] == n, node, "right-hand side");
        std::copy_n(in[1], node.shape.size(), out);
        for (std::int64_t i = 0; node.attributes.transpose_a && i < n; ++i)
          for (std::int64_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
        eliminate(std::move(a), out, n, node.shape.size() / n);
        return;
      case Op::determinant:
      case Op::log_determinant: {
        require(node.shape.is_scalar(), node, "not a scalar");
        const Scalar determinant = eliminate(std::move(a), static_cast<Scalar*>(nullptr), n, 0);
        out[0] = node.op == Op::determinant ? determinant : log(primal(determinant) < 0 ? -determinant : determinant);
        return;
      }
      case Op::matrix_exp: {
        const auto result = taylor_exponential(a.data(), n);
        std::copy(result.begin(), result.end(), out);
        return;
      }
      default: {
        const auto spectrum = jacobi_spectrum(a.data(), n);
        const auto& result = node.op == Op::eigenvalues_sym ? spectrum.values : spectrum.vectors;
        require(node.shape.size() == static_cast<std::int64_t>(result.size()), node, "size of a spectrum");
        std::copy(result.begin(), result.end(), out);
      }
    }
  }

  const RowTable& data_;
  ParameterVectors<Scalar> parameters_;
  std::unordered_map<const Node*, V> values_;
  std::vector<Expression> kept_;  ///< holds the nodes whose addresses are keys, so that no address is reused
};

}  // namespace sgmcmc::reference
