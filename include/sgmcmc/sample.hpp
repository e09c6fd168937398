// Runs all chains of a model with sample().
#pragma once

#include <sgmcmc/chain.hpp>
#include <sgmcmc/mode.hpp>
#include <sgmcmc/row_average.hpp>
#include <sgmcmc/sample_options.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// A chain diverged and continued from an earlier state with smaller steps.
struct StepReduction {
  std::uint32_t chain = 0;
  std::uint64_t diverged_at = 0, back_to = 0;  ///< iterations, including warm-up
  double factor = 1;                           ///< of the requested step size, from there on
};

/// The warm-up of one chain.
struct ChainWarmup {
  std::uint64_t iterations = 0;
  bool settled = true;  ///< false if the length was found automatically and the chain still drifted at its end
};

/// The cost of a run before its chains started.
struct SetupSeconds {
  double mode = 0, curvature = 0, row_probabilities = 0;
};

struct TuningReport;

struct SampleResult {
  MemoryDraws draws;               ///< empty if store_draws is false
  MemoryDraws statistics;          ///< lp__, accept_stat__, ... of the draws of an exact sampler; empty otherwise
  std::vector<std::string> names;  ///< parameters, then test functions
  RunningMoments moments;          ///< over all draws of all chains, in the order of names
  /// In the order of names; may be empty. Over all draws whose gradient was evaluated, which excludes the last ones.
  std::vector<ZeroVarianceEstimate> zero_variance;
  std::vector<double> centre;  ///< of control variates, unconstrained; empty otherwise
  std::optional<OptimizeReport> mode_report;
  std::vector<StepReduction> reductions;                 ///< by chain, then by iteration
  std::vector<ChainWarmup> warmup;                       ///< per chain, given or found
  std::shared_ptr<const TuningReport> tuning;            ///< null if nothing was tuned
  std::shared_ptr<const Preconditioner> preconditioner;  ///< null if not preconditioned
  SetupSeconds setup;
  bool interrupted = false;
  double seconds = 0;

  double mean(const std::string& name) const;
  double standard_deviation(const std::string& name) const;
  /// Whether a chain diverged after its warm-up: draws before and after have different distributions.
  bool steps_changed_among_draws() const;
  /// Throws OptionError if there is none.
  const ZeroVarianceEstimate& zero_variance_of(const std::string& name) const;
  /// A table of names, means, standard deviations and, if draws are stored, 5 %, 50 % and 95 % quantiles.
  std::string table(std::size_t most_rows = 60) const;
};

/// First tunes what is not set: step size or method (<sgmcmc/tuning.hpp>).
SampleResult sample(const Model& model, const SampleOptions& options);

}  // namespace sgmcmc
