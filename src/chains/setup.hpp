// Shared setup of the chains of one run.
#pragma once

#include "base/thread_pool.hpp"
#include "gradient/estimators.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/sample.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

class RunSetup {
 public:
  /// Validates, compiles, and finds the mode if control variates need it.
  RunSetup(const Model& model, const SampleOptions& options);

  const std::shared_ptr<const LogPosterior>& posterior() const { return posterior_; }
  const SampleOptions& options() const { return options_; }
  const std::shared_ptr<const Centre>& centre() const { return centre_; }
  /// The coordinates in which samplers run; null: those of the model.
  const std::shared_ptr<const Preconditioner>& preconditioner() const { return preconditioner_; }
  const SetupSeconds& seconds() const { return seconds_; }
  const std::optional<OptimizeReport>& mode_report() const { return mode_report_; }
  const std::vector<std::string>& names() const { return names_; }
  /// The program that computes the values of names() from a position.
  const std::shared_ptr<const Program>& values_program() const { return values_program_; }

  ZeroVarianceForm zero_variance() const { return zero_variance_; }  ///< resolved: never automatic

  /// A setup with other options of sampler and minibatches that shares these results. The estimator must be the same,
  /// or need no centre.
  std::shared_ptr<RunSetup> with(const SampleOptions& options) const;

  int threads() const;            ///< total
  int threads_per_chain() const;  ///< for full passes inside a chain
  /// By default random, and different for every attempt.
  std::vector<double> starting_point(std::uint32_t chain, std::uint64_t attempt = 0) const;
  /// For samplers of hierarchical models: global parameters drawn from their normal approximation, group parameters at
  /// their modes.
  std::vector<double> marginal_start(std::uint32_t chain) const;

 private:
  bool interrupted() const;
  /// Returns an earlier finding by name, or computes it now.
  std::vector<double> once(const std::string& name, const std::function<std::vector<double>()>& find);
  ModeResult mode(const LbfgsOptions& search, ThreadPool& pool);
  void remember_map(const Preconditioner& map);
  std::shared_ptr<const Preconditioner> remembered_map() const;
  void find_centre_and_map();
  /// The centre, if the search for the mode has already computed the gradient of all rows at this point; else null.
  std::shared_ptr<const Centre> known_centre(const std::vector<double>& theta) const;
  /// Draws rows with these probabilities from now on. Builds the tables once for all chains.
  void prefer_rows(std::vector<double> probabilities);
  void find_starts();
  PositionMetric curvature_at_mode();
  void find_marginal_target();
  /// Expands the likelihood for hmc-ecs.
  void find_subset_target();
  /// If only some groups are drawn: drops the values of the others.
  void keep_drawn_groups();
  ModeResult mode_from_start(const LbfgsOptions& search, ThreadPool& pool);

  SampleOptions options_;
  std::shared_ptr<const LogPosterior> posterior_;
  std::shared_ptr<const Centre> centre_;
  std::shared_ptr<const Preconditioner> preconditioner_;
  SetupSeconds seconds_;
  std::optional<OptimizeReport> mode_report_;
  std::vector<std::vector<double>> starts_;  // by chain; empty: found when needed
  std::vector<std::string> names_;
  ZeroVarianceForm zero_variance_ = ZeroVarianceForm::none;
  std::shared_ptr<const Program> values_program_;
};

/// Approximate number of parameters in a draw that holds some groups only (and then no outputs); empty if it holds all.
std::optional<std::size_t> numbers_of_some_groups(const Model& model, const SampleOptions& options);
/// The names of those parameters; empty if a draw holds all groups.
std::optional<std::vector<std::string>> names_of_some_groups(const Model& model, const SampleOptions& options);

}  // namespace sgmcmc
