// Runs chains in parallel threads and collects their draws and moments.
#include "run/ranked_sample.hpp"

#include "base/checkpoint.hpp"
#include "run/chain_run.hpp"
#include "run/remote_chain.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

namespace sgmcmc {
namespace {

/// Chains of this process share its threads. Each chain on another rank has a thread here that follows it.
void run_chains(const std::shared_ptr<RunSetup>& setup, ChainRanks* ranks, SampleResult& result,
                std::vector<ChainOutcome>& outcomes) {
  std::vector<std::uint32_t> own, elsewhere;
  for (std::uint32_t chain = 0; chain < outcomes.size(); ++chain)
    (ranks && ranks->rank_of(chain) > 0 ? elsewhere : own).push_back(chain);
  std::atomic<bool> failed{false};
  if (!elsewhere.empty()) ranks->start(*setup, static_cast<std::uint32_t>(outcomes.size()));
  std::vector<std::exception_ptr> failures(elsewhere.size());
  std::vector<std::thread> followers;
  for (std::size_t k = 0; k < elsewhere.size(); ++k)
    followers.emplace_back([&, k] {
      try {
        outcomes[elsewhere[k]] = follow_chain(*ranks, setup, elsewhere[k], result, failed);
      } catch (...) {
        failed.store(true, std::memory_order_relaxed);
        failures[k] = std::current_exception();
      }
    });
  std::exception_ptr own_failure;
  try {
    ThreadPool pool(std::max(1, std::min<int>(setup->threads(), static_cast<int>(own.size()))));
    pool.for_each(own.size(), [&](std::size_t k, int) {
      try {
        outcomes[own[k]] = run_chain(setup, own[k], result, failed);
      } catch (...) {
        failed.store(true, std::memory_order_relaxed);  // the run has failed: stop the other chains early
        throw;
      }
    });
  } catch (...) {
    own_failure = std::current_exception();
  }
  for (auto& follower : followers) follower.join();
  if (own_failure) std::rethrow_exception(own_failure);
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

SampleResult sample(const Model& model, const SampleOptions& asked) { return sample(model, asked, nullptr); }

SampleResult sample(const Model& model, const SampleOptions& asked, ChainRanks* ranks) {
  const auto start = std::chrono::steady_clock::now();
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
  run_chains(setup, ranks, result, outcomes);
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
