// A whole run on a model in the Stan language: settings left open are chosen, draws are made, completed with the
// outputs of the model, and judged. The same settings and seed give the same draws as the program `sgmcmc sample`.
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
  std::string detail;   ///< lines to be shown as they are; may be empty
  bool remark = false;  ///< nothing is wrong: says what was decided
};

enum class RunPhase : std::uint8_t { tuning, sampling, likelihoods, judging, done };

/// How a front end follows a run, and ends it.
struct RunHooks {
  const std::atomic<bool>* interrupt = nullptr;  ///< set it from anywhere: the run ends with what there is
  std::function<void(RunPhase)> phase;
  std::function<void(const TuningReport&)> tuned;
  /// The options are complete, and nothing was drawn yet. gradients: of an iteration.
  std::function<void(const SampleOptions&, std::uint64_t gradients)> decided;
  std::function<void(const Progress&)> progress;  ///< from the threads of chains
  /// Hears of the log density at a draw now and then; from the threads of chains.
  std::function<void(std::size_t chain, double log_density)> log_density;
  std::function<void(const RunWarning&)> warning;
};

/// A column of the sampler, or a variable of the model, that is not a finite number at some draw: the draws do not have
/// it.
struct LeftOut {
  std::string name;
  std::size_t chain = 0;    ///< from 0, where that was first so
  std::uint64_t draw = 0;   ///< likewise
  std::uint64_t draws = 0;  ///< how often, in all chains; 0: before the run was resumed, and not yet again
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
  MemoryDraws draws;  ///< parameters, then outputs, those of setting `keep`; every number is finite
  std::vector<SummarisedVariable> summarised;  ///< the others
  MemoryDraws sampler;                         ///< lp__, stepsize__, or what an exact sampler records
  SampleResult chains;  ///< warm-up, divergences, means corrected by gradients, ...; it holds no draws
  SamplerReport report;
  std::optional<TuningReport> tuning;
  std::optional<Verdict> verdict;  ///< whether to trust the draws; none where the run was interrupted
  std::vector<LeftOut> left_out;
  std::vector<RunWarning> warnings;
  bool interrupted = false;  ///< maybe before there was any draw

  std::string table(std::size_t most_rows = 60) const;  ///< a summary, a line for each quantity
};

/// Throws SettingError, and what sample(const Model&, const SampleOptions&) throws.
RunResult sample(const StanPosterior& posterior, const RunSettings& settings = {}, const RunHooks& hooks = {});
/// The same for any model. precision: of arithmetic; that of the data where they were packed as floats.
RunResult run_model(const Model& model, const RunSettings& settings = {}, const RunHooks& hooks = {},
                    Precision precision = Precision::float64);

}  // namespace sgmcmc
