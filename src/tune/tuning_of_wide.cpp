// Decides whether the model has a usable mode: from the graph, if it shows that the density is log-concave, or by
// limited searches from two places, which must agree; and by comparing gradients near the mode with those of the normal
// approximation.
//
// Minibatches are unsuitable here. A feature that occurs in five rows is in one of a thousand minibatches, so gradient
// noise would dominate the posterior sd of its coefficient.
#include "tune/tuning_of_wide.hpp"

#include "base/thread_pool.hpp"
#include "chains/setup.hpp"
#include "dynamics/whitening.hpp"
#include "mode/mode.hpp"
#include "mode/precondition.hpp"
#include "model/concave.hpp"
#include "model/factored_curvature.hpp"
#include "tune/candidates.hpp"
#include "tune/distance_to_normal.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::int64_t fewest_coordinates = 500;  // with fewer, minibatches with a dense preconditioner are faster
constexpr std::uint64_t warmup = 60;
constexpr double gradients_of_trajectory = 12, chains = 4;

struct Limits {
  std::uint64_t draws;                 // per chain
  double work_of_run, work_of_search;  // multiplications
};
constexpr Limits limits_of(WideEffort effort) {
  return effort == WideEffort::usual ? Limits{300, 2e11, 2e10} : Limits{100, 4e12, 3e11};
}
constexpr double most_distance_of_wide = 0.75;
constexpr double closeness = 0.02;  // of a search to the mode: root mean square, in standard deviations
constexpr double same_mode =
    0.1;  // distance between the ends of two searches: root mean square, in standard deviations
constexpr std::uint64_t most_rough_iterations = 150;  // of a search without preconditioning
constexpr std::uint64_t elsewhere = 0x51ab3e11ULL;    // changes the seed

// Limits on work and memory of a dense preconditioner, if second derivatives are known row by row.
constexpr std::int64_t most_dense = 10'000;
constexpr double most_work_of_dense_map = 2e12;

Precondition map_of(const Model& model, const LogPosterior& posterior) {
  const auto size = static_cast<double>(model.dimension()), rows = static_cast<double>(model.rows());
  const bool affordable = model.dimension() <= most_dense && rows * size * size / 2 <= most_work_of_dense_map;
  return affordable && factor_curvature(posterior) ? Precondition::dense : Precondition::low_rank;
}

/// A search in preconditioned coordinates, which takes fewer steps if curvatures differ a lot.
ModeResult climb_in_units(const LogPosterior& posterior, const std::shared_ptr<const Preconditioner>& units,
                          std::vector<double> start, LbfgsOptions search, ThreadPool& pool,
                          const std::atomic<bool>* interrupt) {
  Whitening map(units);
  auto executor = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
  std::vector<double> u(map.dimension()), both(1 + u.size());
  map.coordinates(start, u);
  search.scale.assign(u.size(), 1.0);
  ModeResult end;
  end.theta = std::move(start);
  end.report = maximise_lbfgs(
      [&](std::span<const double> at, std::span<double> gradient) {
        if (interrupt && interrupt->load(std::memory_order_relaxed)) return std::nan("");  // ends the search
        map.position(at, end.theta);
        executor->set_point(Point::current, end.theta);
        executor->run(posterior.all_rows(), both);
        map.multiply_transposed(std::span<const double>(both).subspan(1), gradient);
        return both[0];
      },
      u, search);
  map.position(u, end.theta);
  return end;
}

/// Whether a search from another place ends at the same mode.
bool found_again(const RunSetup& setup, const LbfgsOptions& search, ThreadPool& pool) {
  std::vector<double> start(static_cast<std::size_t>(setup.posterior()->dimension())), u(start.size());
  fill_uniform({setup.options().seed ^ elsewhere, 1, 0, Purpose::initial}, start);
  for (double& x : start) x -= 0.5;
  const auto end = climb_in_units(*setup.posterior(), setup.preconditioner(), std::move(start), search, pool,
                                  setup.options().interrupt);
  Whitening(setup.preconditioner()).coordinates(end.theta, u);
  return end.report.converged() && root_mean_square(u) <= same_mode;
}

}  // namespace

std::optional<Tuned> tune_wide(const Model& model, const SampleOptions& options, const TuneOptions& how,
                               bool chooses_length, WideEffort effort) {
  if (model.dimension() <= fewest_coordinates || !model.row_log_likelihood() || model.rows() == 0) return std::nullopt;
  const double work = gradient_work(LogPosterior(model));
  const Limits limits = limits_of(effort);
  const double gradients = chains * static_cast<double>(limits.draws + warmup) * gradients_of_trajectory;
  if (work * gradients > limits.work_of_run) return std::nullopt;
  const bool concave = is_concave(model);
  if (effort == WideEffort::patient && !concave) return std::nullopt;  // long searches need a guaranteed mode

  Tuned tuned;
  tuned.options = options;
  tuned.options.method("hmc");
  std::get<HmcOptions>(tuned.options.sampler).metric = Metric::unit;  // the preconditioner already scales
  tuned.options.precondition = options.precondition.value_or(Precondition::low_rank);
  if (tuned.options.precondition == Precondition::none) return std::nullopt;
  if (chooses_length) tuned.options.iterations = limits.draws;
  if (how.warmup && options.warmup == 0) tuned.options.warmup = warmup;

  SampleOptions first = tuned.options;
  first.zero_variance = ZeroVarianceForm::none;
  first.sink = nullptr;
  first.progress = nullptr;
  const auto affordable = static_cast<std::uint64_t>(std::clamp(limits.work_of_search / work, 20.0, 2000.0));
  first.mode.max_iterations = std::min(options.mode.max_iterations, affordable);
  // An approximate centre suffices for the preconditioner: the trajectories are exact for any centre.
  LbfgsOptions near = first.mode;
  near.gain_tolerance =
      std::max(options.mode.gain_tolerance, closeness * closeness * static_cast<double>(model.dimension()) / 2);
  double distance = 0;
  try {
    {
      const LogPosterior posterior(model);
      ThreadPool pool(options.threads > 0 ? options.threads : hardware_threads());
      LbfgsOptions rough = rough_enough(first.mode, model.rows());
      rough.max_iterations = std::min(rough.max_iterations, most_rough_iterations);
      auto found = climb(posterior, rough, std::vector<double>(static_cast<std::size_t>(model.dimension()), 0.0), &pool,
                         options.interrupt);
      if (found.report.reason == StopReason::degenerate) return std::nullopt;
      if (!found.report.converged()) {
        const auto units = make_preconditioner(posterior, found.theta, *tuned.options.precondition, &pool);
        found = climb_in_units(posterior, units, std::move(found.theta), near, pool, options.interrupt);
      }
      if (!found.report.converged()) return std::nullopt;
      if (!options.precondition && effort == WideEffort::patient)
        first.precondition = tuned.options.precondition = map_of(model, posterior);
      tuned.report.mode = found.report.describe();
      first.gradient.centre = std::move(found.theta);
    }
    const RunSetup setup(model, first);
    if (!setup.preconditioner()) return std::nullopt;
    ThreadPool pool(setup.threads());
    if (!concave && !found_again(setup, near, pool)) return std::nullopt;
    distance = distance_to_normal(setup, pool);
    if (distance > most_distance_of_wide) return std::nullopt;
    tuned.options.preconditioner = setup.preconditioner();
  } catch (const ModelError&) {  // no mode
    return std::nullopt;
  } catch (const OptionError&) {  // no usable preconditioner
    return std::nullopt;
  }
  tuned.report.why = "hmc: there is one mode for the " + std::to_string(model.dimension()) +
                     " coordinates, and the posterior is approximately normal there; gradients over all rows are cheap "
                     "enough for preconditioned trajectories, and the draws are exact.";
  return tuned;
}

}  // namespace sgmcmc
