// A complete run on a model in the Stan language: chooses open settings, draws from the posterior, computes the outputs
// of the model at each draw, and judges the draws. The same settings and seed give the same draws as `sgmcmc sample`.
#pragma once

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/settings.hpp>
#include <sgmcmc/stan.hpp>
#include <sgmcmc/tuning.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgmcmc {

struct RunWarning {
  std::string text;
  std::string detail;   ///< preformatted lines; may be empty
  bool remark = false;  ///< not a problem: informs about a decision of the run
};

enum class RunPhase : std::uint8_t { tuning, sampling, likelihoods, judging, done };

/// Callbacks by which a front end follows a run, and a flag to interrupt it.
struct RunHooks {
  const std::atomic<bool>* interrupt = nullptr;  ///< when set, the run ends and keeps its results so far
  std::function<void(RunPhase)> phase;
  std::function<void(const TuningReport&)> tuned;
  /// Called when the options are complete, before the first draw. gradients: evaluations per iteration.
  std::function<void(const SampleOptions&, std::uint64_t gradients)> decided;
  std::function<void(const Progress&)> progress;  ///< called from the threads of chains
  /// Receives the log density of a draw from time to time; called from the threads of chains.
  std::function<void(std::size_t chain, double log_density)> log_density;
  std::function<void(const RunWarning&)> warning;
};

/// A column of the sampler or a variable of the model that is omitted from the draws because it is non-finite at some
/// draw.
struct LeftOut {
  std::string name;
  std::size_t chain = 0;    ///< of the first non-finite value, from 0
  std::uint64_t draw = 0;   ///< likewise
  std::uint64_t draws = 0;  ///< number of such draws in all chains; 0: only before the run was resumed
  std::string reason;
};

/// A variable whose draws are not kept.
struct SummarisedVariable {
  std::string name;
  QuantitySummary summary;
};

struct RunResult {
  SampleOptions options;  ///< complete
  std::string method;
  MemoryDraws draws;                           ///< parameters, then outputs, as selected by setting `keep`; all finite
  std::vector<SummarisedVariable> summarised;  ///< variables not kept
  MemoryDraws sampler;                         ///< lp__ and stepsize__, or the statistics of an exact sampler
  SampleResult chains;                         ///< warm-up, divergences, zero-variance means, ...; without draws
  SamplerReport report;
  std::optional<TuningReport> tuning;
  std::optional<Verdict> verdict;  ///< whether to trust the draws; empty if the run was interrupted
  std::vector<LeftOut> left_out;
  std::vector<RunWarning> warnings;
  bool interrupted = false;  ///< possibly before the first draw

  std::string table(std::size_t most_rows = 60) const;  ///< a summary with one line per quantity
};

/// Throws SettingError, and the errors of sample(const Model&, const SampleOptions&).
RunResult sample(const StanPosterior& posterior, const RunSettings& settings = {}, const RunHooks& hooks = {});
/// The same for any model. `precision`: of arithmetic; data packed as floats always use floats.
RunResult run_model(const Model& model, const RunSettings& settings = {}, const RunHooks& hooks = {},
                    Precision precision = Precision::float64);

}  // namespace sgmcmc
