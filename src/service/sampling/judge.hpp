// The verdict at the end of a run: whether to trust its draws.
#pragma once

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/run.hpp>

#include <optional>
#include <string>

namespace sgmcmc {

/// Facts about a run besides its draws.
struct RunFacts {
  const SampleOptions* options = nullptr;
  const SampleResult* result = nullptr;
  const SamplerReport* sampler = nullptr;
  std::uint64_t gradients_per_iteration = 1;
  std::string remedy = {};  ///< for draws not made by a sampler: see BiasOptions
};

/// Spends at most about a tenth of the cost of the run on gradients at draws, unless the judging is full. If the draws
/// cannot be judged, the verdict says why. Returns nothing if judging is off or interrupted. details: if not null,
/// receives what the verdict is based on.
std::optional<Verdict> judge_run(Judging judging, int threads, const Model& model, const MemoryDraws& draws,
                                 const RunFacts& facts, std::optional<BiasReport>* details = nullptr);

/// "2 of 4 chains still drifted after 1000 iterations of warm-up"; empty if all chains settled.
std::string words_on_unsettled(const SampleResult& result);

/// The maximum tree depth of the sampler, or the default for samplers without trees.
std::uint32_t max_tree_depth(const SampleOptions& options);

}  // namespace sgmcmc
