// Building a cycle, and running its chains.
#include <sgmcmc/cycle.hpp>

#include "base/checkpoint.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "chains/chain_saver.hpp"
#include "chains/lengths.hpp"
#include "cycles/cycle_chain.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sgmcmc {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

struct CycleOutcome {
  RunningMoments moments;
  std::vector<KernelReport> reports;
  bool interrupted = false;
  double earlier_seconds = 0;  // before the run was resumed
};

CycleOutcome run_cycle_chain(const Cycle& cycle, const CycleOptions& options, std::uint32_t number, CycleResult& result,
                             const std::atomic<bool>& another_failed) {
  const auto start = Clock::now();
  CycleOutcome outcome{RunningMoments(result.names.size()), {}};
  CycleChain chain(cycle, options, number);
  std::vector<DrawsSink*> stores{&result.draws};
  if (options.sink) stores.push_back(options.sink);
  ChainSaver saver(options.checkpoint, number, stores, [&](StateVisitor& visitor) {
    chain.visit_state(visitor);
    outcome.moments.visit_state(visitor);
  });
  const std::uint64_t total = options.warmup + options.iterations;
  double reported = 0;
  while (chain.iteration() < total) {
    if (another_failed.load(std::memory_order_relaxed)) break;
    if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
      outcome.interrupted = true;
      break;
    }
    chain.step();
    const std::uint64_t done = chain.iteration();
    if (done > options.warmup && (done - options.warmup) % options.thin == 0) {
      const auto values = chain.values();
      outcome.moments.add(values, chain.weight());
      result.draws.write(number, values, chain.weight());
      if (options.sink) options.sink->write(number, values, chain.weight());
    }
    if (options.progress) {
      const double now = seconds_since(start);
      if (now - reported >= options.progress_seconds || done == total) {
        options.progress({number, done, total, saver.earlier_seconds() + now});
        reported = now;
      }
    }
    saver.save_if_due(done);
  }
  if (!another_failed.load(std::memory_order_relaxed)) saver.save(chain.iteration());
  outcome.reports = chain.reports();
  outcome.earlier_seconds = saver.earlier_seconds();
  return outcome;
}

}  // namespace

void CycleOptions::validate() const { check_lengths(*this); }

Cycle& Cycle::block(const std::string& name, std::vector<double> initial) {
  if (name.empty()) throw ModelError("a block needs a name");
  if (initial.empty()) throw ModelError("block '" + name + "' has no numbers; give the values it starts from");
  for (const auto& other : blocks_)
    if (other.name == name) throw ModelError("there are two blocks '" + name + "'");
  blocks_.push_back({name, std::move(initial)});
  return *this;
}

Cycle& Cycle::start(std::function<void(Blocks&, KernelRandom&)> draw) {
  start_ = std::move(draw);
  return *this;
}

Cycle& Cycle::record(const std::string& name, std::function<double(const Blocks&)> value) {
  if (name.empty() || !value) throw ModelError("a recorded quantity needs a name and a function");
  recorded_.push_back({name, std::move(value)});
  return *this;
}

std::vector<std::size_t> Cycle::indices_of(const std::string& kernel, const std::vector<std::string>& blocks) const {
  if (blocks.empty()) throw ModelError("kernel '" + kernel + "' moves no block; name those it moves");
  std::vector<std::size_t> indices;
  for (const auto& name : blocks) {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.name == name; });
    if (found == blocks_.end()) {
      std::vector<std::string> known;
      for (const auto& block : blocks_) known.push_back(block.name);
      throw ModelError("kernel '" + kernel + "': there is no block '" + name + "'." + did_you_mean(name, known));
    }
    indices.push_back(static_cast<std::size_t>(found - blocks_.begin()));
  }
  return indices;
}

std::size_t Cycle::size_of(const std::vector<std::string>& blocks) const {
  std::size_t size = 0;
  for (const std::size_t b : indices_of("", blocks)) size += blocks_[b].initial.size();
  return size;
}

Cycle& Cycle::kernel(const std::string& name, std::vector<std::string> blocks,
                     std::function<BlockKernel(const ChainStart&)> make) {
  constexpr std::size_t most = 1000;  // their random streams have 16-bit numbers
  if (kernels_.size() == most) throw ModelError("a cycle has at most " + std::to_string(most) + " kernels");
  if (!make) throw ModelError("kernel '" + name + "' has no function");
  kernels_.push_back({name, indices_of(name, blocks), std::move(make)});
  return *this;
}

Cycle& Cycle::gibbs(std::vector<std::string> blocks, std::function<void(Blocks&, KernelRandom&)> draw) {
  const std::string name = "gibbs " + joined(blocks);
  if (!draw) throw ModelError("kernel '" + name + "' has no function");
  return kernel(name, std::move(blocks), [draw = std::move(draw)](const ChainStart&) -> BlockStep {
    return [&draw](Blocks& state, KernelRandom& random, std::uint64_t) {
      draw(state, random);
      return BlockMove{};
    };
  });
}

Cycle& Cycle::metropolis(std::vector<std::string> blocks, std::function<double(const Blocks&)> log_density,
                         std::function<double(Blocks&, KernelRandom&)> propose) {
  const std::string name = "metropolis " + joined(blocks);
  if (!log_density || !propose) throw ModelError("kernel '" + name + "' lacks a function");
  const auto make = [blocks, log_density = std::move(log_density),
                     propose = std::move(propose)](const ChainStart&) -> BlockStep {
    return [&blocks, &log_density, &propose, kept = std::vector<double>()](Blocks& state, KernelRandom& random,
                                                                           std::uint64_t) mutable {
      const double here = log_density(state);
      if (!std::isfinite(here)) throw DivergenceError("the log density is not finite at the current state");
      kept.clear();
      for (const auto& block : blocks) kept.insert(kept.end(), state[block].begin(), state[block].end());
      const double u = random.uniform();  // before the proposal, which may draw any number of them
      const double ratio = propose(state, random);
      const double difference = log_density(state) - here + ratio;
      if (std::log(u) < difference) return BlockMove{};  // also false for NaN
      std::size_t at = 0;
      for (const auto& block : blocks)
        for (double& value : state.write(block)) value = kept[at++];
      return BlockMove{false};
    };
  };
  return kernel(name, std::move(blocks), make);
}

Cycle& Cycle::random_walk(const std::string& block, double scale, std::function<double(const Blocks&)> log_density) {
  if (!(scale > 0 && std::isfinite(scale)))
    throw OptionError("random_walk of '" + block + "': scale is " + formatted("%g", scale) +
                      "; it must be positive and finite");
  return metropolis({block}, std::move(log_density), [block, scale](Blocks& state, KernelRandom& random) {
    for (double& value : state.write(block)) value += scale * random.normal();
    return 0.0;
  });
}

CycleResult Cycle::run(const CycleOptions& options) const {
  options.validate();
  if (blocks_.empty() || kernels_.empty()) throw ModelError("a cycle needs at least one block and one kernel");
  const auto start = Clock::now();
  const CheckpointFolder checkpoints(options.checkpoint);
  if (checkpoints.saves() && !checkpoints.resumes()) checkpoints.clear();
  CycleResult result;
  result.names = CycleChain::names_of(*this);
  for (std::size_t i = 0; i < result.names.size(); ++i)
    if (std::find(result.names.begin(), result.names.begin() + static_cast<std::ptrdiff_t>(i), result.names[i]) !=
        result.names.begin() + static_cast<std::ptrdiff_t>(i))
      throw ModelError("'" + result.names[i] + "' is recorded twice; give it another name");
  result.moments = RunningMoments(result.names.size());
  const auto draws = static_cast<std::size_t>(options.iterations / options.thin);
  result.draws.begin(result.names, options.chains, draws);
  if (options.sink) options.sink->begin(result.names, options.chains, draws);

  std::vector<CycleOutcome> outcomes(options.chains);
  const int threads = options.threads > 0 ? options.threads : hardware_threads();
  ThreadPool pool(std::min<int>(threads, static_cast<int>(options.chains)));
  std::atomic<bool> failed{false};
  pool.for_each(options.chains, [&](std::size_t chain, int) {
    try {
      outcomes[chain] = run_cycle_chain(*this, options, static_cast<std::uint32_t>(chain), result, failed);
    } catch (...) {
      failed.store(true, std::memory_order_relaxed);
      throw;
    }
  });
  for (const auto& outcome : outcomes) {
    result.moments.merge(outcome.moments);
    result.interrupted = result.interrupted || outcome.interrupted;
    result.seconds = std::max(result.seconds, outcome.earlier_seconds);
    result.kernels.resize(kernels_.size());
    for (std::size_t k = 0; k < outcome.reports.size(); ++k) {
      result.kernels[k].name = outcome.reports[k].name;
      result.kernels[k].steps += outcome.reports[k].steps;
      result.kernels[k].accepted += outcome.reports[k].accepted;
    }
  }
  result.seconds += seconds_since(start);
  return result;
}

}  // namespace sgmcmc
