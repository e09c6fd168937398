// The interface to samplers of hierarchical models, which src/groups/ implements.
#pragma once

#include "dynamics/dynamics.hpp"

namespace sgmcmc {

/// Whether these are the options of a marginal sampler.
template <class Options>
constexpr bool is_marginal_options = requires(Options options) {
  options.drawn_groups;
};

/// A hierarchical model prepared for the marginal samplers.
struct MarginalTarget {
  virtual ~MarginalTarget() = default;
  virtual std::unique_ptr<Dynamics> make_dynamics(const MarginalNutsOptions& options, std::size_t dimension) const = 0;
  virtual std::unique_ptr<Dynamics> make_dynamics(const MarginalMetropolisOptions& options,
                                                  std::size_t dimension) const = 0;
  virtual std::unique_ptr<Dynamics> make_dynamics(const MarginalSglmOptions& options, std::size_t dimension) const = 0;
};

}  // namespace sgmcmc
