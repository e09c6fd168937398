// The verdict at the end of a run: whether to trust its draws.
#pragma once

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/run.hpp>

#include <optional>
#include <string>

namespace sgmcmc {

/// What a run knows of itself beside its draws.
struct RunFacts {
  const SampleOptions* options = nullptr;
  const SampleResult* result = nullptr;
  const SamplerReport* sampler = nullptr;
  std::uint64_t gradients_per_iteration = 1;
  std::string remedy = {};  ///< of draws that no sampler made: see BiasOptions
};

/// Gradients at the draws cost about a tenth of the run at most, unless the judging is full. Draws that cannot be
/// judged get a verdict that says why; none where the run's interrupt flag was set meanwhile. details: if not null,
/// receives what the verdict is based on.
std::optional<Verdict> judge_run(Judging judging, int threads, const Model& model, const MemoryDraws& draws,
                                 const RunFacts& facts, std::optional<BiasReport>* details = nullptr);

/// "2 of 4 chains still drifted after 1000 iterations of warm-up"; empty where all had settled.
std::string words_on_unsettled(const SampleResult& result);

/// What trees are cut at, of a sampler that has them; else the default.
std::uint32_t max_tree_depth(const SampleOptions& options);

}  // namespace sgmcmc
