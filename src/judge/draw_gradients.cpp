// Full gradients, or control variates around the mean of the draws, with batches large enough to limit their noise.
#include "judge/draw_gradients.hpp"

#include "base/interrupt.hpp"
#include "gradient/estimators.hpp"

#include <sgmcmc/stein.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

// Rows x draws x coordinates for which full gradients take a second or two.
constexpr double cheap = 2e9, next_to_nothing = 2e7;
constexpr std::int64_t pilot_batch = 256;
constexpr std::size_t pilot_draws = 8;
constexpr std::size_t draws_at_once = 16;

std::vector<double> mean_of(const std::vector<double>& positions, std::size_t dimension) {
  std::vector<double> mean(dimension);
  for (std::size_t k = 0; k < positions.size(); ++k) mean[k % dimension] += positions[k];
  for (double& x : mean) x /= static_cast<double>(positions.size() / dimension);
  return mean;
}

std::vector<double> variance_of(const std::vector<double>& positions, const std::vector<double>& mean) {
  const std::size_t dimension = mean.size();
  std::vector<double> variance(dimension);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const double difference = positions[k] - mean[k % dimension];
    variance[k % dimension] += difference * difference;
  }
  for (double& x : variance) x /= static_cast<double>(positions.size() / dimension);
  return variance;
}

class AtDraws {
 public:
  AtDraws(const std::shared_ptr<const LogPosterior>& posterior, const std::vector<double>& positions,
          const BiasOptions& options, ThreadPool& pool, const std::atomic<bool>* interrupt)
      : posterior_(posterior),
        positions_(positions),
        options_(options),
        pool_(pool),
        interrupt_(interrupt),
        dimension_(static_cast<std::size_t>(posterior->dimension())),
        count_(positions.size() / dimension_),
        rows_(posterior->model().row_log_likelihood() ? posterior->rows() : 0) {
    result_.gradients.resize(positions.size());
  }

  GradientsAtDraws found() {
    if (rows_ == 0 || options_.gradients == DrawGradients::full) return full();
    const double work = static_cast<double>(rows_) * static_cast<double>(count_) * static_cast<double>(dimension_);
    const bool wanted = work <= next_to_nothing || posterior_->has_summed_rows() ||
                        (work <= cheap && static_cast<double>(count_) <= options_.most_full_passes);
    if (wanted && options_.gradients == DrawGradients::automatic) return full();
    return by_control_variates();
  }

 private:
  std::span<const double> position(std::size_t k) const { return {positions_.data() + k * dimension_, dimension_}; }
  std::span<double> gradient(std::size_t k) { return {result_.gradients.data() + k * dimension_, dimension_}; }

  GradientsAtDraws full() {
    // Threads split the rows, not the draws; both need one copy of the working memory per thread.
    const auto executor = posterior_->whole_executor(ProgramKind::gradient, {Precision::float64, 0, &pool_});
    for (std::size_t k = 0; k < count_; ++k) {
      throw_if_interrupted(interrupt_);
      executor->set_point(Point::current, position(k));
      executor->run(posterior_->whole_batch(), gradient(k));
    }
    result_.batch_size = rows_;
    result_.rows_touched += static_cast<double>(rows_) * static_cast<double>(count_);
    return std::move(result_);
  }

  GradientsAtDraws by_control_variates() {
    const auto mean = mean_of(positions_, dimension_);
    const auto centre = make_centre(*posterior_, mean, {Precision::float64, 0, &pool_});
    result_.rows_touched += static_cast<double>(rows_);
    GradientOptions gradient_options;
    gradient_options.estimator = Estimator::control_variate;
    auto& batch = gradient_options.minibatch.batch_size;
    batch = options_.batch_size > 0 ? std::min(options_.batch_size, rows_) : quiet_batch(centre, mean);
    if (2 * batch > rows_ && options_.batch_size == 0 && static_cast<double>(count_) <= options_.most_passes)
      return full();
    std::vector<std::unique_ptr<GradientEstimator>> estimators(static_cast<std::size_t>(pool_.threads()));
    const std::size_t blocks = (count_ + draws_at_once - 1) / draws_at_once;
    pool_.for_each(blocks, [&](std::size_t block, int worker) {
      throw_if_interrupted(interrupt_);
      auto& estimator = estimators[static_cast<std::size_t>(worker)];
      if (!estimator) estimator = make_estimator(posterior_, gradient_options, seed(), 0, centre);
      const std::size_t end = std::min(count_, (block + 1) * draws_at_once);
      for (std::size_t k = block * draws_at_once; k < end; ++k) estimator->estimate(position(k), k, gradient(k));
    });
    result_.full = false;
    result_.batch_size = batch;
    result_.rows_touched += static_cast<double>(batch) * static_cast<double>(count_);
    return std::move(result_);
  }

  /// Chooses the batch size from the noise at a few draws, within the limit on passes.
  std::int64_t quiet_batch(const std::shared_ptr<const Centre>& centre, const std::vector<double>& mean) {
    GradientOptions gradient_options;
    gradient_options.estimator = Estimator::control_variate;
    const std::int64_t pilot = gradient_options.minibatch.batch_size = std::min(pilot_batch, rows_);
    const auto estimator = make_estimator(posterior_, gradient_options, seed(), 1, centre);
    const auto spread = variance_of(positions_, mean);
    std::vector<double> estimate(dimension_), variance(dimension_);
    double noise = 0;
    const auto draws = evenly_thinned(count_, pilot_draws);
    for (std::size_t k = 0; k < draws.size(); ++k) {
      estimator->estimate_with_variance(position(draws[k]), k, estimate, variance);
      for (std::size_t d = 0; d < dimension_; ++d)
        noise += variance[d] * spread[d] / static_cast<double>(dimension_ * draws.size());
    }
    result_.rows_touched += 2.0 * static_cast<double>(pilot) * static_cast<double>(draws.size());
    const double most = std::max(1.0, options_.most_passes * static_cast<double>(rows_) / static_cast<double>(count_));
    double wanted = static_cast<double>(pilot) * noise / quiet_variance;
    if (!std::isfinite(wanted)) wanted = most;
    wanted = std::clamp(wanted, std::min(100.0, static_cast<double>(rows_)), static_cast<double>(rows_));
    return static_cast<std::int64_t>(std::ceil(std::min(wanted, most)));
  }

  // Independent of the batches that made the draws.
  std::uint64_t seed() const { return options_.seed ^ 0x5d1a6e05e5eedULL; }

  std::shared_ptr<const LogPosterior> posterior_;
  const std::vector<double>& positions_;
  const BiasOptions& options_;
  ThreadPool& pool_;
  const std::atomic<bool>* interrupt_;
  std::size_t dimension_, count_;
  std::int64_t rows_;
  GradientsAtDraws result_;
};

}  // namespace

GradientsAtDraws gradients_at(const std::shared_ptr<const LogPosterior>& posterior,
                              const std::vector<double>& positions, const BiasOptions& options, ThreadPool& pool,
                              const std::atomic<bool>* interrupt) {
  return AtDraws(posterior, positions, options, pool, interrupt).found();
}

}  // namespace sgmcmc
