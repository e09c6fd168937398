// Diagnoses a run: maps draws to the unconstrained scale, computes gradients there, and derives the report.
#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "chains/setup.hpp"
#include "diagnose/effective_size.hpp"
#include "diagnose/langevin_law.hpp"
#include "diagnose/summarise.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/traits.hpp"
#include "dynamics/whitening.hpp"
#include "groups/group_model.hpp"
#include "judge/density_between.hpp"
#include "judge/draw_gradients.hpp"
#include "judge/draw_positions.hpp"
#include "judge/exchangeable.hpp"
#include "judge/gradient_noise.hpp"
#include "judge/marginal_gradients.hpp"
#include "judge/other_modes.hpp"
#include "judge/slow_tails.hpp"
#include "judge/step_halving.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::size_t noise_draws = 8;
constexpr std::size_t most_numbers = 20'000'000;  // of positions, and of gradients: limits memory, and time for R-hat
constexpr double five_percent = 0.05;

using Clock = std::chrono::steady_clock;

/// The mean step size of each coordinate over the draws. Empty for samplers without a step size.
std::vector<double> steps_of(const SamplerOptions& sampler, const MemoryDraws& draws, std::size_t dimension) {
  return std::visit(
      [&](const auto& options) -> std::vector<double> {
        if constexpr (requires {
                        options.step_size.values;
                        options.schedule.kind;
                      }) {
          std::vector<double> steps = options.step_size.values;
          if (steps.empty()) return {};
          if (steps.size() == 1) steps.assign(dimension, steps.front());
          if (options.schedule.kind == Schedule::Kind::constant) return steps;
          double weights = 0, count = 0, mean = 0;
          for (std::size_t chain = 0; chain < draws.chains(); ++chain)
            for (const double weight : draws.weights(chain)) {
              weights += weight;
              ++count;
            }
          for (const double step : steps) mean += step / static_cast<double>(steps.size());
          for (double& step : steps) step *= weights / count / mean;
          return steps;
        } else {
          return {};
        }
      },
      sampler);
}

/// Throws InterruptedError once the flag in the options of the run is set.
class Diagnosis {
 public:
  Diagnosis(const Model& model, const SampleOptions& run, const MemoryDraws& draws, const BiasOptions& options)
      : model_(model),
        run_(run),
        draws_(draws),
        options_(options),
        groups_(is_marginal(run.sampler) ? find_groups(model).model : std::nullopt),
        dimension_(groups_ ? groups_->global.size() : static_cast<std::size_t>(model.dimension())),
        positions_(model, draws, groups_ ? groups_->local_parameters : std::vector<std::string>()),
        pool_(options.threads),
        posterior_(std::make_shared<const LogPosterior>(model)) {}

  BiasReport report() {
    const auto start = Clock::now();
    compare_chains();
    collect_points();
    take_gradients();
    throw_if_interrupted(run_.interrupt);
    report_.kernel = stein_discrepancy(points_, kernel_options());
    throw_if_interrupted(run_.interrupt);
    report_.finite_set = finite_set_discrepancy(points_, options_.finite_set);
    correct_means();
    compare_with_target();
    throw_if_interrupted(run_.interrupt);
    if (!groups_) {
      if (!is_exact(run_.sampler)) {  // the others accept or reject steps by the density
        report_.impossible = share_with_zero_density(*posterior_, points_, pool_, run_.interrupt);
        report_.jump = find_jump(*posterior_, points_, pool_, run_.interrupt);
      }
      report_.slow = find_slow_direction(*posterior_, points_, pool_, run_.interrupt);
      const bool apart = report_.worst_rhat > rhat_of_chains_apart;
      if (apart && points_.count() > 0)
        report_.exchangeable = find_exchangeable(*posterior_, std::span(points_.positions).first(points_.dimension));
      if (!report_.slow && !report_.exchangeable)  // these dominate the verdict
        report_.other_mode =
            find_other_mode(*posterior_, points_, options_.seed, pool_, apart ? report_.chains : 0, run_.interrupt);
    }
    prepare_coordinates();
    throw_if_interrupted(run_.interrupt);
    look_at_noise();
    predict();
    if (options_.halving_iterations > 0)
      report_.halving = halve_steps(model_, run_, draws_, positions_, chain_points(), centre(), options_, pool_,
                                    report_.rows_touched);
    if (model_.rows() > 0) report_.passes = report_.rows_touched / static_cast<double>(model_.rows());
    report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    judge(report_, run_, options_);
    return std::move(report_);
  }

 private:
  SteinKernelOptions kernel_options() const {
    auto kernel = options_.kernel;
    kernel.threads = options_.threads;
    return kernel;
  }

  /// R-hat and effective sample sizes of all draws, on the constrained scale, as in summaries.
  void compare_chains() {
    const auto& columns = positions_.columns();
    std::vector<double> rhats(columns.size()), sizes(columns.size());
    std::vector<DiagnoseWorkspace> workspaces(static_cast<std::size_t>(pool_.threads()));
    constexpr std::size_t together = 16;  // columns, adjacent in memory
    pool_.for_each((columns.size() + together - 1) / together, [&](std::size_t part, int worker) {
      throw_if_interrupted(run_.interrupt);
      const std::size_t begin = part * together, end = std::min(columns.size(), begin + together);
      const auto quantities = quantities_of(draws_, std::span(columns).subspan(begin, end - begin));
      for (std::size_t k = begin; k < end; ++k) {
        const Mixing found = mixing_of(quantities[k - begin], workspaces[static_cast<std::size_t>(worker)]);
        rhats[k] = found.rhat;
        sizes[k] = found.ess_bulk;
      }
    });
    report_.worst_rhat = report_.least_ess = not_a_number;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (rhats[k] > report_.worst_rhat || (std::isnan(report_.worst_rhat) && !std::isnan(rhats[k]))) {
        report_.worst_rhat = rhats[k];
        report_.worst_rhat_name = draws_.names()[columns[k]];
      }
      if (sizes[k] < report_.least_ess || (std::isnan(report_.least_ess) && !std::isnan(sizes[k]))) {
        report_.least_ess = sizes[k];
        report_.least_ess_name = draws_.names()[columns[k]];
      }
    }
  }

  std::vector<double> globals_of(const std::vector<double>& theta) const {
    std::vector<double> phi;
    for (const auto c : groups_->global) phi.push_back(theta[static_cast<std::size_t>(c)]);
    return phi;
  }

  void collect_points() {
    points_.dimension = dimension_;
    report_.chains = draws_.chains();
    for (std::size_t chain = 0; chain < draws_.chains(); ++chain) report_.draws += draws_.draws(chain);
    const bool weighted = !draws_.equal_weights();
    const std::size_t most = std::min(options_.most_draws, std::max<std::size_t>(200, most_numbers / dimension_));
    for (std::size_t chain = 0; chain < draws_.chains(); ++chain) {
      const std::size_t count = draws_.draws(chain);
      const std::size_t share = report_.draws <= most ? count : most * count / report_.draws;
      std::size_t length = 0;
      for (const std::size_t draw : evenly_thinned(count, share)) {
        auto theta = positions_.position(chain, draw);
        if (!theta) {
          ++report_.dropped;
          continue;
        }
        if (groups_) theta = globals_of(*theta);
        points_.positions.insert(points_.positions.end(), theta->begin(), theta->end());
        if (weighted) points_.weights.push_back(draws_.weights(chain)[draw]);
        looked_at_.emplace_back(chain, draw);
        ++length;
      }
      if (length > 0) points_.lengths.push_back(length);
    }
    if (points_.count() < 2)
      throw DataError("there are " + std::to_string(points_.count()) +
                      " usable draws; at least 2 are needed, and some hundreds for a verdict");
  }

  void take_gradients() {
    auto found = groups_ ? marginal_gradients_at(model_, *groups_, points_.positions, options_, pool_, run_.interrupt)
                         : gradients_at(posterior_, points_.positions, options_, pool_, run_.interrupt);
    points_.gradients = std::move(found.gradients);
    report_.full_gradients = found.full;
    report_.batch_size = found.batch_size;
    report_.rows_touched += found.rows_touched;
    drop_without_gradient();
    report_.points = points_.count();
  }

  void drop_without_gradient() {
    SteinPoints kept;
    std::vector<std::pair<std::size_t, std::size_t>> still_looked_at;
    kept.dimension = dimension_;
    std::size_t point = 0;
    for (const std::size_t length : points_.lengths) {
      std::size_t left = 0;
      for (std::size_t k = 0; k < length; ++k, ++point) {
        const auto begin = static_cast<std::ptrdiff_t>(point * dimension_);
        const auto end = begin + static_cast<std::ptrdiff_t>(dimension_);
        if (!std::all_of(points_.gradients.begin() + begin, points_.gradients.begin() + end,
                         [](double g) { return std::isfinite(g); })) {
          ++report_.dropped;
          continue;
        }
        kept.positions.insert(kept.positions.end(), points_.positions.begin() + begin, points_.positions.begin() + end);
        kept.gradients.insert(kept.gradients.end(), points_.gradients.begin() + begin, points_.gradients.begin() + end);
        if (!points_.weights.empty()) kept.weights.push_back(points_.weights[point]);
        still_looked_at.push_back(looked_at_[point]);
        ++left;
      }
      if (left > 0) kept.lengths.push_back(left);
    }
    points_ = std::move(kept);
    looked_at_ = std::move(still_looked_at);
    if (points_.count() < 2)
      throw DataError("the gradient of the log posterior is not finite at any draw: the draws cannot be judged");
  }

  void correct_means() {
    constexpr std::size_t most_dimensions = 200;
    constexpr double most_sums = 2e7;
    const std::size_t columns = draws_.names().size();
    if (dimension_ > most_dimensions ||
        ZeroVariance::numbers(ZeroVarianceForm::linear, dimension_, columns, points_.lengths.size()) > most_sums)
      return;
    std::vector<double> values;
    values.reserve(looked_at_.size() * columns);
    for (const auto& [chain, draw] : looked_at_) {
      const auto line = draws_.draw(chain, draw);
      values.insert(values.end(), line.begin(), line.end());
    }
    report_.zero_variance = zero_variance(ZeroVarianceForm::linear, dimension_, points_.positions, points_.gradients,
                                          values, points_.lengths, points_.weights);
  }

  void compare_with_target() {
    SteinMomentsOptions how;
    how.threads = options_.threads;
    auto moments = stein_moments(points_, how);
    report_.jointly = !moments.precision.empty();
    precision_ = std::move(moments.precision);
    auto names = model_.unconstrained_names();
    if (groups_)
      for (std::size_t c = 0; c < dimension_; ++c) names[c] = names[static_cast<std::size_t>(groups_->global[c])];
    report_.coordinates.resize(dimension_);
    const auto before = chain_points();
    std::vector<DiagnoseWorkspace> workspaces(static_cast<std::size_t>(pool_.threads()));
    pool_.for_each(dimension_, [&](std::size_t d, int worker) {
      throw_if_interrupted(run_.interrupt);
      auto& coordinate = report_.coordinates[d];
      coordinate.name = names[d];
      coordinate.moments = moments.coordinates[d];
      coordinate.predicted_sd_ratio = coordinate.predicted_from_step = not_a_number;
      QuantityDraws series;
      for (const auto& chain : before.chains) {
        auto& values = series.chains.emplace_back(chain.size() / dimension_);
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = chain[k * dimension_ + d];
      }
      const Mixing found = mixing_of(series, workspaces[static_cast<std::size_t>(worker)]);
      coordinate.rhat = found.rhat;
      coordinate.ess = found.ess_bulk;
    });
  }

  ChainPoints chain_points() const {
    ChainPoints result;
    auto begin = points_.positions.begin();
    for (const std::size_t length : points_.lengths) {
      const auto end = begin + static_cast<std::ptrdiff_t>(length * dimension_);
      result.chains.emplace_back(begin, end);
      begin = end;
    }
    return result;
  }

  std::vector<double> centre() const {
    std::vector<double> mean;
    for (const auto& coordinate : report_.coordinates) mean.push_back(coordinate.moments.mean);
    return mean;
  }

  /// The age, in draws, of the centre of a row's control variate: for svrg about half the time between refreshes, for
  /// saga about the time between two visits of a row.
  std::size_t centre_age() const {
    const double rows = static_cast<double>(model_.rows());
    const auto batch = static_cast<double>(run_.gradient.minibatch.rows_of_batch(model_.rows()));
    double evaluations = rows / batch;
    if (run_.gradient.estimator == Estimator::svrg)
      evaluations =
          0.5 * (run_.gradient.refresh_every > 0 ? static_cast<double>(run_.gradient.refresh_every) : evaluations);
    const auto per_iteration =
        static_cast<double>(make_dynamics(run_.sampler, dimension_)->evaluations_per_iteration());
    return static_cast<std::size_t>(
        std::max(1.0, std::ceil(evaluations / per_iteration / static_cast<double>(run_.thin))));
  }

  std::vector<NoisePoint> noise_points() const {
    std::vector<NoisePoint> points;
    const auto estimator = run_.gradient.estimator;
    if (estimator == Estimator::minibatch || estimator == Estimator::control_variate) {
      const auto given = run_.gradient.centre.empty() ? centre() : run_.gradient.centre;
      for (const std::size_t k : evenly_thinned(points_.count(), noise_draws)) {
        const double* position = points_.positions.data() + k * dimension_;
        points.push_back({{position, position + dimension_},
                          estimator == Estimator::control_variate ? given : std::vector<double>{}});
      }
      return points;
    }
    const std::size_t age = centre_age();
    const std::size_t share = std::max<std::size_t>(1, noise_draws / std::max<std::size_t>(1, draws_.chains()));
    for (std::size_t chain = 0; chain < draws_.chains(); ++chain)
      for (const std::size_t draw : evenly_thinned(draws_.draws(chain), share)) {
        const auto here = positions_.position(chain, draw);
        const auto then = positions_.position(chain, draw > age ? draw - age : 0);
        if (here && then) points.push_back({*here, *then});
      }
    return points;
  }

  /// The preconditioner, or preferential row probabilities, of the run, recomputed at the mean of the draws.
  void prepare_coordinates() {
    const auto& gradient = run_.gradient;
    const bool preferential = gradient.minibatch.sampling == RowSampling::preferential &&
                              gradient.estimator != Estimator::full && model_.row_log_likelihood();
    if (run_.decided_precondition() == Precondition::none && !preferential) return;
    SampleOptions again = run_;
    again.functions.clear();
    again.zero_variance = ZeroVarianceForm::none;
    again.threads = options_.threads;
    again.chains = 1;
    if (again.gradient.centre.empty()) again.gradient.centre = centre();
    const RunSetup setup(model_, again);
    run_.gradient = setup.options().gradient;
    run_.preconditioner = setup.preconditioner();
    if (run_.preconditioner) deviations_ = run_.preconditioner->standard_deviations();
  }

  /// The gradient variance of a single coordinate that would have the same effect, relative to the injected noise, as
  /// the full gradient noise V: from P V P relative to P, the covariance of the injected noise.
  double noise_variance(std::size_t coordinate) const {
    const auto d = static_cast<Eigen::Index>(coordinate);
    if (!run_.preconditioner) return noise_.variance[d];
    constexpr Eigen::Index most_together = 1000;
    if (noise_.variance.size() > most_together) {
      return noise_.variance[d] * deviations_[coordinate] * deviations_[coordinate];
    }
    Whitening map(run_.preconditioner);
    Eigen::VectorXd unit = Eigen::VectorXd::Unit(noise_.variance.size(), d), turned(unit.size()), row(unit.size());
    const auto span = [](Eigen::VectorXd& v) {
      return std::span<double>(v.data(), static_cast<std::size_t>(v.size()));
    };
    map.multiply_transposed(span(unit), span(turned));
    map.multiply(span(turned), span(row));  // a row of P
    const double noise =
        noise_.covariance.size() > 0 ? row.dot(noise_.covariance * row) : row.cwiseAbs2().dot(noise_.variance);
    return noise / row[d];
  }

  void look_at_noise() {
    steps_ = steps_of(run_.sampler, draws_, dimension_);
    const bool fixed_proportion = !std::isnan(*traits_of(run_.sampler).noise_gain);
    if (!fixed_proportion && run_.gradient.estimator != Estimator::full && model_.row_log_likelihood())
      for (auto& coordinate : report_.coordinates) coordinate.noise_ratio = std::nan("");
    if (run_.gradient.estimator == Estimator::full || !model_.row_log_likelihood() || steps_.empty()) return;
    const auto points = noise_points();
    if (points.empty()) return;
    noise_ = gradient_noise(*posterior_, run_.gradient, points, options_.seed ^ 0x0015eULL);
    report_.rows_touched += noise_.rows_touched;
    for (std::size_t d = 0; d < dimension_; ++d)
      report_.coordinates[d].noise_ratio = noise_ratio(run_.sampler, steps_[d], noise_variance(d));
  }

  void predict() {
    constexpr std::size_t most_dimensions = 200;  // about a hundred products of matrices of this size
    if (!traits_of(run_.sampler).langevin_law || run_.preconditioner || precision_.empty() ||
        dimension_ > most_dimensions)
      return;
    const auto n = static_cast<Eigen::Index>(dimension_);
    const Eigen::Map<const Eigen::MatrixXd> A(precision_.data(), n, n);
    const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(n, n),
                          V = noise_.covariance.size() > 0 ? noise_.covariance : none;
    const Eigen::Map<const Eigen::VectorXd> steps(steps_.data(), n);
    const Eigen::VectorXd both = langevin_sd_ratios(A, V, steps), alone = langevin_sd_ratios(A, none, steps);
    for (std::size_t d = 0; d < dimension_; ++d) {
      report_.coordinates[d].predicted_sd_ratio = both[static_cast<Eigen::Index>(d)];
      report_.coordinates[d].predicted_from_step = alone[static_cast<Eigen::Index>(d)];
    }
    report_.step_within_five_percent = factor_within(A, V, steps, five_percent);
  }

  const Model& model_;
  SampleOptions run_;
  const MemoryDraws& draws_;
  const BiasOptions& options_;
  std::optional<GroupModel> groups_;  // if the run integrated them out: only the other parameters are analysed
  std::size_t dimension_;
  DrawPositions positions_;
  ThreadPool pool_;
  std::shared_ptr<const LogPosterior> posterior_;
  SteinPoints points_;
  std::vector<std::pair<std::size_t, std::size_t>> looked_at_;  // chain and draw of each point analysed
  std::vector<double> precision_;
  std::vector<double> steps_;
  std::vector<double> deviations_;  // posterior sds according to the preconditioner
  GradientNoise noise_;
  BiasReport report_;
};

}  // namespace

void BiasOptions::validate() const {
  if (most_draws < 10)
    throw OptionError("most_draws is " + std::to_string(most_draws) + "; at least 10 draws are needed");
  if (!(most_passes > 0)) throw OptionError("most_passes must be a positive number");
  if (batch_size < 0)
    throw OptionError("batch_size is " + std::to_string(batch_size) + "; use 0 to choose it automatically");
  if (halving_iterations > 0 && halving_iterations < 20)
    throw OptionError("halving_iterations is " + std::to_string(halving_iterations) +
                      "; use at least a few hundred, or 0 to skip the check");
  if (threads < 0) throw OptionError("threads is " + std::to_string(threads) + "; use 0 for all processors");
  kernel.validate();
  finite_set.validate();
}

BiasReport diagnose_bias(const Model& model, const SampleOptions& run, const MemoryDraws& draws,
                         const BiasOptions& options) {
  options.validate();
  if (options.halving_iterations > 0 && !step_shows(run.sampler))
    throw OptionError("halving_iterations: the draws of " + std::string(sampler_name(run.sampler)) +
                      " do not depend on a step size; there is nothing to halve");
  if (model.dimension() == 0) throw ModelError("the model has no parameters: there is nothing to diagnose");
  return Diagnosis(model, run, draws, options).report();
}

}  // namespace sgmcmc
