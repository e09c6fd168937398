// Unchecked builders of nodes, shared by the public functions, the gradient rules and the plan passes.
#pragma once

#include "graph/node.hpp"

#include <sgmcmc/expression.hpp>

#include <string>
#include <vector>

namespace sgmcmc::build {

/// A node with the given operands; per-row if any operand is (sums over rows: never).
Expression node(Op op, std::vector<Expression> inputs, Shape shape, Attributes attributes = {});

Expression unary(Op op, const Expression& x);
/// Broadcasts; folds neutral constants (x + 0, x * 1, ...). `what` names the operation in error messages.
Expression binary(Op op, const Expression& a, const Expression& b, const char* what);

/// Broadcasts three operands to one shape.
Expression ternary(Op op, const Expression& a, const Expression& b, const Expression& c, const char* what);

Expression zeros(const Shape& shape);
Expression identity(std::int64_t n);                  ///< a matrix
bool is_constant(const Expression& x, double value);  ///< a constant with all elements equal to value

Expression matvec(const Expression& matrix, const Expression& vector, bool transpose);
Expression matmul(const Expression& a, const Expression& b, bool transpose_a, bool transpose_b);
Expression scatter(const Expression& x, std::shared_ptr<const std::vector<std::int64_t>> positions, Shape shape);
Expression along_axis(Op op, const Expression& x, AxisView axis, Shape shape);
/// Repeats x, of elements (outer, inner), along an axis: the adjoint of a sum.
Expression repeat_along(const Expression& x, AxisView axis, Shape shape);
Expression scatter_rows(const Expression& value, const Expression& index, Shape table_shape, std::int64_t base);

/// Throws ShapeError: "what: why (a: ...; b: ...)".
[[noreturn]] void fail(const char* what, const std::string& why, const std::vector<Expression>& operands);
void require_square(const char* what, const Expression& x);
void require_value(const char* what, const Expression& x);  ///< throws for empty and sparse operands

}  // namespace sgmcmc::build
