// Runs the optimiser on a model; with many rows, first on parts of them.
#include "mode/mode.hpp"

#include "base/decompositions.hpp"
#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "gradient/estimators.hpp"
#include "minibatch/minibatcher.hpp"
#include "mode/precondition.hpp"
#include "mode/some_rows.hpp"
#include "model/even_rows.hpp"
#include "optimise/optimize.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace sgmcmc {
namespace {

/// The log density of a weighted batch of rows as a function of u: theta = origin + L u.
class RowsObjective {
 public:
  /// whole: all rows, from precomputed sums if available.
  RowsObjective(const LogPosterior& posterior, ThreadPool* pool, const std::atomic<bool>* interrupt, bool whole = false)
      : executor_(whole ? posterior.whole_executor(ProgramKind::value_and_gradient, {Precision::float64, 0, pool})
                        : posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, pool})),
        both_(static_cast<std::size_t>(posterior.dimension()) + 1),
        interrupt_(interrupt) {}

  double at(const RowBatch& batch, std::span<const double> theta) {
    throw_if_interrupted(interrupt_);
    executor_->set_point(Point::current, theta);
    executor_->run(batch, both_);
    return both_[0];
  }
  std::span<const double> gradient() const { return std::span<const double>(both_).subspan(1); }

 private:
  std::unique_ptr<Executor> executor_;
  std::vector<double> both_;
  const std::atomic<bool>* interrupt_;
};

// With fewer rows, passes over all rows are cheap anyway; with more coordinates, a matrix costs too much.
constexpr std::int64_t many_rows = 20'000;
constexpr std::int64_t most_coordinates = 500;

/// L-BFGS from theta in coordinates in which the log density of the batch is approximately spherical. Does nothing if
/// the curvature is not finite.
OptimizeReport climb_whitened(const LogPosterior& posterior, RowsObjective& objective, const RowBatch& batch,
                              const RowBatch& for_curvature, const LbfgsOptions& options, std::vector<double>& theta,
                              ThreadPool* pool) {
  const auto size = static_cast<Eigen::Index>(theta.size());
  OptimizeReport report;
  report.reason = StopReason::line_search_failed;
  const Eigen::MatrixXd information = likelihood_curvature(posterior, theta, for_curvature, pool);
  if (!information.allFinite()) return report;
  const Eigen::MatrixXd factor = inverse_factor(smoothed_curvature(posterior, theta, information));
  if (!factor.allFinite()) return report;
  const Eigen::VectorXd origin = Eigen::Map<const Eigen::VectorXd>(theta.data(), size);
  Eigen::VectorXd point(size);
  const auto move = [&](std::span<const double> u) {
    point = plus_lower_product(origin, factor, u);
    return std::span<const double>(point.data(), u.size());
  };
  std::vector<double> u(theta.size(), 0.0);
  LbfgsOptions round = options;
  round.scale.assign(theta.size(), 1.0);
  report = maximise_lbfgs(
      [&](std::span<const double> at, std::span<double> gradient) {
        const double value = objective.at(batch, move(at));
        Eigen::Map<Eigen::VectorXd>(gradient.data(), size) = lower_transposed_product(factor, objective.gradient());
        return value;
      },
      u, round);
  if (report.reason == StopReason::start_not_finite) return report;
  const auto found = move(u);
  theta.assign(found.begin(), found.end());
  return report;
}

// Restarts a search that stopped at a kink as long as each restart gains this much in log density.
constexpr double worthwhile_gain = 0.1;
constexpr int most_restarts = 20;

/// Rows that are read one by one from a file, and listed in memory, are fewer.
MinibatchOptions rows_of_part(const Model& model, std::int64_t count) {
  constexpr std::int64_t most_listed = std::int64_t{1} << 16;
  MinibatchOptions some = even_rows(model, count);
  const bool are_listed = some.sampling != RowSampling::slices && model.data().store().pages();
  if (are_listed) some.batch_size = std::min(count, most_listed);
  return some;
}

/// Finds the modes of a 64th and an 8th of the rows, at the cost of a few passes over all rows; from there the mode of
/// all rows is a few steps away. Continues from the best point in any case.
OptimizeReport climb_by_parts(const LogPosterior& posterior, const LbfgsOptions& options, std::vector<double>& theta,
                              ThreadPool* pool, const std::atomic<bool>* interrupt) {
  RowsObjective objective(posterior, pool, interrupt);
  const RowBatch all = posterior.all_rows();
  const double at_start = objective.at(all, theta);
  std::uint64_t evaluations = 1, iterations = 0;
  std::vector<double> trial = theta;
  LbfgsOptions rough = options;
  rough.gain_tolerance = std::max(options.gain_tolerance, 0.1);
  rough.max_iterations = 200;
  std::int64_t largest = 0;
  for (const std::int64_t part : {64, 8}) {
    const MinibatchOptions some = rows_of_part(posterior.model(), posterior.rows() / part);
    if (some.batch_size < 10 * posterior.dimension() || some.batch_size == largest) continue;
    largest = some.batch_size;
    Minibatcher batches(posterior.rows(), some, static_cast<std::uint64_t>(part), 0);
    RowBatch batch = batches.batch(0);
    batch.next_indices = nullptr;
    const auto report = climb_whitened(posterior, objective, batch, batch, rough, trial, pool);
    evaluations += (report.evaluations + static_cast<std::uint64_t>(part) - 1) / static_cast<std::uint64_t>(part);
  }
  // The mode of too few rows is no better than the start.
  const double at_trial = objective.at(all, trial);
  if (at_trial > at_start || !std::isfinite(at_start)) theta = trial;
  OptimizeReport report = climb_whitened(posterior, objective, all, all, options, theta, pool);
  report.evaluations += evaluations + 1;
  if (report.converged()) return report;
  evaluations = report.evaluations;
  iterations = report.iterations;
  report = maximise_lbfgs(
      [&](std::span<const double> at, std::span<double> gradient) {
        const double value = objective.at(all, at);
        std::copy(objective.gradient().begin(), objective.gradient().end(), gradient.begin());
        return value;
      },
      theta, options);
  report.evaluations += evaluations;
  report.iterations += iterations;
  return report;
}

// A tolerance this large means that the caller wants a centre for control variates, which are unbiased for any centre.
// An error of a third of a standard deviation overall is then not worth another pass over the disk.
constexpr double enough_for_centre = 1e-3;

bool by_slices(const LogPosterior& posterior) { return slices_stand_for_all(posterior.model()); }

/// For rows in random order, which may be on disk. The mode of a slice is a few standard deviations from the mode of
/// all rows. With the curvature of a slice, the first L-BFGS step from there is a Newton step, which usually ends close
/// enough: two passes over all rows. Leaves theta unchanged if the search fails. `gradient` receives the gradient of
/// all rows at theta.
OptimizeReport climb_by_slices(const LogPosterior& posterior, const LbfgsOptions& options, std::vector<double>& theta,
                               ThreadPool* pool, const std::atomic<bool>* interrupt, std::vector<double>& gradient) {
  const PassName name(posterior.model().data().store().pages(), "finding the mode");
  RowsObjective objective(posterior, pool, interrupt);
  std::vector<double> trial = theta;
  LbfgsOptions rough = options;
  rough.gain_tolerance = std::max(options.gain_tolerance, 0.01);
  rough.max_iterations = 200;
  std::uint64_t evaluations = 0;
  RowBatch slice;
  std::optional<Minibatcher> batches;
  OptimizeReport report;
  // An eighth of the rows gives the curvature of all rows to a few parts in a thousand; so do a million rows out of any
  // number.
  const std::int64_t rows = posterior.rows(), large = std::min(rows / 8, rows_of_slice);
  for (const std::int64_t count : {large / 32, large}) {
    if (count < 10 * posterior.dimension()) continue;
    const std::int64_t part = rows / count;
    batches.emplace(rows, even_rows(posterior.model(), count), static_cast<std::uint64_t>(part), 0);
    slice = batches->batch(0);
    slice.next_indices = nullptr;
    slice.next_count = 0;
    report = climb_whitened(posterior, objective, slice, slice, rough, trial, pool);
    evaluations += (report.evaluations + static_cast<std::uint64_t>(part) - 1) / static_cast<std::uint64_t>(part);
  }
  if (!batches || !report.converged()) {
    report.reason = StopReason::line_search_failed;
    return report;
  }
  std::vector<double> found = trial;
  LbfgsOptions last = options;
  if (options.gain_tolerance >= enough_for_centre) last.gain_tolerance = std::max(options.gain_tolerance, 0.05);
  report = climb_whitened(posterior, objective, posterior.all_rows(), slice, last, found, pool);
  report.evaluations += evaluations;
  if (!report.converged()) return report;
  theta = std::move(found);
  gradient.assign(objective.gradient().begin(), objective.gradient().end());
  return report;
}

}  // namespace

std::vector<double> checked_start(const Model& model, std::vector<double> start) {
  if (start.empty()) start.assign(static_cast<std::size_t>(model.dimension()), 0.0);
  if (static_cast<std::int64_t>(start.size()) != model.dimension())
    throw OptionError("start has " + std::to_string(start.size()) + " elements; the model has " +
                      std::to_string(model.dimension()) + " unconstrained parameters");
  return start;
}

LbfgsOptions rough_enough(const LbfgsOptions& options, std::int64_t rows) {
  LbfgsOptions rough = options;
  if (rows >= many_rows) rough.gain_tolerance = std::max(options.gain_tolerance, enough_for_centre);
  return rough;
}

void look_for_collapse(const LogPosterior& posterior, std::span<const double> theta, OptimizeReport& report,
                       ThreadPool* pool) {
  constexpr double narrow = 1e-9;  // standard deviation / size: far below what any data set could give
  const std::size_t size = theta.size();
  const auto executor = posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool});
  const SomeRows rows(
      posterior, by_slices(posterior) ? static_cast<double>(rows_of_slice) : std::numeric_limits<double>::infinity());
  std::vector<double> signs(size), product(size), curvature(size, 0.0);
  executor->set_point(Point::current, theta);
  for (std::uint64_t probe = 0; probe < 2; ++probe) {
    fill_normal({0x5c, 0, probe, Purpose::adaptation}, signs);
    for (double& sign : signs) sign = sign < 0 ? -1.0 : 1.0;
    executor->set_point(Point::direction, signs);
    executor->run(rows.batch(), product);
    for (std::size_t c = 0; c < size; ++c) curvature[c] += 0.5 * std::abs(signs[c] * product[c]);
  }
  for (const auto& info : posterior.model().parameters()) {
    if (!info.constraint.is_unconstrained()) continue;  // scales are on a log scale
    for (std::int64_t i = 0; i < info.unconstrained_size; ++i) {
      const auto c = static_cast<std::size_t>(info.offset + i);
      const double deviation = 1.0 / std::sqrt(curvature[c]);
      if (!(deviation < narrow * std::max(std::abs(theta[c]), 1e-3))) continue;
      report.reason = StopReason::degenerate;
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.2g", deviation);
      report.collapsed = "'" + info.name + "' has a standard deviation of " + text.data();
      return;
    }
  }
}

ModeResult climb(const LogPosterior& posterior, const LbfgsOptions& options, std::vector<double> start,
                 ThreadPool* pool, const std::atomic<bool>* interrupt, std::vector<double>* gradient_there) {
  const bool by_parts = posterior.model().row_log_likelihood() && posterior.rows() >= many_rows &&
                        posterior.dimension() <= most_coordinates && options.scale.empty();
  ModeResult result;
  result.theta = start;
  try {
    bool done = false;
    if (by_parts && by_slices(posterior)) {
      std::vector<double> at_mode;
      result.report = climb_by_slices(posterior, options, result.theta, pool, interrupt, at_mode);
      done = result.report.converged();
      if (done && gradient_there) *gradient_there = std::move(at_mode);
    }
    if (by_parts && !done) {
      result.report = climb_by_parts(posterior, options, result.theta, pool, interrupt);
    } else if (!done) {
      RowsObjective objective(posterior, pool, interrupt, true);
      const auto climb_from = [&](std::vector<double>& theta) {
        return maximise_lbfgs(
            [&](std::span<const double> at, std::span<double> gradient) {
              const double value = objective.at(posterior.whole_batch(), at);
              std::copy(objective.gradient().begin(), objective.gradient().end(), gradient.begin());
              return value;
            },
            theta, options);
      };
      result.report = climb_from(result.theta);
      // An unbounded density looks like a kink once the pairs of L-BFGS are corrupted; restarted without them, the
      // search continues there, but not at a true kink.
      for (int restart = 0; restart < most_restarts && result.report.reason == StopReason::kink; ++restart) {
        std::vector<double> theta = result.theta;
        OptimizeReport report = climb_from(theta);
        if (!(report.value > result.report.value + worthwhile_gain)) break;
        report.iterations += result.report.iterations;
        report.evaluations += result.report.evaluations;
        result.theta = std::move(theta);
        result.report = report;
      }
    }
  } catch (const InterruptedError&) {
    result.theta = std::move(start);
    return result;
  }
  if (result.report.reason == StopReason::start_not_finite)
    throw ModelError("cannot search for the mode: " + result.report.describe() +
                     "; give initial values inside the support");
  if (std::isfinite(result.report.value)) look_for_collapse(posterior, result.theta, result.report, pool);
  return result;
}

namespace {

template <class Options, class Maximise>
ModeResult climb_stochastically(const Model& model, const Options& options, const GradientOptions& gradient,
                                std::vector<double> start, std::uint64_t seed, const std::atomic<bool>* interrupt,
                                Maximise maximise) {
  if (gradient.estimator == Estimator::control_variate)
    throw OptionError("control variates need the mode; use minibatch, saga or svrg to find it");
  ModeResult result;
  result.theta = checked_start(model, std::move(start));
  auto estimator = make_estimator(std::make_shared<const LogPosterior>(model), gradient, seed, 0);
  result.report = maximise(*estimator, result.theta, options, 0, interrupt);
  return result;
}

}  // namespace

ModeResult find_mode(const Model& model, const LbfgsOptions& options, std::vector<double> start, int threads,
                     const std::atomic<bool>* interrupt) {
  LogPosterior posterior(model);
  ThreadPool pool(threads);
  ModeResult found = climb(posterior, options, checked_start(model, std::move(start)), &pool, interrupt);
  throw_if_interrupted(interrupt);
  return found;
}

ModeResult find_mode(const Model& model, const AdamOptions& options, const GradientOptions& gradient,
                     std::vector<double> start, std::uint64_t seed, const std::atomic<bool>* interrupt) {
  return climb_stochastically(model, options, gradient, std::move(start), seed, interrupt, maximise_adam);
}

ModeResult find_mode(const Model& model, const SgdOptions& options, const GradientOptions& gradient,
                     std::vector<double> start, std::uint64_t seed, const std::atomic<bool>* interrupt) {
  return climb_stochastically(model, options, gradient, std::move(start), seed, interrupt, maximise_sgd);
}

}  // namespace sgmcmc
