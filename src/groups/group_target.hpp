// What sampling from a marginal posterior needs to know beforehand: its mode, its scales there, how finely to
// integrate, and for minibatches of groups their probabilities and the gradients at the mode.
#pragma once

#include "dynamics/marginal.hpp"
#include "groups/marginal_posterior.hpp"

#include <sgmcmc/optimize.hpp>
#include <sgmcmc/precondition.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

struct GroupTarget final : MarginalTarget, std::enable_shared_from_this<GroupTarget> {
  std::unique_ptr<Dynamics> make_dynamics(const MarginalNutsOptions& options, std::size_t dimension) const override;
  std::unique_ptr<Dynamics> make_dynamics(const MarginalMetropolisOptions& options,
                                          std::size_t dimension) const override;
  std::unique_ptr<Dynamics> make_dynamics(const MarginalSglmOptions& options, std::size_t dimension) const override;

  std::shared_ptr<const MarginalPosterior> posterior;
  std::vector<double> mode;                   ///< of phi
  std::shared_ptr<const Preconditioner> map;  ///< dense: scales and correlations of phi at the mode
  OptimizeReport mode_report;
  /// The global parameters have no mode together: a scale among them collapses (centred effects of a second grouping).
  /// mode is then 0 and map the identity: for nuts that adapts from there.
  bool collapsed = false;
  /// How far the gradient is from that of a normal law, at 1.5 standard deviations from the mode along each axis: the
  /// largest relative difference.
  double distance_to_normal = 0;
  /// What the next finer quadrature rule changes of the gradient, in posterior standard deviations.
  double quadrature_error = 0;

  // For minibatches of groups; empty where they were not asked for.
  std::vector<double> centre_gradient;  ///< sum over the groups at the mode, without the global term
  std::vector<double> group_gradients;  ///< of each group at the mode: groups x D; empty: computed when needed
  std::vector<double> probabilities;    ///< with which groups are drawn
  /// The variance that the choice of one group per step adds to the gradient of the worst coordinate, in units of the
  /// posterior, one standard deviation or so away from the mode; n groups per step have an n-th of it.
  double noise_of_one_group = 0;
};

/// What the options of a marginal sampler hold; null where there is none.
std::shared_ptr<const GroupTarget> group_target_of(const SamplerOptions& options);

struct MarginalSearch {
  bool minibatches = false;
  bool split = false;  ///< groups with very many rows, for minibatches
  std::uint64_t seed = 1;
  const std::atomic<bool>* interrupt = nullptr;
};

/// Groups are split only where their parameters have a mode together with the global ones. Throws ModelError where no
/// mode is found. `findings`: numbers found before, by name, are used again; new ones are added.
std::shared_ptr<const GroupTarget> make_group_target(const Model& model, GroupModel groups,
                                                     const MarginalSearch& search, ThreadPool* pool,
                                                     std::map<std::string, std::vector<double>>& findings);

}  // namespace sgmcmc
