// The full, minibatch, control variate and SVRG estimators. Notation as in estimator.hpp; g_i the gradient of row i's
// log likelihood, w_i = 1/(n p_i) the weight of row i in the batch S (N/n when rows are equally likely).
#include "gradient/estimators.hpp"

#include "base/vector_loops.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "gradient/model_estimator.hpp"
#include "gradient/row_spread.hpp"
#include "gradient/saga.hpp"
#include "minibatch/minibatcher.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sgmcmc {
namespace {

ExecutorOptions executor_options(const GradientOptions& options, ThreadPool* pool) {
  return {options.precision, options.tile_rows, pool};
}

class FullEstimator final : public ModelEstimator {
 public:
  FullEstimator(std::shared_ptr<const LogPosterior> posterior, const ExecutorOptions& options)
      : ModelEstimator(std::move(posterior), options) {}
  void estimate(std::span<const double> theta, std::uint64_t, std::span<double> gradient) override {
    if (!gradient_) gradient_ = executor(ProgramKind::gradient);
    gradient_->set_point(Point::current, theta);
    gradient_->run(batch(), gradient);
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    std::fill(variance.begin(), variance.end(), 0.0);
  }
  void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                                 std::span<const std::size_t> blocks, std::span<double> information) override {
    estimate(theta, evaluation, gradient);
    std::fill(information.begin(), information.end(), 0.0);
    const RowBatch all = posterior_->all_rows();
    row_products(theta, all, blocks).add_information(posterior_->rows(), information);
  }
  double log_density(std::span<const double> theta, std::span<double> gradient) override {
    if (!density_) {
      density_ = executor(ProgramKind::value_and_gradient);
      density_and_gradient_.resize(dimension() + 1);
    }
    density_->set_point(Point::current, theta);
    density_->run(batch(), density_and_gradient_);
    std::copy(density_and_gradient_.begin() + 1, density_and_gradient_.end(), gradient.begin());
    return density_and_gradient_[0];
  }

 private:
  /// Precomputed sums are in double. If single precision is requested, visit the rows instead.
  bool by_sums() const { return executor_options_.precision == Precision::float64; }
  std::unique_ptr<Executor> executor(ProgramKind kind) const {
    return by_sums() ? posterior_->whole_executor(kind, executor_options_)
                     : posterior_->executor(kind, executor_options_);
  }
  RowBatch batch() const { return by_sums() ? posterior_->whole_batch() : posterior_->all_rows(); }

  std::unique_ptr<Executor> gradient_, density_;  // created on first use: a sampler uses one of the two
  std::vector<double> density_and_gradient_;
};

/// grad log p(theta) + sum over S of w_i g_i(theta)   [sgmcmc-r-package eq. 3]
class MinibatchEstimator final : public ModelEstimator {
 public:
  MinibatchEstimator(std::shared_ptr<const LogPosterior> posterior, const GradientOptions& options, std::uint64_t seed,
                     std::uint32_t chain, ThreadPool* pool)
      : ModelEstimator(std::move(posterior), executor_options(options, pool)),
        options_(options),
        rows_(posterior_->rows(), options.minibatch, seed, chain, posterior_->model().data().store().pages()),
        gradient_(posterior_->executor(ProgramKind::gradient, executor_options_)) {}
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    gradient_->set_point(Point::current, theta);
    gradient_->run(rows_.batch(evaluation), gradient);
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    if (!variance_)
      variance_ = std::make_unique<BatchVariance>(posterior_->executor(ProgramKind::row_gradients, executor_options_),
                                                  dimension());
    variance_->estimate(theta, rows_.batch(evaluation), posterior_->rows(), options_.minibatch.sampling, variance);
  }
  /// One visit to the rows gives both the gradient and the information.
  void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                                 std::span<const std::size_t> blocks, std::span<double> information) override {
    prior_gradient(theta, gradient);
    const RowProducts& products = row_products(theta, rows_.batch(evaluation), blocks);
    for (std::size_t d = 0; d < gradient.size(); ++d) gradient[d] += products.sum()[d];
    std::fill(information.begin(), information.end(), 0.0);
    products.add_information(posterior_->rows(), information);
    products.add_noise(posterior_->rows(), options_.minibatch.sampling, information);
  }
  std::size_t batch_rows() const override { return static_cast<std::size_t>(rows_.batch_size()); }
  std::size_t information_columns() const override { return batch_rows() * (weighted() ? 2 : 1); }
  void estimate_with_information_factor(std::span<const double> theta, std::uint64_t evaluation,
                                        std::span<double> gradient, std::span<double> factor) override {
    prior_gradient(theta, gradient);
    const RowColumns& columns = row_columns(theta, rows_.batch(evaluation));
    for (std::size_t d = 0; d < gradient.size(); ++d) gradient[d] += columns.sum()[d];
    const RowSampling sampling = options_.minibatch.sampling;
    if (!weighted()) return columns.write_both(posterior_->rows(), sampling, factor);
    columns.write_information(factor.first(factor.size() / 2));
    columns.write_noise(posterior_->rows(), sampling, factor.last(factor.size() / 2));
  }

 private:
  bool weighted() const { return options_.minibatch.sampling == RowSampling::weighted; }

  GradientOptions options_;
  Minibatcher rows_;
  std::unique_ptr<Executor> gradient_;
  std::unique_ptr<BatchVariance> variance_;
};

/// G(centre) + [grad log p(theta) - grad log p(centre)] + sum over S of w_i [g_i(theta) - g_i(centre)], G the full
/// gradient [thesis 3.3.1]. A fixed centre gives control variates. SVRG [Dubey 2016] moves the centre to the chain's
/// position every refresh_every evaluations.
class CentredEstimator final : public ModelEstimator {
 public:
  CentredEstimator(std::shared_ptr<const LogPosterior> posterior, const GradientOptions& options, std::uint64_t seed,
                   std::uint32_t chain, std::shared_ptr<const Centre> centre, ThreadPool* pool)
      : ModelEstimator(std::move(posterior), executor_options(options, pool)),
        options_(options),
        rows_(posterior_->rows(), options.minibatch, seed, chain, posterior_->model().data().store().pages()),
        difference_(posterior_->executor(ProgramKind::difference, executor_options_)) {
    if (options.estimator == Estimator::svrg) {
      refresh_every_ = options.refresh_every;
      if (refresh_every_ == 0)
        refresh_every_ = static_cast<std::uint64_t>(
            std::max<std::int64_t>(1, posterior_->rows() / std::max<std::int64_t>(1, rows_.batch_size())));
      full_ = posterior_->executor(ProgramKind::gradient, executor_options_);
      centre_.resize(dimension());
      centre_gradient_.resize(dimension());
    } else {
      if (!centre) throw OptionError("control variates need a centre; find the mode first");
      centre_ = centre->theta;
      centre_gradient_ = centre->gradient;
      difference_->set_point(Point::centre, centre_);
    }
  }

  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    if (refresh_every_ > 0 && (!has_centre_ || evaluation >= next_refresh_)) move_centre(theta, evaluation);
    difference_->set_point(Point::current, theta);
    difference_->run(rows_.batch(evaluation), gradient);
    const double* from = centre_gradient_.data();
    double* to = gradient.data();
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t d = 0; d < centre_gradient_.size(); ++d) to[d] += from[d];
  }

  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    if (!variance_) {
      variance_ = std::make_unique<BatchVariance>(
          posterior_->executor(ProgramKind::row_gradient_differences, executor_options_), dimension());
      variance_->set_centre(centre_);
    }
    variance_->estimate(theta, rows_.batch(evaluation), posterior_->rows(), options_.minibatch.sampling, variance);
  }

  void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                                 std::span<const std::size_t> blocks, std::span<double> information) override {
    estimate(theta, evaluation, gradient);
    const RowBatch& batch = rows_.batch(evaluation);
    std::fill(information.begin(), information.end(), 0.0);
    row_products(theta, batch, blocks).add_information(posterior_->rows(), information);
    if (!differences_) differences_.emplace(dimension(), blocks);
    visit_differences(theta, batch, *differences_);
    differences_->add_noise(posterior_->rows(), options_.minibatch.sampling, information);
  }
  std::size_t batch_rows() const override { return static_cast<std::size_t>(rows_.batch_size()); }
  std::size_t information_columns() const override { return 2 * batch_rows(); }
  void estimate_with_information_factor(std::span<const double> theta, std::uint64_t evaluation,
                                        std::span<double> gradient, std::span<double> factor) override {
    estimate(theta, evaluation, gradient);
    const RowBatch& batch = rows_.batch(evaluation);
    row_columns(theta, batch).write_information(factor.first(factor.size() / 2));
    if (!difference_columns_) difference_columns_.emplace(dimension());
    visit_differences(theta, batch, *difference_columns_);
    difference_columns_->write_noise(posterior_->rows(), options_.minibatch.sampling, factor.last(factor.size() / 2));
  }

  std::span<const double> preferred_start() const override {
    return refresh_every_ > 0 ? std::span<const double>() : std::span<const double>(centre_);
  }

  void visit_state(StateVisitor& visitor) override {
    if (refresh_every_ == 0) return;
    visitor.visit("centre", centre_);
    visitor.visit("centre_gradient", centre_gradient_);
    visitor.visit("next_refresh", next_refresh_);
    std::uint64_t has_centre = has_centre_;
    visitor.visit("has_centre", has_centre);
    has_centre_ = has_centre != 0;
    share_centre();
  }

 private:
  template <class Consumer>
  void visit_differences(std::span<const double> theta, const RowBatch& batch, Consumer& consumer) {
    if (!each_difference_) {
      each_difference_.emplace(*posterior_, ProgramKind::row_gradient_differences, executor_options_);
      each_difference_->set_point(Point::centre, centre_);
    }
    each_difference_->set_point(Point::current, theta);
    consumer.start(batch);
    each_difference_->visit(batch, consumer);
  }
  void share_centre() {
    difference_->set_point(Point::centre, centre_);
    if (variance_) variance_->set_centre(centre_);
    if (each_difference_) each_difference_->set_point(Point::centre, centre_);
  }
  void move_centre(std::span<const double> theta, std::uint64_t evaluation) {
    std::copy(theta.begin(), theta.end(), centre_.begin());
    full_->set_point(Point::current, theta);
    full_->run(posterior_->all_rows(), centre_gradient_);
    share_centre();
    // If the gradient at the new centre is non-finite, replace the centre at the next evaluation rather than spoil
    // every estimate until the next refresh.
    has_centre_ =
        std::all_of(centre_gradient_.begin(), centre_gradient_.end(), [](double g) { return std::isfinite(g); });
    next_refresh_ = evaluation + refresh_every_;
  }

  GradientOptions options_;
  Minibatcher rows_;
  std::unique_ptr<Executor> difference_;
  std::optional<RowGradients> each_difference_;
  std::optional<RowProducts> differences_;
  std::optional<RowColumns> difference_columns_;
  std::unique_ptr<Executor> full_;
  std::unique_ptr<BatchVariance> variance_;
  std::vector<double> centre_;
  std::vector<double> centre_gradient_;
  std::uint64_t refresh_every_ = 0;  ///< 0: the centre is fixed
  std::uint64_t next_refresh_ = 0;
  bool has_centre_ = false;
};

}  // namespace

std::shared_ptr<const Centre> make_centre(const LogPosterior& posterior, std::span<const double> theta,
                                          const ExecutorOptions& options) {
  const PassName name(posterior.model().data().store().pages(), "computing the gradient at the centre");
  auto centre = std::make_shared<Centre>();
  centre->theta.assign(theta.begin(), theta.end());
  centre->gradient.resize(theta.size());
  auto executor = posterior.executor(ProgramKind::gradient, options);
  executor->set_point(Point::current, theta);
  executor->run(posterior.all_rows(), centre->gradient);
  for (std::size_t d = 0; d < centre->gradient.size(); ++d)
    if (!std::isfinite(centre->gradient[d]))
      throw ModelError("the gradient at the centre is not finite for " + posterior.model().unconstrained_names()[d] +
                       "; start the search for the mode elsewhere");
  return centre;
}

std::unique_ptr<GradientEstimator> make_estimator(std::shared_ptr<const LogPosterior> posterior,
                                                  const GradientOptions& options, std::uint64_t seed,
                                                  std::uint32_t chain, std::shared_ptr<const Centre> centre,
                                                  ThreadPool* pool) {
  auto executor = executor_options(options, pool);
  // Without a row likelihood there is nothing to subsample, and no number of rows to check the batch size against.
  if (!posterior->model().row_log_likelihood()) return std::make_unique<FullEstimator>(std::move(posterior), executor);
  options.validate(posterior->rows(), posterior->dimension());
  if (options.estimator != Estimator::full && options.minibatch.sampling == RowSampling::slices &&
      posterior->model().data().store().group_by())
    throw OptionError(
        "sampling is slices, but the rows of each group are together, so consecutive rows are not a random sample; use "
        "with_replacement");
  switch (options.estimator) {
    case Estimator::full: return std::make_unique<FullEstimator>(std::move(posterior), executor);
    case Estimator::minibatch:
      return std::make_unique<MinibatchEstimator>(std::move(posterior), options, seed, chain, pool);
    case Estimator::control_variate:
    case Estimator::svrg:
      return std::make_unique<CentredEstimator>(std::move(posterior), options, seed, chain, std::move(centre), pool);
    case Estimator::saga: return make_saga(std::move(posterior), options, seed, chain);
  }
  throw OptionError("unknown gradient estimator");
}

}  // namespace sgmcmc
