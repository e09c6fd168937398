// Non-elementwise ops on one instance of contiguous operands: global values, and the general case for rows.
#pragma once

#include "graph/node.hpp"
#include "plan/matrix_functions.hpp"
#include "plan/matrix_product.hpp"

#include <optional>
#include <vector>

namespace sgmcmc {

/// The scratch memory of an op.
template <class Real>
struct DenseWorkspace {
  explicit DenseWorkspace(const Node& node) {
    if (!node.inputs.empty() && node.inputs[0].shape().rank() == 2)
      memory.resize(static_cast<std::size_t>(matrix_memory(node.op, node.inputs[0].shape()[0])));
    if (node.op != Op::matmul) return;
    const Shape& a = node.inputs[0].shape();
    product.emplace(node.shape[1], node.shape[0], a[node.attributes.transpose_a ? 0 : 1]);
  }
  std::optional<MatrixProduct<Real>> product;  ///< of the transposed matrices: their result is column-major
  std::vector<Real> memory;                    ///< of functions of a matrix
};

/// Computes the node's op from contiguous operands. Not for gather-like, sparse and row-sum ops.
template <class Real>
void evaluate_dense(const Node& node, const Real* const* inputs, Real* out, DenseWorkspace<Real>& workspace);

}  // namespace sgmcmc
