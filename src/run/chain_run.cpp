// One chain of a run, from its start or a checkpoint to its last draw.
#include "run/chain_run.hpp"

#include "chains/chain_saver.hpp"
#include "chains/recovery.hpp"
#include "chains/settling.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <chrono>
#include <cmath>
#include <optional>

namespace sgmcmc {
namespace {

/// A test function overflowed although the parameters are finite. Smaller steps would only hide this, so it ends the
/// run.
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

/// Whether to detect burn-in. Not needed for chains that start at draws of the normal approximation.
bool has_to_settle(const RunSetup& setup) {
  const auto& options = setup.options();
  const bool starts_in_posterior = setup.preconditioner() && options.initial.empty();
  return options.find_warmup && options.warmup == 0 && !starts_in_posterior && !is_exact(options.sampler) &&
         !is_marginal(options.sampler) && !traits_of(options.sampler).independent_draws;
}

}  // namespace

std::vector<DrawsSink*> stores_of(const SampleOptions& options, SampleResult& result) {
  std::vector<DrawsSink*> stores;
  if (options.store_draws) {
    stores.push_back(&result.draws);
    if (result.statistics.chains() > 0) stores.push_back(&result.statistics);
  }
  if (options.sink) stores.push_back(options.sink);
  return stores;
}

void DrawsOut::operator()(std::span<const double> values, double weight, double step_size,
                          std::span<const double> statistics) {
  moments.add(values, weight);
  hand_on(values, weight, step_size, statistics);
}

void DrawsOut::hand_on(std::span<const double> values, double weight, double step_size,
                       std::span<const double> statistics) {
  if (options.store_draws) {
    result.draws.write(number, values, weight);
    if (!statistics.empty()) result.statistics.write(number, statistics, weight);
  }
  if (!options.sink) return;
  if (!statistics.empty())
    options.sink->write_statistics(number, statistics);
  else
    options.sink->write_step_size(number, step_size);
  options.sink->write(number, values, weight);
}

ChainOutcome run_chain(const std::shared_ptr<RunSetup>& setup, std::uint32_t number, SampleResult& result,
                       const std::atomic<bool>& another_failed) {
  const SampleOptions& options = setup->options();
  const auto start = std::chrono::steady_clock::now();
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
  // Save before passing on the draws held back: a resumed run may still have to discard them.
  if (!another_failed.load(std::memory_order_relaxed)) saver.save(chain.iteration());
  recovery.hand_on_rest(out);
  outcome.earlier_seconds = saver.earlier_seconds();
  outcome.zero_variance = chain.zero_variance();
  outcome.reductions = recovery.reductions();
  outcome.warmup = {warmup(), !settling || settling->settled()};
  return outcome;
}

}  // namespace sgmcmc
