// Tuning without a mode: chains that run to the posterior find the step sizes (tune/scout.hpp), one chain with a single
// step size and one with a step size per coordinate.
//
// Of the two, chooses the one with the higher likelihood: steps that are too large, and steps too small to reach the
// posterior, both lower it. Ignores the prior, which is highest for a chain still near 0, and Stein's identities, which
// favour large steps before chains reach the posterior.
#include "tune/tuning_without_mode.hpp"

#include "base/text.hpp"
#include "tune/scout.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace sgmcmc {
namespace {

constexpr std::uint64_t fewest_of_scouts = 2000, most_iterations = 10'000, fewest_in_time = 200;
constexpr double times_seen = 3;  // minimum visits per row while gradients are measured, for step sizes per coordinate

std::uint64_t scout_iterations(const RunSetup& setup, const SampleOptions& run, double seconds) {
  if (seconds <= 0) return std::clamp((run.warmup + run.iterations) / 10, fewest_of_scouts, most_iterations);
  constexpr std::uint64_t timed = 50;
  const auto& options = setup.options();
  const auto estimator = make_estimator(setup.posterior(), options.gradient, options.seed, 0);
  const auto theta = setup.starting_point(0);
  std::vector<double> gradient(theta.size());
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t k = 0; k < timed; ++k) estimator->estimate(theta, k, gradient);
  const double spent = std::max(1e-6, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  const double in_turn = setup.threads() > 1 ? 1 : 2;
  return std::max(fewest_in_time, static_cast<std::uint64_t>(timed * seconds / spent / in_turn));
}

TuningCandidate candidate_of(const Scouted& scouted, StepScales scales, std::int64_t batch_size) {
  TuningCandidate candidate;
  candidate.method = "sghmc";
  candidate.step_per_coordinate = scales == StepScales::each;
  const auto& steps = scouted.sampler.step_size.values;
  for (const double step : steps) candidate.step_size += step / static_cast<double>(steps.size());
  candidate.batch_size = batch_size;
  candidate.trajectory_length = scouted.sampler.trajectory_length;
  candidate.friction = scouted.sampler.friction;
  candidate.iterations = scouted.iterations;
  candidate.diverged = !scouted.failure.empty();
  candidate.rounds = candidate.diverged ? 0 : 1;
  candidate.sd_error = candidate.mean_error = candidate.monte_carlo = candidate.score = std::nan("");
  candidate.autocorrelation_time = candidate.kernel_stein = std::nan("");
  if (!candidate.diverged) candidate.log_likelihood = scouted.log_likelihood;
  return candidate;
}

std::string reason(const Scouted& found, const std::vector<TuningCandidate>& candidates) {
  const auto& best = candidates.front();
  const bool each = best.step_per_coordinate;
  std::string text = std::string("sghmc with ") + (each ? "a step size for each coordinate, " : "step size ") +
                     formatted("%.3g", best.step_size) +
                     (found.sampler.step_size.values.size() > 1 ? " on average" : "") + ", and " +
                     std::to_string(best.batch_size) + " rows per step: without a mode, steps are as large as " +
                     (found.noise_limits ? "gradient noise permits (which makes sds about 5 %, at most 10 %, too large)"
                                         : "possible without divergence");
  if (candidates.size() > 1 && !candidates[1].diverged)
    text += std::string("; the likelihood is higher than with ") +
            (each ? "one step size for all" : "a step size for each coordinate");
  return text + ".";
}

}  // namespace

Tuned tune_without_mode(const RunSetup& setup, const SampleOptions& options, double seconds) {
  Tuned tuned;
  tuned.options = options;
  auto& run = tuned.options;
  const std::uint64_t iterations = scout_iterations(setup, run, seconds);
  std::vector<StepScales> scales = {StepScales::one};
  // Rows must be visited often enough to see coordinates that depend on few of them, or their steps would be much too
  // large.
  const double rows_measured =
      share_measured * static_cast<double>(iterations) * static_cast<double>(run.gradient.minibatch.batch_size);
  if (rows_measured >= times_seen * static_cast<double>(setup.posterior()->rows())) scales.push_back(StepScales::each);
  std::vector<Scouted> scouts(scales.size());
  ThreadPool pool(setup.threads());
  pool.for_each(scouts.size(), [&](std::size_t k, int) { scouts[k] = scout(setup, scales[k], iterations); });
  if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) return tuned;

  std::vector<std::size_t> order(scouts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool fails = !scouts[a].failure.empty(), other_fails = !scouts[b].failure.empty();
    return fails == other_fails ? !fails && scouts[a].log_likelihood > scouts[b].log_likelihood : other_fails;
  });
  const Scouted& best = scouts[order.front()];
  if (!best.failure.empty()) no_step_was_found(best.failure);
  for (const std::size_t k : order) {
    tuned.report.candidates.push_back(candidate_of(scouts[k], scales[k], run.gradient.minibatch.batch_size));
    tuned.report.rows_touched += scouts[k].rows_touched;
  }
  tuned.report.candidates.front().chosen = true;
  SghmcOptions sampler = best.sampler;
  tuned.report.why = reason(best, tuned.report.candidates);
  if (run.warmup > 0) {
    sampler.schedule = Schedule::annealing(best.first_steps, static_cast<double>(run.warmup));
    tuned.report.why += formatted(" They start %.3g times as large and decrease during warm-up.", best.first_steps);
  }
  run.sampler = sampler;
  return tuned;
}

void no_step_was_found(const std::string& what) {
  throw DivergenceError("no step size was found: " + what +
                        ". Give initial values near the mode, use a prior that keeps parameters in bounds, or use "
                        "nuts, which uses all rows");
}

}  // namespace sgmcmc
