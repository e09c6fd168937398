// Densities of vectors and matrices: each returns a scalar.
#include "density/stable.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <string>

namespace sgmcmc {

namespace {

std::int64_t last_dimension(const Expression& x, const char* function) {
  const Shape& shape = x.shape();
  if (shape.rank() != 1 && shape.rank() != 2) {
    throw ShapeError(std::string(function) + ": the value must be a vector or an array of vectors, but is " +
                     x.describe());
  }
  return shape[shape.rank() - 1];
}

std::int64_t square_dimension(const Expression& matrix, const char* function) {
  const Shape& shape = matrix.shape();
  if (shape.rank() != 2 || shape[0] != shape[1]) {
    throw ShapeError(std::string(function) + ": needs a square matrix, but got " + matrix.describe());
  }
  return shape[0];
}

/// The residuals of one vector [K] or of G vectors [G, K], with their dimensions.
struct Residual {
  Expression value;
  double dimension = 0;  ///< K
  double count = 1;      ///< G
  bool many = false;
};

Residual residual(const Expression& x, const Expression& location, const Expression& matrix, const char* function) {
  Residual result;
  result.value = x - location;
  const std::int64_t dimension = last_dimension(result.value, function);
  if (square_dimension(matrix, function) != dimension) {
    throw ShapeError(std::string(function) + ": a value with " + std::to_string(dimension) +
                     " dimensions needs a matrix [" + std::to_string(dimension) + ", " + std::to_string(dimension) +
                     "], but got " + matrix.describe());
  }
  result.many = result.value.shape().rank() == 2;
  result.dimension = static_cast<double>(dimension);
  result.count = result.many ? static_cast<double>(result.value.shape()[0]) : 1.0;
  return result;
}

/// L^-1 r, for each residual: [K] or [K, G].
Expression whitened(const Residual& r, const Expression& factor) {
  return solve_triangular(factor, r.many ? transpose(r.value) : r.value);
}

/// log |det L|, of the factor of a positive definite matrix.
Expression log_diagonal_sum(const Expression& factor) { return sum(log(diagonal(factor))); }

double size_of(const Expression& x) { return static_cast<double>(x.shape().size()); }

}  // namespace

Expression multi_normal_diagonal_lpdf(const Expression& x, const Expression& mean, const Expression& sd) {
  const Expression z = standardised(x, mean, sd);
  // Counts each sd as often as it is broadcast.
  const Expression log_scale = (size_of(z) / size_of(sd)) * sum(log(sd));
  return -0.5 * dot(z, z) - (log_scale + size_of(z) * half_log_two_pi);
}

Expression multi_normal_cholesky_lpdf(const Expression& x, const Expression& mean, const Expression& factor) {
  const Residual r = residual(x, mean, factor, "multi_normal_cholesky_lpdf");
  const Expression z = whitened(r, factor);
  return -0.5 * dot(z, z) - r.count * (log_diagonal_sum(factor) + r.dimension * half_log_two_pi);
}

Expression multi_normal_prec_lpdf(const Expression& x, const Expression& mean, const Expression& precision) {
  const Residual r = residual(x, mean, precision, "multi_normal_prec_lpdf");
  const Expression product = matmul(r.value, precision);
  return -0.5 * dot(r.value, product) +
         r.count * (0.5 * log_determinant_spd(precision) - r.dimension * half_log_two_pi);
}

Expression multi_normal_lpdf(const Expression& x, const Expression& mean, const Expression& covariance) {
  square_dimension(covariance, "multi_normal_lpdf");
  return multi_normal_cholesky_lpdf(x, mean, cholesky(covariance));
}

Expression multi_student_t_cholesky_lpdf(const Expression& x, const Expression& degrees, const Expression& location,
                                         const Expression& factor) {
  const Residual r = residual(x, location, factor, "multi_student_t_cholesky_lpdf");
  const Expression z = whitened(r, factor);
  const Expression squared_length = r.many ? sum(square(z), 0) : dot(z, z);
  const Expression half = 0.5 * degrees;
  const Expression normaliser =
      scaled_log_gamma_ratio(half, 0.5 * r.dimension) - (log_diagonal_sum(factor) + r.dimension * half_log_two_pi);
  return r.count * normaliser - (half + 0.5 * r.dimension) * sum(log1p(squared_length / degrees));
}

Expression multi_student_t_lpdf(const Expression& x, const Expression& degrees, const Expression& location,
                                const Expression& scale) {
  square_dimension(scale, "multi_student_t_lpdf");
  return multi_student_t_cholesky_lpdf(x, degrees, location, cholesky(scale));
}

Expression multi_gp_cholesky_lpdf(const Expression& y, const Expression& factor, const Expression& weights) {
  const std::int64_t dimension = square_dimension(factor, "multi_gp_cholesky_lpdf");
  const Shape& shape = y.shape();
  if (shape.rank() != 2 || shape[1] != dimension || weights.shape() != Shape{shape[0]}) {
    throw ShapeError("multi_gp_cholesky_lpdf: needs y [G, K], a matrix [K, K] and G weights, but got " + y.describe() +
                     "; " + factor.describe() + "; " + weights.describe());
  }
  const double k = static_cast<double>(dimension);
  const Expression squared_lengths = sum(square(solve_triangular(factor, transpose(y))), 0);
  return -0.5 * dot(weights, squared_lengths) + (0.5 * k) * sum(log(weights)) -
         static_cast<double>(shape[0]) * (log_diagonal_sum(factor) + k * half_log_two_pi);
}

Expression multi_gp_lpdf(const Expression& y, const Expression& covariance, const Expression& weights) {
  square_dimension(covariance, "multi_gp_lpdf");
  return multi_gp_cholesky_lpdf(y, cholesky(covariance), weights);
}

Expression dirichlet_lpdf(const Expression& theta, const Expression& alpha) {
  const std::int64_t dimension = last_dimension(theta, "dirichlet_lpdf");
  const Expression full_alpha = alpha.shape().is_scalar() ? broadcast_to(alpha, Shape{dimension}) : alpha;
  const double repeats = size_of(theta) / size_of(full_alpha);
  const Expression normaliser = sum(lgamma(sum(full_alpha, -1))) - sum(lgamma(full_alpha));
  const Expression outside = theta < 0.0;
  const Expression density = sum(multiply_log(full_alpha - 1.0, select(outside, 1.0, theta))) + repeats * normaliser;
  return within_support(equal(sum(outside), 0.0), density);
}

Expression wishart_lpdf(const Expression& w, const Expression& degrees, const Expression& scale) {
  const std::int64_t dimension = square_dimension(w, "wishart_lpdf");
  const double k = static_cast<double>(dimension);
  const Expression factor = cholesky(w);
  const Expression scale_factor = cholesky(scale);
  const Expression trace = sum(square(solve_triangular(scale_factor, factor)));
  const Expression half = 0.5 * degrees;
  return (degrees - (k + 1.0)) * log_diagonal_sum(factor) - 0.5 * trace - degrees * log_diagonal_sum(scale_factor) -
         (half * (k * log_two) + lmgamma(dimension, half));
}

Expression inv_wishart_lpdf(const Expression& w, const Expression& degrees, const Expression& scale) {
  const std::int64_t dimension = square_dimension(w, "inv_wishart_lpdf");
  const double k = static_cast<double>(dimension);
  const Expression factor = cholesky(w);
  const Expression scale_factor = cholesky(scale);
  const Expression trace = sum(square(solve_triangular(factor, scale_factor)));
  const Expression half = 0.5 * degrees;
  return degrees * log_diagonal_sum(scale_factor) - (degrees + (k + 1.0)) * log_diagonal_sum(factor) - 0.5 * trace -
         (half * (k * log_two) + lmgamma(dimension, half));
}

namespace {

/// log of the integral of det(R)^(shape - 1) over correlation matrices: the K - 1 - j partial correlations of column j
/// are independent with density proportional to (1 - z^2)^(b_j - 1), b_j = shape + (K - 2 - j) / 2.
Expression lkj_log_normaliser(const Expression& shape, std::int64_t dimension) {
  std::vector<double> extra, count;
  double total = 0;
  for (std::int64_t j = 0; j + 1 < dimension; ++j) {
    extra.push_back(0.5 * static_cast<double>(dimension - 2 - j));
    count.push_back(static_cast<double>(dimension - 1 - j));
    total += count.back();
  }
  // The integral of (1 - z^2)^(b - 1) is sqrt(pi) Gamma(b) / Gamma(b + 1/2).
  return 0.5 * log_pi * total - sum(constant(count) * log_gamma_ratio(shape + constant(extra), 0.5));
}

}  // namespace

Expression lkj_corr_lpdf(const Expression& correlation, const Expression& shape) {
  const std::int64_t dimension = square_dimension(correlation, "lkj_corr_lpdf");
  if (dimension == 1) return 0.0 * shape;
  return (shape - 1.0) * log_determinant_spd(correlation) - lkj_log_normaliser(shape, dimension);
}

Expression lkj_corr_cholesky_lpdf(const Expression& factor, const Expression& shape) {
  const std::int64_t dimension = square_dimension(factor, "lkj_corr_cholesky_lpdf");
  if (dimension == 1) return 0.0 * shape;
  // L_ii of row i enters det(R)^(shape - 1) and the Jacobian of L -> L L', as L_ii^(K - 1 - i).
  std::vector<double> power;
  for (std::int64_t i = 0; i < dimension; ++i) power.push_back(static_cast<double>(dimension - 1 - i) - 2.0);
  const Expression log_diagonal = log(diagonal(factor));
  return sum((constant(power) + 2.0 * shape) * log_diagonal) - lkj_log_normaliser(shape, dimension);
}

}  // namespace sgmcmc
