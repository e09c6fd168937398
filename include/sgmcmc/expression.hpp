// Expressions: what a log density is written in. A value is global or per-row; its shape never mentions rows.
//
// An Expression is an immutable, cheap-to-copy handle on a node of a graph. Functions and operators build new nodes and
// check shapes and element types at once: a mistake throws ShapeError naming the operands. Elementwise functions
// broadcast as NumPy does (shapes aligned at the last axis); a result is per-row when any operand is.
#pragma once

#include <sgmcmc/shape.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

struct Node;

enum class ElementType : std::uint8_t { real, integer };

class Expression {
 public:
  Expression() = default;  ///< empty: stands for "nothing"; using it in an operation throws
  Expression(double value);
  Expression(int value) : Expression(static_cast<double>(value)) {}
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  explicit operator bool() const { return node_ != nullptr; }
  const Node& node() const { return *node_; }
  const std::shared_ptr<const Node>& pointer() const { return node_; }

  const Shape& shape() const;
  bool per_row() const;
  ElementType type() const;
  /// "beta: global real [54]", for messages.
  std::string describe() const;

  /// Element (or sub-array) at a fixed position of the first axis, counted from 0.
  Expression operator[](std::int64_t index) const;

 private:
  std::shared_ptr<const Node> node_;
};

// Leaves -------------------------------------------------------------------------------------------------------------
Expression constant(std::vector<double> values, Shape shape);
Expression constant(std::vector<double> values);  ///< a vector

// Elementwise, one argument ------------------------------------------------------------------------------------------
Expression operator-(const Expression& x);
Expression exp(const Expression& x);
Expression log(const Expression& x);
Expression log1p(const Expression& x);
Expression expm1(const Expression& x);
Expression logistic(const Expression& x);      ///< 1 / (1 + exp(-x))
Expression logit(const Expression& x);         ///< log(x / (1 - x))
Expression log_logistic(const Expression& x);  ///< log(logistic(x)), stable
Expression log1p_exp(const Expression& x);     ///< log(1 + exp(x)), stable
Expression log1m(const Expression& x);         ///< log(1 - x)
Expression log1m_exp(const Expression& x);     ///< log(1 - exp(x)) for x < 0, stable
Expression tanh(const Expression& x);
Expression sinh(const Expression& x);
Expression cosh(const Expression& x);
Expression sin(const Expression& x);
Expression cos(const Expression& x);
Expression tan(const Expression& x);
Expression asin(const Expression& x);
Expression acos(const Expression& x);
Expression atan(const Expression& x);
Expression sqrt(const Expression& x);
Expression square(const Expression& x);
Expression reciprocal(const Expression& x);
Expression abs(const Expression& x);
Expression sign(const Expression& x);  ///< -1, 0 or 1; derivative zero
Expression floor(const Expression& x);
Expression ceil(const Expression& x);
Expression round(const Expression& x);
Expression lgamma(const Expression& x);
Expression digamma(const Expression& x);
Expression trigamma(const Expression& x);
Expression erf(const Expression& x);
Expression erfc(const Expression& x);
Expression Phi(const Expression& x);      ///< standard normal distribution function
Expression log_Phi(const Expression& x);  ///< its logarithm, stable in the lower tail

// Elementwise, two or three arguments --------------------------------------------------------------------------------
Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);  ///< elementwise; see dot and matmul for products
Expression operator/(const Expression& a, const Expression& b);
Expression pow(const Expression& base, const Expression& exponent);
Expression max(const Expression& a, const Expression& b);
Expression min(const Expression& a, const Expression& b);
Expression log_add_exp(const Expression& a, const Expression& b);   ///< log(exp(a) + exp(b))
Expression log_diff_exp(const Expression& a, const Expression& b);  ///< log(exp(a) - exp(b)), a > b
Expression multiply_log(const Expression& a, const Expression& b);  ///< a * log(b), with 0 * log(0) = 0
Expression operator<(const Expression& a, const Expression& b);     ///< 1.0 where true, else 0.0; derivative zero
Expression operator<=(const Expression& a, const Expression& b);
Expression operator>(const Expression& a, const Expression& b);
Expression operator>=(const Expression& a, const Expression& b);
Expression equal(const Expression& a, const Expression& b);
Expression not_equal(const Expression& a, const Expression& b);
/// if_true where condition is not 0, else if_false. Derivatives of the branch not taken are multiplied by 0, so its
/// slope must be finite: an infinite one gives NaN. Clamp the argument instead: select(x > 0, log(max(x, 1e-300)), 0).
Expression select(const Expression& condition, const Expression& if_true, const Expression& if_false);

// Reductions: over all elements, or along one axis (negative counts from the last) -----------------------------------
Expression sum(const Expression& x);
Expression sum(const Expression& x, std::int64_t axis);
Expression mean(const Expression& x);
Expression maximum(const Expression& x);
Expression maximum(const Expression& x, std::int64_t axis);
Expression minimum(const Expression& x);
Expression log_sum_exp(const Expression& x);
Expression log_sum_exp(const Expression& x, std::int64_t axis);
Expression softmax(const Expression& x);         ///< along the last axis
Expression log_softmax(const Expression& x);     ///< along the last axis
Expression cumulative_sum(const Expression& x);  ///< along the last axis

// Linear algebra -----------------------------------------------------------------------------------------------------
Expression dot(const Expression& a, const Expression& b);     ///< sum of products of two arrays of one shape
Expression matmul(const Expression& a, const Expression& b);  ///< matrix-matrix, matrix-vector or vector-matrix
Expression outer(const Expression& a, const Expression& b);   ///< vector x vector -> matrix
Expression transpose(const Expression& matrix);
Expression diagonal(const Expression& matrix);  ///< its diagonal as a vector
Expression diagonal_matrix(const Expression& vector);
Expression cholesky(const Expression& matrix);  ///< lower factor L of a symmetric positive definite matrix
enum class Triangle : std::uint8_t { lower, lower_transposed };
/// Solves L x = b, or L' x = b; b a vector or a matrix; only the lower triangle of L is read.
Expression solve_triangular(const Expression& lower, const Expression& b, Triangle which = Triangle::lower);
Expression log_determinant(const Expression& matrix);  ///< of a symmetric positive definite matrix

// Picking and arranging elements -------------------------------------------------------------------------------------
/// Row (or element) `index` of the first axis of `table`, where index is integer row data counted from `base`. An array
/// of indices picks an array of rows: the result has the shape of the index followed by that of one row.
Expression gather(const Expression& table, const Expression& index, std::int64_t base = 0);
/// Elements at fixed flat positions, arranged in `shape`; position -1 gives 0.
Expression take(const Expression& x, std::vector<std::int64_t> positions, Shape shape);
/// `count` consecutive entries of the first axis.
Expression slice(const Expression& x, std::int64_t start, std::int64_t count);
Expression column(const Expression& matrix, std::int64_t index);
Expression concatenate(const std::vector<Expression>& parts);  ///< along the first axis; scalars count as length 1
Expression stack(const std::vector<Expression>& parts);        ///< equal shapes along a new first axis
Expression reshape(const Expression& x, Shape shape);
Expression broadcast_to(const Expression& x, Shape shape);

}  // namespace sgmcmc
