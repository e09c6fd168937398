// Bartlett's decomposition of a Wishart draw.
#include "factors/normal_wishart.hpp"

#include "base/decompositions.hpp"

#include <cmath>
#include <vector>

namespace sgmcmc {

Eigen::MatrixXd NormalWishart::draw_precision(const Eigen::MatrixXd& inverse_scale, double degrees,
                                              const double* normals, const StreamKey& gammas) {
  const Eigen::Index size = inverse_scale.rows();
  const Cholesky scale(inverse_scale);
  std::vector<double> shapes(static_cast<std::size_t>(size)), drawn(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = 0.5 * (degrees - static_cast<double>(i));
  fill_gamma(gammas, shapes, drawn);
  Eigen::MatrixXd bartlett = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    bartlett(i, i) = std::sqrt(2.0 * drawn[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < i; ++j) bartlett(i, j) = normals[i * size + j];
  }
  const Eigen::MatrixXd root = scale.solve_upper(bartlett);
  const Eigen::MatrixXd precision = product_transposed(root, root);
  return 0.5 * (precision + precision.transpose());  // removes the asymmetry due to rounding
}

NormalPrior NormalWishart::draw_given(const Eigen::MatrixXd& products, const StreamKey& key) {
  const Eigen::Index size = products.rows() - 1;
  const double count = products(size, size);
  const Eigen::VectorXd sum = products.col(size).head(size);
  const double weight = mean_weight + count;
  const Eigen::VectorXd mean = sum / weight;
  Eigen::MatrixXd inverse_scale = products.topLeftCorner(size, size) - weight * mean * mean.transpose();
  inverse_scale.diagonal().array() += 1.0;

  const auto dimension = static_cast<std::size_t>(size);
  std::vector<double> normals(dimension * dimension + dimension);
  fill_normal(key, normals);
  NormalPrior prior;
  prior.precision = draw_precision(inverse_scale, static_cast<double>(size) + count, normals.data(),
                                   {key.seed, key.chain, key.iteration + 1, key.purpose});
  const Cholesky precision(prior.precision);
  const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(normals.data() + dimension * dimension, size);
  prior.mean = mean + precision.solve_upper(z) / std::sqrt(weight);
  return prior;
}

NormalPrior NormalWishart::draw(Eigen::Index size, const StreamKey& key) {
  return draw_given(Eigen::MatrixXd::Zero(size + 1, size + 1), key);
}

}  // namespace sgmcmc
