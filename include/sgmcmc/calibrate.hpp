// Simulation-based calibration: whether a method draws from the posterior, tried on data simulated from the model.
//
// Parameters are drawn from the prior, data from the model given these, and the model is fitted to the data. Over many
// replications the rank of the true value among the draws of its fit is uniform if the draws come from the posterior
// (Talts et al. 2018): whatever is wrong with the method, its settings, or the match of simulation and model, shows as
// ranks that are not.
#pragma once

#include <sgmcmc/rank_tests.hpp>
#include <sgmcmc/sample.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

/// One replication: a model with simulated data, and the parameters these were simulated with.
struct SimulatedModel {
  std::shared_ptr<const Model> model;
  std::vector<double> truth;  ///< in the order of Model::constrained_names()
};
/// Called from several threads at once; must depend on the number of the replication only.
using Simulation = std::function<SimulatedModel(std::uint64_t replication)>;

struct CalibrateOptions {
  std::uint64_t replications = 200;
  std::uint32_t draws = 63;  ///< kept of each fit, evenly spaced: ranks run from 0 to this number
  /// A fit whose smallest effective sample size is below `draws` is run again with twice the iterations, until it has
  /// this many times those it was asked for; if that does not help, its draws are used and it is counted.
  std::uint32_t longest = 8;
  bool log_density = true;  ///< also rank the log posterior density, which sees draws that ignore the data
  double level = 0.01;      ///< false-alarm rate of the verdict over all quantities and their three tests
  int threads = 0;          ///< fits at once, one thread each; 0: all there are. Never changes results.
  const std::atomic<bool>* interrupt = nullptr;          ///< set it from anywhere: what is finished is judged
  std::function<void(std::uint64_t finished)> progress;  ///< called after each fit, from any thread, one at a time

  void validate() const;  ///< throws OptionError naming the option
};

struct Calibration {
  std::vector<std::string> names;                 ///< parameters that vary, then "lp__" where asked for
  std::vector<std::vector<std::uint32_t>> ranks;  ///< by quantity, then by replication (those that did not fail)
  std::vector<RankTest> tests;                    ///< by quantity
  std::uint32_t draws = 0;
  double level = 0;

  std::uint64_t replications = 0;      ///< with ranks
  std::uint64_t failed = 0;            ///< fits that ended with an error
  std::string first_failure;           ///< its message
  std::uint64_t extended = 0;          ///< run again because draws were too few or too dependent
  std::uint64_t dependent = 0;         ///< still with a smaller effective sample size than `draws`
  double smallest_effective_size = 0;  ///< of all fits
  double iterations_per_draw = 0;      ///< on average, of those kept
  bool interrupted = false;

  /// A quantity is calibrated when all its p-values are above this: Bonferroni over quantities and tests.
  double threshold() const;
  bool is_uniform(std::size_t quantity) const;
  bool calibrated() const;  ///< all are, and no fit failed
};

/// Fits every replication with sample(); chains 1 unless asked otherwise. Draws depend on (seed, replication) only.
/// Throws OptionError, whatever the simulation throws, and the error of the first fit when more than half fail.
Calibration calibrate(const Simulation& simulate, const SampleOptions& options, const CalibrateOptions& how = {});

}  // namespace sgmcmc
