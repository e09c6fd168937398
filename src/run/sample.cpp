// Several chains in parallel threads, draws and running moments collected.
#include "base/checkpoint.hpp"
#include "chains/chain_saver.hpp"
#include "chains/recovery.hpp"
#include "chains/settling.hpp"
#include "chains/setup.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>

namespace sgmcmc {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What one chain gives: its moments, and whether it ran to the end.
struct ChainOutcome {
  RunningMoments moments;
  ZeroVariance zero_variance;
  std::vector<StepReduction> reductions;
  ChainWarmup warmup;
  bool interrupted = false;
  double earlier_seconds = 0;  // before it was resumed
};

std::vector<DrawsSink*> stores_of(const SampleOptions& options, SampleResult& result) {
  std::vector<DrawsSink*> stores;
  if (options.store_draws) {
    stores.push_back(&result.draws);
    if (result.statistics.chains() > 0) stores.push_back(&result.statistics);
  }
  if (options.sink) stores.push_back(options.sink);
  return stores;
}

/// Draws of one chain, to wherever they go.
struct DrawsOut {
  const SampleOptions& options;
  std::uint32_t number;
  SampleResult& result;
  RunningMoments& moments;

  void operator()(std::span<const double> values, double weight, double step_size,
                  std::span<const double> statistics = {}) {
    moments.add(values, weight);
    if (options.store_draws) {
      result.draws.write(number, values, weight);
      if (!statistics.empty()) result.statistics.write(number, statistics, weight);
    }
    if (options.sink) {
      if (!statistics.empty())
        options.sink->write_statistics(number, statistics);
      else
        options.sink->write_step_size(number, step_size);
      options.sink->write(number, values, weight);
    }
  }
};

/// A test function that overflows where the parameters are well: smaller steps would only hide it.
class FunctionOverflow final : public DivergenceError {
 public:
  using DivergenceError::DivergenceError;
};

void check_finite(std::span<const double> values, std::size_t parameters, const std::vector<std::string>& names,
                  std::uint32_t chain, std::uint64_t iteration) {
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (std::isfinite(values[v])) continue;
    const std::string where = "chain " + std::to_string(chain + 1) + ", iteration " + std::to_string(iteration) + ": ";
    if (v < parameters)
      throw DivergenceError(where + names[v] + " is not finite although its coordinates are; try a smaller step size");
    throw FunctionOverflow(where + names[v] +
                           " is not finite although the parameters are; follow a function that stays finite");
  }
}

/// Draws of the normal approximation are where a chain would settle.
bool has_to_settle(const RunSetup& setup) {
  const auto& options = setup.options();
  const bool starts_in_posterior = setup.preconditioner() && options.initial.empty();
  return options.find_warmup && options.warmup == 0 && !starts_in_posterior && !is_exact(options.sampler) &&
         !is_marginal(options.sampler) && !traits_of(options.sampler).independent_draws;
}

ChainOutcome run_chain(const std::shared_ptr<RunSetup>& setup, std::uint32_t number, SampleResult& result,
                       const std::atomic<bool>& another_failed) {
  const SampleOptions& options = setup->options();
  const auto start = Clock::now();
  ChainOutcome outcome;
  outcome.moments = RunningMoments(setup->names().size());
  DrawsOut out{options, number, result, outcome.moments};
  Chain chain(setup, number);
  Recovery recovery(options, setup->names().size(), number);
  std::optional<Settling> settling;
  if (has_to_settle(*setup)) settling.emplace(chain.position().size(), options.iterations);
  ChainSaver saver(options.checkpoint, number, stores_of(options, result), [&](StateVisitor& visitor) {
    chain.visit_state(visitor);
    recovery.visit_state(visitor);
    if (settling) settling->visit_state(visitor);
    outcome.moments.visit_state(visitor);
  });
  const std::size_t parameters = setup->posterior()->model().constrained_names().size();
  const auto warmup = [&] { return settling ? settling->iterations() : options.warmup; };
  const auto total = [&] { return warmup() + options.iterations; };
  double reported = 0;
  while (chain.iteration() < total()) {
    if (another_failed.load(std::memory_order_relaxed)) break;
    if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
      outcome.interrupted = true;
      break;
    }
    recovery.before_step(chain, out);
    try {
      if (!chain.step()) {
        outcome.interrupted = true;
        break;
      }
      const std::uint64_t i = chain.iteration();
      if (settling && !settling->over()) {
        settling->see(i, chain.position());
      } else if (i > warmup() && (i - warmup()) % options.thin == 0) {
        const auto values = chain.values();
        check_finite(values, parameters, setup->names(), number, i);
        chain.keep_draw();
        if (recovery.active())
          recovery.keep(i, values, chain.draw_weight(), chain.draw_step_size());
        else
          out(values, chain.draw_weight(), chain.draw_step_size(), chain.statistics());
      }
    } catch (const FunctionOverflow&) {
      throw;
    } catch (const DivergenceError& error) {
      recovery.take_back(chain, error);
      if (settling) settling->restart(chain.iteration());
    }
    if (options.progress) {
      const double now = seconds_since(start);
      if (now - reported >= options.progress_seconds || chain.iteration() == total()) {
        options.progress({number, chain.iteration(), total(), saver.earlier_seconds() + now});
        reported = now;
      }
    }
    saver.save_if_due(chain.iteration());
  }
  // Before draws that wait are handed on: a run that is resumed may still have to take them back.
  if (!another_failed.load(std::memory_order_relaxed)) saver.save(chain.iteration());
  recovery.hand_on_rest(out);
  outcome.earlier_seconds = saver.earlier_seconds();
  outcome.zero_variance = chain.zero_variance();
  outcome.reductions = recovery.reductions();
  outcome.warmup = {warmup(), !settling || settling->settled()};
  return outcome;
}

}  // namespace

SampleResult sample(const Model& model, const SampleOptions& asked) {
  const auto start = Clock::now();
  std::shared_ptr<const TuningReport> tuning;
  SampleOptions options = asked;
  const CheckpointFolder checkpoints(options.checkpoint);
  if (checkpoints.saves() && !checkpoints.resumes()) checkpoints.clear();
  if (needs_tuning(options)) {
    if (checkpoints.resumes())
      throw OptionError("a run that is resumed needs its step size and method: give those that tune() chose for it");
    auto tuned = tune(model, options);
    options = std::move(tuned.options);
    tuning = std::make_shared<const TuningReport>(std::move(tuned.report));
  }
  std::optional<CheckpointFolder::Findings> known;
  if (checkpoints.resumes()) known = checkpoints.read_findings();
  if (known) options.findings = *known;
  auto setup = std::make_shared<RunSetup>(model, options);
  const bool interrupted = options.interrupt && options.interrupt->load(std::memory_order_relaxed);
  if (checkpoints.saves() && !interrupted && !known) {
    const auto& minibatch = setup->options().gradient.minibatch;
    checkpoints.write_findings(setup->options().findings, minibatch.row_probabilities);
  }
  SampleResult result;
  result.tuning = std::move(tuning);
  result.names = setup->names();
  result.moments = RunningMoments(result.names.size());
  if (setup->centre()) result.centre = setup->centre()->theta;
  result.mode_report = setup->mode_report();
  result.preconditioner = setup->preconditioner();
  result.setup = setup->seconds();
  const std::size_t draws = static_cast<std::size_t>(options.iterations / options.thin);
  const auto statistics = statistic_names(options.sampler);
  if (options.store_draws) {
    result.draws.begin(result.names, options.chains, draws);
    if (!statistics.empty()) result.statistics.begin(statistics, options.chains, draws);
  }
  if (options.sink) {
    if (!statistics.empty()) options.sink->name_statistics(statistics);
    options.sink->begin(result.names, options.chains, draws);
  }

  std::vector<ChainOutcome> outcomes(options.chains);
  ThreadPool pool(std::min<int>(setup->threads(), static_cast<int>(options.chains)));
  std::atomic<bool> failed{false};
  pool.for_each(options.chains, [&](std::size_t chain, int) {
    try {
      outcomes[chain] = run_chain(setup, static_cast<std::uint32_t>(chain), result, failed);
    } catch (...) {
      failed.store(true, std::memory_order_relaxed);  // the run is lost: the other chains need not go on for hours
      throw;
    }
  });
  for (const auto& outcome : outcomes) {
    result.moments.merge(outcome.moments);
    if (&outcome != &outcomes.front()) outcomes.front().zero_variance.merge(outcome.zero_variance);
    result.reductions.insert(result.reductions.end(), outcome.reductions.begin(), outcome.reductions.end());
    result.warmup.push_back(outcome.warmup);
    result.interrupted = result.interrupted || outcome.interrupted;
    result.seconds = std::max(result.seconds, outcome.earlier_seconds);
  }
  result.zero_variance = outcomes.front().zero_variance.estimates();
  result.seconds += seconds_since(start);
  return result;
}

}  // namespace sgmcmc
