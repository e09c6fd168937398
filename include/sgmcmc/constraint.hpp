// Constraints: smooth maps from unconstrained vectors to valid values of a parameter, with their log-Jacobians.
//
// The unconstrained coordinates are those of Stan (up to 2.36), in the same order, so that unconstrained draws and
// initial values are interchangeable. Vector constraints act on the last axis of a shape, matrix constraints on the
// last two; leading axes form an array of such values, with coordinates in row-major order.
#pragma once

#include <sgmcmc/expression.hpp>
#include <sgmcmc/shape.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// A constrained value and the log absolute Jacobian determinant of the map that made it (a scalar).
struct Transformed {
  Expression value;
  Expression log_jacobian;
};

class Constraint {
 public:
  // Elementwise. Bounds are global expressions, scalars or arrays that broadcast to the shape of the parameter; they
  // may depend on other parameters. An infinite constant scalar means no bound.
  static Constraint unconstrained();
  static Constraint lower(Expression bound);                       ///< bound + exp(u)
  static Constraint upper(Expression bound);                       ///< bound - exp(u)
  static Constraint interval(Expression lower, Expression upper);  ///< lower + (upper - lower) logistic(u)
  static Constraint offset_multiplier(Expression offset, Expression multiplier);  ///< offset + multiplier u

  // Vectors [..., K].
  static Constraint simplex();           ///< non-negative, sum 1: stick breaking, K - 1 coordinates
  static Constraint ordered();           ///< increasing: the first, then log differences
  static Constraint positive_ordered();  ///< positive and increasing: log of the first, then log differences
  static Constraint unit_vector();       ///< length 1: u / |u|, K coordinates with a standard normal prior on u

  // Matrices [..., K, K].
  /// Lower factor of a correlation matrix: canonical partial correlations tanh(u), row by row below the diagonal.
  static Constraint cholesky_factor_correlation();
  /// Lower triangular [M, N] with M >= N and positive diagonal: row by row, diagonal by its logarithm.
  static Constraint cholesky_factor_covariance();
  /// Canonical partial correlations tanh(u), COLUMN by column below the diagonal (as Stan reads them).
  static Constraint correlation_matrix();
  static Constraint covariance_matrix();  ///< L L' with L as in cholesky_factor_covariance

  Constraint() = default;  ///< unconstrained

  /// Number of unconstrained coordinates of a value of this shape. Throws ShapeError if the shape does not suit the
  /// constraint (a simplex needs an axis, a correlation matrix must be square).
  std::int64_t unconstrained_size(const Shape& shape) const;

  /// The value of `shape` made from unconstrained_size(shape) coordinates in a vector, and the log-Jacobian. If there
  /// are no coordinates (a simplex of one element), the vector is not used and may be empty.
  Transformed apply(const Expression& unconstrained, const Shape& shape) const;

  /// The inverse of apply on numbers, for initial values. `bounds` holds the values of bounds() in order, scalars or
  /// arrays of `shape`; omit it if all bounds are constants. Throws DataError naming the constraint, the position and
  /// the invalid value; values on the boundary are also rejected, because their coordinates are infinite.
  std::vector<double> unconstrain(std::span<const double> values, const Shape& shape,
                                  const std::vector<std::vector<double>>& bounds = {}) const;

  /// The arguments of elementwise constraints: lower and upper bound, offset and multiplier.
  const std::vector<Expression>& bounds() const { return bounds_; }
  /// The same kind of constraint with other bounds, one for each of bounds().
  Constraint with_bounds(std::vector<Expression> bounds) const { return Constraint(kind_, std::move(bounds)); }
  bool is_unconstrained() const { return kind_ == Kind::unconstrained; }
  std::string name() const;  ///< "lower", "simplex", ...

 private:
  enum class Kind : std::uint8_t {  // elementwise, then vectors from simplex on, then matrices
    unconstrained,
    lower,
    upper,
    interval,
    offset_multiplier,
    simplex,
    ordered,
    positive_ordered,
    unit_vector,
    cholesky_factor_correlation,
    cholesky_factor_covariance,
    correlation_matrix,
    covariance_matrix,
  };
  explicit Constraint(Kind kind, std::vector<Expression> bounds = {});
  bool is_matrix() const { return kind_ >= Kind::cholesky_factor_correlation; }
  Transformed elementwise(const Expression& u, const Shape& shape) const;

  Kind kind_ = Kind::unconstrained;
  std::vector<Expression> bounds_;
};

}  // namespace sgmcmc
