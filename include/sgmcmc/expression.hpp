// Expressions, in which log densities are written. A value is global or per-row; its shape never includes rows.
//
// An Expression is an immutable, cheap-to-copy handle on a node of a graph. Functions and operators build new nodes and
// check shapes and element types at once: a mistake throws ShapeError naming the operands. Elementwise functions
// broadcast as NumPy does (shapes aligned at the last axis); a result is per-row if any operand is.
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
  Expression() = default;  ///< empty; using it in an operation throws
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
Expression Phi(const Expression& x);         ///< standard normal distribution function
Expression log_Phi(const Expression& x);     ///< its logarithm, stable in the lower tail
Expression inv_Phi(const Expression& p);     ///< standard normal quantile
Expression Phi_approx(const Expression& x);  ///< logistic(0.07056 x^3 + 1.5976 x)
Expression asinh(const Expression& x);
Expression acosh(const Expression& x);
Expression atanh(const Expression& x);
Expression cbrt(const Expression& x);
Expression exp2(const Expression& x);
Expression log2(const Expression& x);
Expression log10(const Expression& x);
Expression inv(const Expression& x);              ///< reciprocal
Expression inv_sqrt(const Expression& x);         ///< 1 / sqrt(x)
Expression inv_square(const Expression& x);       ///< 1 / x^2
Expression inv_cloglog(const Expression& x);      ///< 1 - exp(-exp(x))
Expression log_inv_logit(const Expression& x);    ///< log_logistic
Expression log1m_inv_logit(const Expression& x);  ///< log(1 - logistic(x))
Expression tgamma(const Expression& x);
Expression lambert_w0(const Expression& x);  ///< the w >= -1 with w exp(w) = x
Expression trunc(const Expression& x);       ///< towards zero; derivative zero, as of the next two
Expression step(const Expression& x);        ///< 1 where x >= 0, else 0
Expression int_step(const Expression& x);    ///< 1 where x > 0, else 0

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
Expression lmultiply(const Expression& a, const Expression& b);     ///< the same
Expression atan2(const Expression& y, const Expression& x);
Expression hypot(const Expression& a, const Expression& b);
Expression fdim(const Expression& a, const Expression& b);  ///< a - b where that is positive, else 0
Expression fmod(const Expression& a, const Expression& b);  ///< a - b trunc(a / b)
Expression fma(const Expression& a, const Expression& b, const Expression& c);  ///< a * b + c
Expression lbeta(const Expression& a, const Expression& b);                     ///< log of the beta function
Expression lchoose(const Expression& total, const Expression& chosen);          ///< log of the binomial coefficient
Expression lmgamma(std::int64_t dimension, const Expression& x);             ///< log of the multivariate gamma function
Expression falling_factorial(const Expression& x, const Expression& n);      ///< x (x - 1) ... (x - n + 1)
Expression rising_factorial(const Expression& x, const Expression& n);       ///< x (x + 1) ... (x + n - 1)
Expression log_falling_factorial(const Expression& x, const Expression& n);  ///< x > n - 1
Expression log_rising_factorial(const Expression& x, const Expression& n);   ///< x > 0
Expression owens_t(const Expression& h, const Expression& a);
// Incomplete gamma and beta functions, regularised. Derivatives with respect to shapes are of first order only.
Expression gamma_p(const Expression& shape, const Expression& x);  ///< lower: the share of [0, x]
Expression gamma_q(const Expression& shape, const Expression& x);  ///< upper: 1 - gamma_p
Expression inc_beta(const Expression& a, const Expression& b, const Expression& x);
// Bessel functions of integer order; no derivative with respect to the order.
Expression bessel_first_kind(const Expression& order, const Expression& x);
Expression bessel_second_kind(const Expression& order, const Expression& x);
Expression modified_bessel_first_kind(const Expression& order, const Expression& x);
Expression modified_bessel_second_kind(const Expression& order, const Expression& x);
Expression operator<(const Expression& a, const Expression& b);  ///< 1.0 where true, else 0.0; derivative zero
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
Expression log_determinant(const Expression& matrix);      ///< log |det A|
Expression log_determinant_spd(const Expression& matrix);  ///< of a symmetric positive definite matrix
Expression determinant(const Expression& matrix);
/// Solves A x = b for any invertible square A; b a vector or a matrix.
Expression solve(const Expression& matrix, const Expression& b);
Expression solve_transposed(const Expression& matrix, const Expression& b);  ///< A' x = b
/// The same for a symmetric positive definite matrix, of which only the lower triangle is read.
Expression solve_spd(const Expression& matrix, const Expression& b);
Expression mdivide_left(const Expression& matrix, const Expression& b);          ///< A^-1 B
Expression mdivide_left_spd(const Expression& matrix, const Expression& b);      ///< A^-1 B
Expression mdivide_left_tri_low(const Expression& lower, const Expression& b);   ///< L^-1 B
Expression mdivide_right(const Expression& b, const Expression& matrix);         ///< B A^-1
Expression mdivide_right_spd(const Expression& b, const Expression& matrix);     ///< B A^-1
Expression mdivide_right_tri_low(const Expression& b, const Expression& lower);  ///< B L^-1
Expression inverse(const Expression& matrix);
Expression inverse_spd(const Expression& matrix);
Expression crossprod(const Expression& matrix);                         ///< A' A
Expression tcrossprod(const Expression& matrix);                        ///< A A'
Expression multiply_lower_tri_self_transpose(const Expression& lower);  ///< L L', reading only the lower triangle
Expression quad_form(const Expression& matrix, const Expression& b);    ///< B' A B; a scalar for a vector b
Expression trace(const Expression& matrix);
Expression trace_quad_form(const Expression& matrix, const Expression& b);                      ///< trace(B' A B)
Expression trace_gen_quad_form(const Expression& d, const Expression& a, const Expression& b);  ///< trace(D B' A B)
Expression matrix_exp(const Expression& matrix);
/// Of a symmetric matrix, of which only the lower triangle is read; eigenvalues ascend, eigenvectors are columns.
Expression eigenvalues_sym(const Expression& matrix);
Expression eigenvectors_sym(const Expression& matrix);
Expression singular_values(const Expression& matrix);  ///< descending

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
