// Draws from the matrix normal Wishart distribution, and means of rows.
#include "factors/feature_prior.hpp"

#include "base/decompositions.hpp"
#include "factors/normal_wishart.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace sgmcmc {

namespace {

constexpr std::size_t features_at_a_time = 16, means_at_a_time = 64;

std::size_t tasks(std::size_t count, std::size_t together) { return (count + together - 1) / together; }

}  // namespace

FeaturePrior::FeaturePrior(FeatureRows features) : features_(std::move(features)) {
  if (empty()) return;
  const auto columns = static_cast<Eigen::Index>(features_.columns);
  const std::size_t rows = features_.numbers.size() / features_.columns;
  gram_.setZero(columns + 1, columns + 1);
  Eigen::VectorXd extended(columns + 1);
  extended[columns] = 1;
  for (std::size_t i = 0; i < rows; ++i) {
    extended.head(columns) = Eigen::Map<const Eigen::VectorXd>(features_.row(i), columns);
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(extended);
  }
  gram_ = gram_.selfadjointView<Eigen::Lower>();
}

void FeaturePrior::draw_weights(const Eigen::MatrixXd& products, FactorSide& side, const StreamKey& key,
                                ThreadPool& pool) const {
  const Eigen::Index columns = side.weights.rows(), size = side.weights.cols();
  const std::size_t count = features_.columns, numbers = side.shape.size();
  Eigen::MatrixXd precision = gram_;
  precision.diagonal().head(columns).array() += side.weight_precision;
  precision(columns, columns) += NormalWishart::mean_weight;
  const Cholesky llt(precision);
  // Products of features and rows, by features, so that sums do not depend on the number of threads.
  Eigen::MatrixXd cross(columns + 1, size);
  cross.row(columns) = products.col(size).head(size).transpose();
  pool.for_each(tasks(count, features_at_a_time), [&](std::size_t task, int) {
    const std::size_t first = task * features_at_a_time, end = std::min(count, first + features_at_a_time);
    std::vector<double> sums((end - first) * numbers);
    for (std::size_t i = 0; i < side.count; ++i) {
      const double* const x = features_.row(i);
      const double* const row = side.row(i);
      for (std::size_t f = first; f < end; ++f) {
        if (x[f] == 0) continue;
        double* const to = sums.data() + (f - first) * numbers;
        for (std::size_t k = 0; k < numbers; ++k) to[k] += x[f] * row[k];
      }
    }
    for (std::size_t f = first; f < end; ++f)
      for (std::size_t k = 0; k < numbers; ++k)
        cross(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(k)) = sums[(f - first) * numbers + k];
  });
  const Eigen::MatrixXd mean = llt.solve(cross);
  Eigen::MatrixXd inverse_scale = minus_transposed_product(products.topLeftCorner(size, size), cross, mean);
  inverse_scale.diagonal().array() += 1.0;
  inverse_scale = 0.5 * (inverse_scale + inverse_scale.transpose()).eval();

  std::vector<double> normals((numbers + count + 1) * numbers);
  fill_normal(key, normals);
  const double degrees = static_cast<double>(size) + products(size, size);
  side.prior.precision = NormalWishart::draw_precision(inverse_scale, degrees, normals.data(),
                                                       {key.seed, key.chain, key.iteration + 1, key.purpose});
  // Rows with covariance (gram + prior)^-1, columns with covariance Lambda^-1.
  const Cholesky of_row(side.prior.precision);
  const Eigen::MatrixXd z = Eigen::Map<const Eigen::MatrixXd>(normals.data() + numbers * numbers, columns + 1, size);
  const Eigen::MatrixXd spread = llt.solve_upper(z).transpose();
  const Eigen::MatrixXd drawn = mean + of_row.solve_upper(spread).transpose();
  side.weights = drawn.topRows(columns);
  side.prior.mean = drawn.row(columns).transpose();
  set_row_means(side, pool);
}

void FeaturePrior::draw_weight_precision(FactorSide& side, const StreamKey& key) const {
  const double shape = 1.0 + 0.5 * static_cast<double>(side.weights.size());
  const double squares = product(side.weights, side.prior.precision).cwiseProduct(side.weights).sum();
  // Beyond the gammas that the precision of rows takes from this stream.
  double gamma = 0;
  fill_gamma({key.seed, key.chain, key.iteration + 1, key.purpose}, {&shape, 1}, {&gamma, 1}, side.shape.size());
  side.weight_precision = gamma / (1.0 / static_cast<double>(features_.columns) + 0.5 * squares);
}

void FeaturePrior::set_row_means(FactorSide& side, ThreadPool& pool) const {
  const std::size_t size = side.shape.size();
  pool.for_each(tasks(side.count, means_at_a_time), [&](std::size_t task, int) {
    for (std::size_t i = task * means_at_a_time; i < std::min(side.count, (task + 1) * means_at_a_time); ++i)
      for (std::size_t k = 0; k < size; ++k) {
        const auto at = static_cast<Eigen::Index>(k);
        const Eigen::Map<const Eigen::VectorXd> x(features_.row(i), side.weights.rows());
        side.row_means[i * size + k] = side.prior.mean[at] + side.weights.col(at).dot(x);
      }
  });
}

void FeaturePrior::draw_given(const Eigen::MatrixXd& products, FactorSide& side, const StreamKey& key,
                              ThreadPool& pool) const {
  draw_weights(products, side, key, pool);
  draw_weight_precision(side, key);
}

}  // namespace sgmcmc
