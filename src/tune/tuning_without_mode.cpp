// Nothing is known of the posterior's shape: steps are found by chains that go there (tune/scout.hpp), one with a step
// for all coordinates and one with a step for each.
//
// The better of the two is the one that stays where the likelihood is higher: steps that are too long, and ways too
// long for short steps, both keep it lower. The prior has no say: it is highest where a chain has not got away from 0.
// Nor do Stein's identities: on their way to the posterior, large steps look better by them than they are in the end.
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
constexpr double times_seen = 3;  // every row, while gradients are measured: where coordinates have steps of their own

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
                     std::to_string(best.batch_size) + " rows a step: without a mode, steps are as long as " +
                     (found.noise_limits ? "gradient noise permits (sds are some 5 % too wide by it, at most 10 %)"
                                         : "can be without chains running away");
  if (candidates.size() > 1 && !candidates[1].diverged)
    text += std::string(", and this way the likelihood is higher than with ") +
            (each ? "one step for all" : "a step for each coordinate");
  return text + ".";
}

}  // namespace

Tuned tune_without_mode(const RunSetup& setup, const SampleOptions& options, double seconds) {
  Tuned tuned;
  tuned.options = options;
  auto& run = tuned.options;
  const std::uint64_t iterations = scout_iterations(setup, run, seconds);
  std::vector<StepScales> scales = {StepScales::one};
  // A coordinate that only few rows speak of must have been seen: else its step would be far too long.
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
    tuned.report.why += formatted(" They begin %.3g times as long and shrink in warm-up.", best.first_steps);
  }
  run.sampler = sampler;
  return tuned;
}

void no_step_was_found(const std::string& what) {
  throw DivergenceError("no step size was found: " + what +
                        ". Give initial values near the mode, a prior that keeps parameters in bounds, or use "
                        "nuts, which takes all rows");
}

}  // namespace sgmcmc
