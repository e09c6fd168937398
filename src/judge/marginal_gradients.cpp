// Uses all groups at every draw if that is cheap, else control variates around the mean of the draws.
#include "judge/marginal_gradients.hpp"

#include "base/decompositions.hpp"
#include "base/interrupt.hpp"
#include "groups/group_pass.hpp"
#include "groups/group_target.hpp"
#include "groups/marginal_estimator.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr double cheap_in_all = 4e7;  // rows x draws: a few seconds

/// Replaces a search for the mode: mean and covariance factor of the draws.
std::map<std::string, std::vector<double>> found_in_draws(const std::vector<double>& positions, std::size_t dimension) {
  const auto size = static_cast<Eigen::Index>(dimension);
  const auto count = static_cast<Eigen::Index>(positions.size() / dimension);
  const Eigen::Map<const Eigen::MatrixXd> points(positions.data(), size, count);
  const Eigen::VectorXd mean = points.rowwise().mean();
  const Eigen::MatrixXd centred = points.colwise() - mean;
  Eigen::MatrixXd covariance = product_transposed(centred, centred) / static_cast<double>(count);
  const Eigen::VectorXd variance = covariance.diagonal();
  if (count < 10 * size) covariance = variance.asDiagonal();
  covariance.diagonal() += 1e-6 * variance + Eigen::VectorXd::Constant(size, 1e-300);
  const Eigen::MatrixXd factor = Cholesky(covariance).lower();
  return {{"marginal_mode", {mean.data(), mean.data() + size}},
          {"marginal_factor", {factor.data(), factor.data() + factor.size()}}};
}

}  // namespace

GradientsAtDraws marginal_gradients_at(const Model& model, const GroupModel& groups,
                                       const std::vector<double>& positions, const BiasOptions& options,
                                       ThreadPool& pool, const std::atomic<bool>* interrupt) {
  const std::size_t dimension = groups.global.size(), count = positions.size() / dimension;
  const double rows = static_cast<double>(model.rows());
  const bool full = options.gradients == DrawGradients::full || (options.gradients == DrawGradients::automatic &&
                                                                 rows * static_cast<double>(count) <= cheap_in_all);
  auto findings = found_in_draws(positions, dimension);
  MarginalSearch search;
  search.minibatches = !full;
  search.seed = options.seed;
  search.interrupt = interrupt;
  const auto target = make_group_target(model, groups, search, &pool, findings);
  throw_if_interrupted(interrupt);
  GradientsAtDraws result;
  result.gradients.resize(positions.size());
  const auto position = [&](std::size_t k) {
    return std::span<const double>(positions).subspan(k * dimension, dimension);
  };
  const auto gradient = [&](std::size_t k) {
    return std::span<double>(result.gradients).subspan(k * dimension, dimension);
  };
  if (full) {
    GroupPass pass(*target->posterior, &pool);
    for (std::size_t k = 0; k < count; ++k) {
      throw_if_interrupted(interrupt);
      pass.log_density(position(k), gradient(k));
    }
    result.batch_size = model.rows();
    result.rows_touched = rows * static_cast<double>(count);
    return result;
  }
  const double all = target->posterior->group_count();
  const auto batch = static_cast<std::uint32_t>(
      std::clamp(std::ceil(target->noise_of_one_group / quiet_variance), std::min(100.0, all), all));
  std::vector<std::unique_ptr<MarginalControlVariates>> estimators(static_cast<std::size_t>(pool.threads()));
  constexpr std::size_t at_once = 16;
  pool.for_each((count + at_once - 1) / at_once, [&](std::size_t block, int worker) {
    throw_if_interrupted(interrupt);
    auto& estimator = estimators[static_cast<std::size_t>(worker)];
    if (!estimator)
      estimator = std::make_unique<MarginalControlVariates>(target, batch, options.seed ^ 0x5d1a6e05e5eedULL, 0);
    for (std::size_t k = block * at_once; k < std::min(count, (block + 1) * at_once); ++k)
      estimator->estimate(position(k), k, gradient(k));
  });
  result.full = false;
  result.batch_size = static_cast<std::int64_t>(static_cast<double>(batch) * rows / all);
  result.rows_touched = static_cast<double>(result.batch_size) * static_cast<double>(count) + 3 * rows;
  return result;
}

}  // namespace sgmcmc
