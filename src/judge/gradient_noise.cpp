// Covariance of a minibatch estimate, from that of per-row gradients, and its size relative to the injected noise.
//
// With m rows drawn uniformly, g_i their gradients (minus those at the centre) and p_i the row probabilities of the
// run, an estimate from n rows has covariance (N^2 / n) [mean of g g' / (N p) - mean g mean g'], times 1 - n / N
// without replacement.
#include "judge/gradient_noise.hpp"

#include "base/matrix_products.hpp"
#include "dynamics/traits.hpp"
#include "minibatch/minibatcher.hpp"
#include "model/even_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::int64_t rows_per_point = 2000;
constexpr Eigen::Index most_dimensions_together = 300;

class RowProducts final : public RowConsumer {
 public:
  RowProducts(Eigen::Index dimension, bool together, const GradientOptions& options, std::int64_t rows)
      : sum(Eigen::VectorXd::Zero(dimension)), squares(Eigen::VectorXd::Zero(dimension)) {
    if (together) products = Eigen::MatrixXd::Zero(dimension, dimension);
    if (options.minibatch.sampling != RowSampling::weighted) return;
    probabilities_ = &options.minibatch.row_probabilities.values();
    for (const double p : *probabilities_) total_ += p;
    total_ /= static_cast<double>(rows);
  }

  void start(const RowBatch& batch) { batch_ = &batch; }

  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> rows(values, count, sum.size(),
                                                                          Eigen::OuterStride<>(stride));
    sum += rows.colwise().sum().transpose();
    Eigen::MatrixXd weighted = rows.transpose();
    if (probabilities_)
      for (std::uint32_t i = 0; i < count; ++i)
        weighted.col(i) *= std::sqrt(total_ / (*probabilities_)[batch_->row(position + i)]);
    squares += weighted.rowwise().squaredNorm();
    const Columns all{weighted.data(), sum.size(), count, sum.size()};
    if (products.size() > 0) add_symmetric_products(all, all, products.data(), sum.size());
  }

  Eigen::VectorXd sum, squares;
  Eigen::MatrixXd products;  ///< lower triangle; empty: not computed

 private:
  const RowBatch* batch_ = nullptr;
  const std::vector<double>* probabilities_ = nullptr;
  double total_ = 0;
};

}  // namespace

double noise_ratio(const SamplerOptions& sampler, double step_size, double variance) {
  return step_size * variance * traits_of(sampler).noise_gain;
}

GradientNoise gradient_noise(const LogPosterior& posterior, const GradientOptions& options,
                             const std::vector<NoisePoint>& points, std::uint64_t seed) {
  const auto dimension = static_cast<Eigen::Index>(posterior.dimension());
  const bool together = dimension <= most_dimensions_together;
  const std::int64_t rows = posterior.rows();
  const MinibatchOptions even = even_rows(posterior.model(), std::min(rows, rows_per_point));
  Minibatcher batches(rows, even, seed, 0);
  const auto batch_rows = static_cast<double>(even.batch_size), all = static_cast<double>(rows);
  const double n = static_cast<double>(options.minibatch.rows_of_batch(rows));
  const auto sampling = options.minibatch.sampling;
  const bool repeats = sampling == RowSampling::with_replacement || sampling == RowSampling::weighted;
  const double scale = all * all / n * (repeats ? 1.0 : 1.0 - n / all) * batch_rows / std::max(1.0, batch_rows - 1.0) /
                       static_cast<double>(points.size());

  GradientNoise noise;
  noise.variance = Eigen::VectorXd::Zero(dimension);
  if (together) noise.covariance = Eigen::MatrixXd::Zero(dimension, dimension);
  std::unique_ptr<Executor> plain, centred;
  for (std::size_t k = 0; k < points.size(); ++k) {
    auto& executor = points[k].centre.empty() ? plain : centred;
    if (!executor)
      executor = posterior.executor(
          points[k].centre.empty() ? ProgramKind::row_gradients : ProgramKind::row_gradient_differences, {});
    executor->set_point(Point::current, points[k].position);
    if (!points[k].centre.empty()) executor->set_point(Point::centre, points[k].centre);
    RowProducts sums(dimension, together, options, rows);
    const RowBatch& batch = batches.batch(k);
    sums.start(batch);
    executor->run_rows(batch, sums);
    noise.rows_touched += batch_rows;
    const Eigen::VectorXd mean = sums.sum / batch_rows;
    noise.variance += scale * (sums.squares / batch_rows - mean.cwiseAbs2());
    if (!together) continue;
    const Eigen::MatrixXd products = sums.products.selfadjointView<Eigen::Lower>();
    noise.covariance += scale * (products / batch_rows - mean * mean.transpose());
  }
  noise.variance = noise.variance.cwiseMax(0.0);
  return noise;
}

}  // namespace sgmcmc
