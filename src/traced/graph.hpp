// A graph of array operations that a front end recorded over a whole minibatch: the first axis of its data counts the
// rows of the minibatch.
#pragma once

#include <sgmcmc/shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc::traced {

/// One operation. Axes count from 0 and may be negative, as in NumPy and TensorFlow.
struct TracedNode {
  std::string op;                      ///< "parameter", "placeholder", "constant", or an operation: lowering.hpp
  std::vector<std::size_t> inputs;     ///< earlier nodes
  std::string name;                    ///< of a parameter or a column of the data; the formula of einsum
  std::vector<std::int64_t> integers;  ///< axes, a permutation, a shape or flags, depending on the operation
  std::vector<double> values;          ///< of a constant, row-major
  Shape shape;                         ///< of a constant, or the shape to give
  std::string call;                    ///< the user's call, for messages
};

struct TracedGraph {
  std::vector<TracedNode> nodes;
  std::int64_t batch_rows = 0;  ///< rows of the minibatch: the first axis of every placeholder

  std::size_t add(TracedNode node) {
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
};

}  // namespace sgmcmc::traced
