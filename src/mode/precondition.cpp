// Builds preconditioners from the curvature of the rows and secants of the prior's gradient.
//
// For regressions, one pass over the rows gives all second derivatives; for few rows and coordinates they are cheap
// anyway. For other models, one pass gives the outer products of row gradients (the empirical Fisher information),
// which approximate the Hessian if the model fits. They do not for coefficients of rare columns whose rows all have one
// outcome: Hessian-vector products then find the directions in which the two differ.
#include "mode/precondition.hpp"

#include "base/decompositions.hpp"
#include "base/interrupt.hpp"
#include "dynamics/whitening.hpp"
#include "gradient/rank_update.hpp"
#include "gradient/row_curvature.hpp"
#include "gradient/row_pass.hpp"
#include "mode/low_rank.hpp"
#include "mode/some_rows.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace sgmcmc {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr std::size_t most_dense = 500;
constexpr double most_products = 4e9;  // maximum multiplications for an information matrix
constexpr double rows_per_coordinate = 20;
constexpr double most_slice_rows = 4e6;    // maximum rows of a slice, which may have to be read from disk
constexpr double most_hessian_rows = 4e6;  // rows visited for second derivatives, once per coordinate
constexpr double least_eigenvalue = 1e-7;  // of the curvature, relative to its diagonal
constexpr std::uint64_t seed_of_directions = 0x9e3779b97f4a7c15ULL;

std::span<const double> span_of(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
std::span<double> span_of(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

bool has_rows(const LogPosterior& posterior) { return static_cast<bool>(posterior.model().row_log_likelihood()); }

/// A slice if rows may have to be read from disk, else all rows.
SomeRows rows_that_stand_for_all(const LogPosterior& posterior) {
  const bool slice = slices_stand_for_all(posterior.model());
  return {posterior, slice ? static_cast<double>(rows_of_slice) : std::numeric_limits<double>::infinity()};
}

class PairProducts final : public RowBlockConsumer {
 public:
  void resize(std::size_t dimension) { products_ = AlignedBuffer<double>(dimension * dimension), size_ = dimension; }
  void consume(std::uint32_t, std::uint32_t count, const double* rows, std::size_t stride) override {
    add_pair_products(rows, count, stride, size_, products_.data());
  }
  void add_to(Matrix& sum) const {
    if (products_.size() == 0) return;
    const auto size = static_cast<Eigen::Index>(size_);
    sum += Eigen::Map<const Matrix>(products_.data(), size, size);
  }

 private:
  std::size_t size_ = 0;
  AlignedBuffer<double> products_;
};

class Squares final : public RowBlockConsumer {
 public:
  void resize(std::size_t dimension) { squares_ = AlignedBuffer<double>((dimension + 7) / 8 * 8); }
  void consume(std::uint32_t, std::uint32_t count, const double* rows, std::size_t stride) override {
    add_squares(rows, count, stride, squares_.data());
  }
  void add_to(Vector& sum) const {
    if (squares_.size() > 0) sum += Eigen::Map<const Vector>(squares_.data(), sum.size());
  }

 private:
  AlignedBuffer<double> squares_;
};

/// The gradient of prior and Jacobians, or of everything if there are no rows.
class PriorGradient {
 public:
  explicit PriorGradient(const LogPosterior& posterior)
      : executor_(posterior.executor(has_rows(posterior) ? ProgramKind::prior_gradient : ProgramKind::gradient, {})) {}
  void at(const Vector& theta, Vector& gradient) {
    executor_->set_point(Point::current, span_of(theta));
    executor_->run(RowBatch{}, span_of(gradient));
  }

 private:
  std::unique_ptr<Executor> executor_;
};

/// Column by column, secants from theta - deviation to theta + deviation of one coordinate at a time.
Matrix prior_secants(PriorGradient& prior, const Vector& theta, const Vector& deviations) {
  const Eigen::Index size = theta.size();
  Matrix curvature = Matrix::Zero(size, size);
  Vector moved = theta, above(size), below(size);
  for (Eigen::Index j = 0; j < size; ++j) {
    moved[j] = theta[j] + deviations[j];
    prior.at(moved, above);
    moved[j] = theta[j] - deviations[j];
    prior.at(moved, below);
    moved[j] = theta[j];
    if (above.allFinite() && below.allFinite()) curvature.col(j) = (below - above) / (2.0 * deviations[j]);
  }
  return 0.5 * (curvature + curvature.transpose());
}

// Up to this number, coordinates are moved one at a time; beyond, all at once with random signs, which is equivalent if
// the prior is independent.
constexpr Eigen::Index most_one_at_a_time = 5000;

/// Calls look(moves, weight) for moves whose weighted effects on their own coordinates sum to the diagonal.
template <class Look>
void for_moves_of_diagonal(Eigen::Index size, Look&& look) {
  constexpr int rounds = 4;
  if (size <= most_one_at_a_time) {
    for (Eigen::Index j = 0; j < size; ++j) look(Vector(Vector::Unit(size, j)), 1.0);
    return;
  }
  Vector sign(size);
  for (int round = 0; round < rounds; ++round) {
    fill_uniform({seed_of_directions, 1, static_cast<std::uint64_t>(round), Purpose::adaptation}, span_of(sign));
    for (double& s : sign) s = s < 0.5 ? -1.0 : 1.0;
    look(sign, 1.0 / rounds);
  }
}

double or_zero(double x) { return std::isfinite(x) ? x : 0.0; }

/// The diagonal alone.
Vector prior_secant_diagonal(PriorGradient& prior, const Vector& theta, const Vector& deviations) {
  Vector curvature = Vector::Zero(theta.size()), above(theta.size()), below(theta.size());
  for_moves_of_diagonal(theta.size(), [&](const Vector& moves, double weight) {
    const Vector shift = moves.cwiseProduct(deviations);
    prior.at(theta + shift, above);
    prior.at(theta - shift, below);
    for (Eigen::Index j = 0; j < theta.size(); ++j)
      if (shift[j] != 0.0) curvature[j] += weight * or_zero((below[j] - above[j]) / (2.0 * shift[j]));
  });
  return curvature.cwiseMax(0.0);
}

/// The same from second derivatives at theta, which do not see kinks.
Vector prior_hessian_diagonal(const LogPosterior& posterior, const Vector& theta) {
  auto executor = posterior.executor(ProgramKind::hessian_vector, {});
  executor->set_point(Point::current, span_of(theta));
  Vector curvature = Vector::Zero(theta.size()), product(theta.size());
  for_moves_of_diagonal(theta.size(), [&](const Vector& moves, double weight) {
    executor->set_point(Point::direction, span_of(moves));
    executor->run(RowBatch{}, span_of(product));
    for (Eigen::Index j = 0; j < theta.size(); ++j) curvature[j] -= weight * or_zero(product[j] * moves[j]);
  });
  return curvature;
}

/// 1 / sqrt(curvature), or 1 if there is no curvature.
Vector deviations_of(const Vector& curvature) {
  return curvature.unaryExpr([](double c) { return c > 0 && std::isfinite(c) ? 1.0 / std::sqrt(c) : 1.0; });
}

/// Initial width of secants on the unconstrained scale.
constexpr double widest_secant = 1.0;

// Iterates until the width of secants equals the standard deviation they imply. Along a kink of the prior without data
// (two equal columns with Laplace priors), a width of 10 gives sqrt(10), and so on down to 1.
constexpr int most_secant_rounds = 8;
bool settled(const Vector& before, const Vector& after) {
  return ((after - before).cwiseAbs().array() <= 0.1 * before.array()).all();
}

/// Whether secants over half the width are the same, as for a normal prior.
bool width_matters(PriorGradient& prior, const Vector& theta, const Vector& deviations, const Matrix& secants) {
  return !secants.isApprox(prior_secants(prior, theta, 0.5 * deviations), 1e-6);
}

Matrix positive_definite(const Matrix& curvature) {
  const Vector size = curvature.diagonal().unaryExpr([](double c) { return c > 0 ? 1.0 / std::sqrt(c) : 1.0; });
  Matrix scaled = size.asDiagonal() * curvature * size.asDiagonal();
  for (Eigen::Index j = 0; j < scaled.rows(); ++j)
    if (!(curvature(j, j) > 0)) scaled(j, j) = 1.0;
  const Cholesky trial(scaled);
  if (trial.succeeded() && trial.numbers().diagonal().array().square().minCoeff() > std::sqrt(least_eigenvalue))
    return size.cwiseInverse().asDiagonal() * scaled * size.cwiseInverse().asDiagonal();
  const SymmetricEigen found = symmetric_eigen(scaled);
  const Vector values = found.values.cwiseAbs().cwiseMax(least_eigenvalue);
  scaled = with_eigenvalues(found.vectors, values);
  return size.cwiseInverse().asDiagonal() * scaled * size.cwiseInverse().asDiagonal();
}

/// Products of minus the Hessian of the log likelihood with vectors: that of the posterior minus that of the prior.
class LikelihoodHessian {
 public:
  LikelihoodHessian(const LogPosterior& posterior, const Vector& theta, const RowBatch& batch, ThreadPool* pool,
                    const std::atomic<bool>* interrupt)
      : executor_(posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool})),
        batch_(batch),
        none_(theta.size()),
        interrupt_(interrupt) {
    executor_->set_point(Point::current, span_of(theta));
  }
  void times(const Vector& v, Vector& product) {
    throw_if_interrupted(interrupt_);
    executor_->set_point(Point::direction, span_of(v));
    executor_->run(batch_, span_of(product));
    executor_->run(RowBatch{}, span_of(none_));
    product = none_ - product;
  }

 private:
  std::unique_ptr<Executor> executor_;
  RowBatch batch_;
  Vector none_;
  const std::atomic<bool>* interrupt_;
};

Matrix likelihood_hessian(const LogPosterior& posterior, const Vector& theta, ThreadPool* pool,
                          const std::atomic<bool>* interrupt) {
  LikelihoodHessian hessian(posterior, theta, posterior.all_rows(), pool, interrupt);
  Matrix whole(theta.size(), theta.size());
  Vector column(theta.size());
  for (Eigen::Index j = 0; j < theta.size(); ++j) {
    hessian.times(Vector::Unit(theta.size(), j), column);
    whole.col(j) = column;
  }
  return 0.5 * (whole + whole.transpose());
}

/// Corrects L in the directions in which L' (Hessian of the likelihood + prior) L is far from the identity.
Matrix corrected_factor(const LogPosterior& posterior, const Vector& theta, const Matrix& factor, const Matrix& prior,
                        ThreadPool* pool, const std::atomic<bool>* interrupt) {
  constexpr Eigen::Index products = 20;
  const SomeRows rows = rows_that_stand_for_all(posterior);
  LikelihoodHessian hessian(posterior, theta, rows.batch(), pool, interrupt);
  Vector moved(theta.size()), image(theta.size());
  const auto found = outstanding_directions(theta.size(), products, [&](const Vector& v, Vector& product) {
    moved = sgmcmc::product(factor, v);
    hessian.times(moved, image);
    product = transposed_product(factor, plus_product(image, prior, moved));
  });
  if (found.values.size() == 0) return factor;
  const Vector less = found.values.cwiseInverse() - Vector::Ones(found.values.size());
  const Matrix turned = product(factor, found.columns);
  const Matrix covariance = product_transposed(factor, factor) + with_eigenvalues(turned, less);
  const Vector size = covariance.diagonal().cwiseSqrt();
  const Matrix correlation = size.cwiseInverse().asDiagonal() * covariance * size.cwiseInverse().asDiagonal();
  const Cholesky lower(correlation);
  if (!size.allFinite() || !lower.succeeded()) return factor;
  return size.asDiagonal() * lower.lower();
}

/// Estimates the diagonal of S (Hessian of the likelihood) S by random signs; 1 where it is not clearly above 1.
Vector diagonal_that_differs(LikelihoodHessian& hessian, const Vector& scale) {
  constexpr int rounds = 6;
  Vector sign(scale.size()), product(scale.size());
  Vector mean = Vector::Zero(scale.size()), squares = Vector::Zero(scale.size());
  for (int round = 0; round < rounds; ++round) {
    fill_uniform({seed_of_directions, 3, static_cast<std::uint64_t>(round), Purpose::adaptation}, span_of(sign));
    for (double& s : sign) s = s < 0.5 ? -1.0 : 1.0;
    hessian.times(scale.cwiseProduct(sign), product);
    const Vector here = product.cwiseProduct(scale).cwiseProduct(sign);
    mean += here / rounds;
    squares += here.cwiseAbs2() / rounds;
  }
  Vector result = Vector::Ones(scale.size());
  for (Eigen::Index j = 0; j < scale.size(); ++j) {
    const double error = 3.0 * std::sqrt(std::max(squares[j] - mean[j] * mean[j], 0.0) / rounds);
    if (std::isfinite(error) && mean[j] - error > 2.0) result[j] = mean[j];
  }
  return result;
}

/// The mean eigenvalue of L' H L, H minus the Hessian smoothed over a standard deviation, along some random directions.
double mean_curvature(const LogPosterior& posterior, std::span<const double> theta, Whitening& map, ThreadPool* pool) {
  constexpr std::uint64_t directions = 2;
  auto executor = posterior.executor(ProgramKind::gradient, {Precision::float64, 0, pool});
  const std::size_t size = theta.size();
  const auto length = static_cast<Eigen::Index>(size);
  const SomeRows rows = rows_that_stand_for_all(posterior);
  Vector u(length), move(length), above(length), below(length);
  const Vector centre = Eigen::Map<const Vector>(theta.data(), length);
  double found = 0, expected = 0;
  for (std::uint64_t k = 0; k < directions; ++k) {
    fill_normal({seed_of_directions, 2, k, Purpose::adaptation}, span_of(u));
    map.multiply(span_of(u), span_of(move));
    executor->set_point(Point::current, span_of(Vector(centre + move)));
    executor->run(rows.batch(), span_of(above));
    executor->set_point(Point::current, span_of(Vector(centre - move)));
    executor->run(rows.batch(), span_of(below));
    found += 0.5 * move.dot(below - above);
    expected += u.squaredNorm();
  }
  const double mean = found / expected;
  return std::isfinite(mean) && mean > 0 ? std::clamp(mean, 0.01, 100.0) : 1.0;
}

}  // namespace

Precondition decided(Precondition wanted, std::size_t dimension) {
  if (wanted != Precondition::automatic) return wanted;
  return dimension <= most_dense ? Precondition::dense : Precondition::low_rank;
}

Matrix row_information(const LogPosterior& posterior, std::span<const double> theta, const RowBatch& batch,
                       ThreadPool* pool) {
  const auto size = static_cast<Eigen::Index>(theta.size());
  RowPass pass(posterior, ProgramKind::row_gradients, pool);
  pass.set_point(Point::current, theta);
  std::vector<PairProducts> parts(RowPass::parts);
  pass.visit(batch, [&](std::size_t part, std::uint32_t) -> RowBlockConsumer& {
    parts[part].resize(theta.size());
    return parts[part];
  });
  Matrix sum = Matrix::Zero(size, size);
  for (const auto& part : parts) part.add_to(sum);
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
  return batch.uniform_weight * sum;
}

Matrix likelihood_curvature(const LogPosterior& posterior, std::span<const double> theta, const RowBatch& batch,
                            ThreadPool* pool) {
  if (auto exact = row_curvature(posterior, theta, batch, pool)) return std::move(*exact);
  return row_information(posterior, theta, batch, pool);
}

Matrix smoothed_curvature(const LogPosterior& posterior, std::span<const double> theta, const Matrix& of_rows) {
  const Vector at = Eigen::Map<const Vector>(theta.data(), of_rows.rows());
  PriorGradient prior(posterior);
  Vector deviations = deviations_of(of_rows.diagonal()).cwiseMin(widest_secant);
  Matrix curvature = of_rows;
  const bool large = at.size() > static_cast<Eigen::Index>(most_dense);
  for (int round = 0; round < most_secant_rounds; ++round) {
    const Matrix secants = prior_secants(prior, at, deviations);
    curvature = positive_definite(of_rows + secants);
    if (large && !width_matters(prior, at, deviations, secants)) break;
    const Vector found = inverse_factor(curvature).rowwise().norm().cwiseMin(10.0 * widest_secant);
    if (round > 0 && settled(deviations, found)) break;
    deviations = found;
  }
  return curvature;
}

Matrix inverse_factor(const Matrix& curvature) {
  const Vector size = curvature.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = size.asDiagonal() * curvature * size.asDiagonal();
  // In reverse order, so that the transposed inverse is lower triangular once the order is restored.
  const Cholesky reversed(scaled.reverse());
  if (scaled.rows() > static_cast<Eigen::Index>(most_dense)) {
    Matrix lower = reversed.lower();
    invert_lower(lower);
    return size.asDiagonal() * Matrix(lower.transpose().reverse());
  }
  const Matrix identity = Matrix::Identity(scaled.rows(), scaled.cols());
  return size.asDiagonal() * Matrix(reversed.solve_upper(identity).reverse());
}

std::shared_ptr<const Preconditioner> make_preconditioner(const LogPosterior& posterior, std::span<const double> theta,
                                                          Precondition kind, ThreadPool* pool,
                                                          const std::atomic<bool>* interrupt) {
  auto result = std::make_shared<Preconditioner>();
  result->kind = decided(kind, theta.size());
  result->centre.assign(theta.begin(), theta.end());
  const auto size = static_cast<Eigen::Index>(theta.size());
  const auto dimension = static_cast<double>(size);
  const Vector at = Eigen::Map<const Vector>(theta.data(), size);
  const bool rows = has_rows(posterior);
  bool is_hessian = !rows;
  if (result->kind == Precondition::dense) {
    Matrix of_rows = Matrix::Zero(size, size);
    is_hessian = is_hessian || dimension * static_cast<double>(posterior.rows()) <= most_hessian_rows;
    if (rows && is_hessian) {
      of_rows = likelihood_hessian(posterior, at, pool, interrupt);
    } else if (rows) {
      double most = std::max(rows_per_coordinate * dimension, most_products / (dimension * dimension));
      if (posterior.model().data().in_random_order()) most = std::min(most, most_slice_rows);
      const SomeRows some(posterior, most);
      if (auto exact = row_curvature(posterior, theta, some.batch(), pool)) {
        of_rows = std::move(*exact);
        is_hessian = true;
      } else {
        of_rows = row_information(posterior, theta, some.batch(), pool);
      }
    }
    if (!of_rows.allFinite())
      throw ModelError(
          "the curvature at the centre is not finite, so no preconditioner can be computed. Give other initial values, "
          "or use precondition none");
    const Matrix curvature = smoothed_curvature(posterior, theta, of_rows);
    Matrix factor = inverse_factor(curvature);
    if (!is_hessian) factor = corrected_factor(posterior, at, factor, curvature - of_rows, pool, interrupt);
    result->factor.assign(factor.data(), factor.data() + factor.size());
  } else {
    Vector information = Vector::Zero(size);
    if (rows) {
      const SomeRows some(posterior, std::max(1000.0, most_products / dimension));
      RowPass pass(posterior, ProgramKind::row_gradients, pool);
      pass.set_point(Point::current, theta);
      std::vector<Squares> parts(RowPass::parts);
      pass.visit(some.batch(), [&](std::size_t part, std::uint32_t) -> RowBlockConsumer& {
        parts[part].resize(theta.size());
        return parts[part];
      });
      for (const auto& part : parts) part.add_to(information);
      information *= some.batch().uniform_weight;
    }
    PriorGradient prior(posterior);
    Vector deviations = deviations_of(information).cwiseMin(widest_secant), secants(size);
    for (int round = 0; round < most_secant_rounds; ++round) {
      secants = prior_secant_diagonal(prior, at, deviations);
      const Vector found = deviations_of(information + secants).cwiseMin(1e3);
      const bool done = round > 0 && settled(deviations, found);
      deviations = found;
      if (done) break;
    }
    result->scale.assign(deviations.data(), deviations.data() + size);
    if (rows) {
      const SomeRows enough = rows_that_stand_for_all(posterior);
      LikelihoodHessian hessian(posterior, at, enough.batch(), pool, interrupt);
      deviations = deviations.cwiseQuotient(diagonal_that_differs(hessian, deviations).cwiseSqrt());
      result->scale.assign(deviations.data(), deviations.data() + size);
    }
    if (result->kind == Precondition::low_rank) {
      constexpr Eigen::Index products = 40;
      const SomeRows some(posterior, std::max(20'000.0, rows_per_coordinate * dimension));
      auto executor = posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool});
      executor->set_point(Point::current, theta);
      const Vector more = (secants - prior_hessian_diagonal(posterior, at)).cwiseMax(0.0);
      Vector direction(size);
      const auto found = outstanding_directions(size, products, [&](const Vector& v, Vector& product) {
        throw_if_interrupted(interrupt);
        direction = deviations.cwiseProduct(v);
        executor->set_point(Point::direction, span_of(direction));
        executor->run(some.batch(), span_of(product));
        product = deviations.cwiseProduct(more.cwiseProduct(direction) - product);
      });
      result->factor.assign(found.columns.data(), found.columns.data() + found.columns.size());
      for (const double value : found.values) result->stretch.push_back(1.0 / std::sqrt(value));
    }
  }
  if (!is_hessian) {
    Whitening map(result);
    const double by = 1.0 / std::sqrt(mean_curvature(posterior, theta, map, pool));
    if (result->kind == Precondition::dense)
      for (double& x : result->factor) x *= by;
    for (double& x : result->scale) x *= by;
  }
  result->validate();
  return result;
}

}  // namespace sgmcmc
