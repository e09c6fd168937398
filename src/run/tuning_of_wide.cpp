// Whether there is a usable mode is found out: by bounded searches from two places, which must agree, and by comparing
// gradients near the mode with those of the normal approximation there.
//
// Minibatches are the wrong tool here. A feature seen in five rows is in one minibatch of a thousand, and its
// coefficient has the width that its prior and these rows give it: noise that others do not feel makes most of it.
#include "run/tuning_of_wide.hpp"

#include "base/thread_pool.hpp"
#include "dynamics/whitening.hpp"
#include "run/candidates.hpp"
#include "run/distance_to_normal.hpp"
#include "run/mode.hpp"
#include "run/setup.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::int64_t fewest_coordinates = 500;  // with fewer, dense maps make short work of minibatches
// Multiplications. A run takes four chains of 360 trajectories of a dozen steps.
constexpr double gradients_of_run = 17'000, most_work_of_run = 2e11, most_work_of_search = 2e10;
constexpr std::uint64_t usual_draws = 300, usual_warmup = 60;
constexpr double most_distance_to_normal = 0.5;
constexpr double same_mode = 0.1;  // standard deviations between two ends of searches, in the root mean square
constexpr std::uint64_t elsewhere = 0x51ab3e11ULL;  // changes the seed

/// Whether a search from another place ends at the same mode. In units of the curvature, it takes fewer steps.
bool found_again(const RunSetup& setup, const LbfgsOptions& search, ThreadPool& pool) {
  const auto& posterior = *setup.posterior();
  const auto& options = setup.options();
  Whitening map(setup.preconditioner());
  auto executor = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
  std::vector<double> u(map.dimension()), theta(u.size()), both(1 + u.size());
  fill_uniform({options.seed ^ elsewhere, 1, 0, Purpose::initial}, theta);
  for (double& x : theta) x -= 0.5;
  map.coordinates(theta, u);
  const auto report = maximise_lbfgs(
      [&](std::span<const double> at, std::span<double> gradient) {
        map.position(at, theta);
        executor->set_point(Point::current, theta);
        executor->run(posterior.all_rows(), both);
        map.multiply_transposed(std::span<const double>(both).subspan(1), gradient);
        return both[0];
      },
      u, search);
  return report.converged() && root_mean_square(u) <= same_mode;
}

}  // namespace

std::optional<Tuned> tune_wide(const Model& model, const SampleOptions& options, const TuneOptions& how,
                               bool chooses_length) {
  if (model.dimension() <= fewest_coordinates || !model.row_log_likelihood() || model.rows() == 0) return std::nullopt;
  const double work = gradient_work(LogPosterior(model));
  if (work * gradients_of_run > most_work_of_run) return std::nullopt;

  Tuned tuned;
  tuned.options = options;
  tuned.options.method("hmc");
  std::get<HmcOptions>(tuned.options.sampler).metric = Metric::unit;  // the map has the scales
  if (!options.precondition) tuned.options.precondition = Precondition::low_rank;
  if (tuned.options.precondition == Precondition::none) return std::nullopt;
  if (chooses_length) tuned.options.iterations = usual_draws;
  if (how.warmup && options.warmup == 0) tuned.options.warmup = usual_warmup;

  SampleOptions first = tuned.options;
  first.zero_variance = ZeroVarianceForm::none;
  first.sink = nullptr;
  first.progress = nullptr;
  first.mode.max_iterations = std::min(
      options.mode.max_iterations, static_cast<std::uint64_t>(std::clamp(most_work_of_search / work, 20.0, 2000.0)));
  double distance = 0;
  try {
    const RunSetup setup(model, first);
    if (!setup.mode_report() || !setup.mode_report()->converged() || !setup.preconditioner()) return std::nullopt;
    ThreadPool pool(setup.threads());
    if (!found_again(setup, rough_enough(first.mode, model.rows()), pool)) return std::nullopt;
    distance = distance_to_normal(setup, pool);
    if (distance > most_distance_to_normal) return std::nullopt;
    tuned.report.mode = setup.mode_report()->describe();
    tuned.options.preconditioner = setup.preconditioner();
  } catch (const ModelError&) {  // no mode
    return std::nullopt;
  } catch (const OptionError&) {  // nor with a map that is none
    return std::nullopt;
  }
  tuned.report.why = "hmc: there is one mode for the " + std::to_string(model.dimension()) +
                     " coordinates, and the posterior is about normal there; gradients over all rows are cheap enough "
                     "for trajectories in units of its curvature, and the draws are exact.";
  return tuned;
}

}  // namespace sgmcmc
