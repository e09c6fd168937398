// Preparation for sampling from a marginal posterior: mode, scales, quadrature rule, and for minibatches of groups
// their probabilities and the gradients at the mode.
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
  /// The global parameters have no joint mode, because a scale collapses (centred effects of a second grouping). Then
  /// mode is 0 and map the identity, from which nuts adapts.
  bool collapsed = false;
  /// Largest relative difference of the gradient from that of the normal approximation, at 1.5 standard deviations from
  /// the mode along each axis.
  double distance_to_normal = 0;
  /// Change by the next finer quadrature rule, in posterior standard deviations.
  double quadrature_error = 0;

  // For minibatches of groups; else empty.
  std::vector<double> centre_gradient;  ///< sum over groups at the mode, without the global term
  std::vector<double> group_gradients;  ///< of each group at the mode: groups x D; empty: computed when needed
  std::vector<double> probabilities;    ///< of drawing each group
  /// Gradient variance of the worst coordinate with one group per step, in preconditioned coordinates, about one
  /// standard deviation from the mode; n groups per step have 1 / n of it.
  double noise_of_one_group = 0;
};

/// The target in the options of a marginal sampler; null if there is none.
std::shared_ptr<const GroupTarget> group_target_of(const SamplerOptions& options);

struct MarginalSearch {
  bool minibatches = false;
  bool split = false;  ///< split groups with very many rows, for minibatches
  std::uint64_t seed = 1;
  const std::atomic<bool>* interrupt = nullptr;
};

/// Splits groups only if their parameters have a joint mode with the global ones. Throws ModelError if no mode is
/// found. `findings`: earlier results by name are reused; new ones are added.
std::shared_ptr<const GroupTarget> make_group_target(const Model& model, GroupModel groups,
                                                     const MarginalSearch& search, ThreadPool* pool,
                                                     std::map<std::string, std::vector<double>>& findings);

}  // namespace sgmcmc
