// Several chains in parallel threads, draws and running moments collected.
#include "run/setup.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

namespace sgmcmc {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What one chain gives: its moments, and whether it ran to the end.
struct ChainOutcome {
  RunningMoments moments;
  ZeroVariance zero_variance;
  bool interrupted = false;
};

ChainOutcome run_chain(const std::shared_ptr<RunSetup>& setup, std::uint32_t number, SampleResult& result,
                       const std::atomic<bool>& another_failed) {
  const SampleOptions& options = setup->options();
  const auto start = Clock::now();
  ChainOutcome outcome{RunningMoments(setup->names().size()), {}};
  Chain chain(setup, number);
  const std::uint64_t total = options.warmup + options.iterations;
  double reported = 0;
  for (std::uint64_t i = 0; i < total; ++i) {
    if (another_failed.load(std::memory_order_relaxed)) break;
    if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
      outcome.interrupted = true;
      break;
    }
    chain.step();
    if (i >= options.warmup && (i - options.warmup + 1) % options.thin == 0) {
      const auto values = chain.values();
      for (std::size_t v = 0; v < values.size(); ++v)
        if (!std::isfinite(values[v]))
          throw DivergenceError("chain " + std::to_string(number + 1) + ", iteration " + std::to_string(i + 1) + ": " +
                                setup->names()[v] +
                                " is not finite although its coordinates are; try a smaller step size");
      const double weight = chain.draw_weight();
      const auto statistics = chain.statistics();
      chain.keep_draw();
      outcome.moments.add(values, weight);
      if (options.store_draws) {
        result.draws.write(number, values, weight);
        if (!statistics.empty()) result.statistics.write(number, statistics, weight);
      }
      if (options.sink) {
        if (!statistics.empty()) options.sink->write_statistics(number, statistics);
        options.sink->write(number, values, weight);
      }
    }
    if (options.progress) {
      const double now = seconds_since(start);
      if (now - reported >= options.progress_seconds || i + 1 == total) {
        options.progress({number, i + 1, total, now});
        reported = now;
      }
    }
  }
  outcome.zero_variance = chain.zero_variance();
  return outcome;
}

}  // namespace

SampleResult sample(const Model& model, const SampleOptions& options) {
  const auto start = Clock::now();
  auto setup = std::make_shared<RunSetup>(model, options);
  SampleResult result;
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
    result.interrupted = result.interrupted || outcome.interrupted;
  }
  result.zero_variance = outcomes.front().zero_variance.estimates();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace sgmcmc
