// One node of the expression graph: an operation, its operands and its attributes.
#pragma once

#include "graph/op.hpp"

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

/// The parameter vector that a `parameter` leaf reads.
enum class Point : std::uint8_t {
  current,    ///< theta, where the log density is evaluated
  centre,     ///< theta-hat of control variates
  direction,  ///< v of Hessian-vector products
};

/// An array viewed along one axis: element (o, j, i) is at flat position (o * length + j) * inner + i.
struct AxisView {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  friend bool operator==(const AxisView&, const AxisView&) = default;
};

/// The attributes of a node besides its operands. op.hpp lists those that each op uses.
struct Attributes {
  std::string name;                                   ///< leaves: column or parameter name
  Point point = Point::current;                       ///< parameter
  std::int64_t offset = 0;                            ///< parameter: first element in theta; gather: index base
  AxisView axis;                                      ///< reductions, softmax, cumulative_sum
  bool transpose_a = false;                           ///< matvec, matmul, solve_triangular
  bool transpose_b = false;                           ///< matmul
  bool reverse = false;                               ///< cumulative_sum: from the end
  std::shared_ptr<const std::vector<double>> values;  ///< constant
  std::shared_ptr<const std::vector<std::int64_t>> positions;  ///< take, scatter
};

struct Node {
  Op op = Op::constant;
  std::vector<Expression> inputs;
  Shape shape;
  bool per_row = false;
  ElementType type = ElementType::real;
  Attributes attributes;

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();  ///< iterative: graphs may be deeper than the stack
};

}  // namespace sgmcmc
