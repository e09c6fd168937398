// Simulation-based calibration: tests on simulated data whether a method draws from the posterior.
//
// Parameters are drawn from the prior, data from the model given these, and the model is fitted to the data. Over many
// replications the rank of the true value among the draws of its fit is uniform if the draws come from the posterior
// (Talts et al. 2018). Errors of the method or its settings, or a mismatch of simulation and model, make the ranks
// non-uniform.
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

/// One replication: a model with simulated data, and the true parameters.
struct SimulatedModel {
  std::shared_ptr<const Model> model;
  std::vector<double> truth;  ///< in the order of Model::constrained_names()
};
/// Called concurrently; must depend on the replication number only.
using Simulation = std::function<SimulatedModel(std::uint64_t replication)>;

struct CalibrateOptions {
  std::uint64_t replications = 200;
  std::uint32_t draws = 63;  ///< kept per fit, evenly spaced; ranks are from 0 to this number
  /// A fit whose smallest effective sample size is below `draws` is repeated with twice the iterations, up to this
  /// multiple of the original number. If it is still below, its draws are used and the fit is counted in `dependent`.
  std::uint32_t longest = 8;
  bool log_density = true;  ///< also rank the log posterior density, which detects draws that ignore the data
  double level = 0.01;      ///< false-alarm rate of the whole verdict: all quantities, three tests each
  int threads = 0;          ///< concurrent fits, one thread each; 0: all processors. Does not affect results
  const std::atomic<bool>* interrupt = nullptr;          ///< when set, stops and judges the finished fits
  std::function<void(std::uint64_t finished)> progress;  ///< called after each fit, from any thread, never concurrently

  void validate() const;  ///< throws OptionError naming the option
};

struct Calibration {
  std::vector<std::string> names;                 ///< parameters that vary, then "lp__" with log_density
  std::vector<std::vector<std::uint32_t>> ranks;  ///< by quantity, then by successful replication
  std::vector<RankTest> tests;                    ///< by quantity
  std::uint32_t draws = 0;
  double level = 0;

  std::uint64_t replications = 0;      ///< with ranks
  std::uint64_t failed = 0;            ///< fits that threw an error
  std::string first_failure;           ///< message of the first failed fit
  std::uint64_t extended = 0;          ///< fits repeated because their effective sample size was too small
  std::uint64_t dependent = 0;         ///< fits whose effective sample size remained below `draws`
  double smallest_effective_size = 0;  ///< of all fits
  double iterations_per_draw = 0;      ///< mean iterations per kept draw
  bool interrupted = false;

  /// A quantity is calibrated if all its p-values are above this threshold: Bonferroni over quantities and tests.
  double threshold() const;
  bool is_uniform(std::size_t quantity) const;
  bool calibrated() const;  ///< all quantities are calibrated, and no fit failed
};

/// Fits every replication with sample(), by default with one chain. Draws depend on (seed, replication) only. Throws
/// OptionError, errors of the simulation, and the error of the first failed fit if more than half of the fits fail.
Calibration calibrate(const Simulation& simulate, const SampleOptions& options, const CalibrateOptions& how = {});

}  // namespace sgmcmc
