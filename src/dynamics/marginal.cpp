// marginal-nuts, marginal-metropolis, marginal-sglm: their options; the samplers themselves are in src/groups/.
#include "dynamics/marginal.hpp"

#include "dynamics/without_target.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

template <class Options>
std::unique_ptr<Dynamics> make(const Options& options, std::size_t dimension) {
  options.validate(dimension);
  if (!options.target)
    return std::make_unique<WithoutTarget>(dimension, "a model whose parameters belong to groups: sample() finds them");
  return options.target->make_dynamics(options, dimension);
}

}  // namespace

void MarginalNutsOptions::validate(std::size_t) const {
  if (!(target_acceptance > 0 && target_acceptance < 1)) throw OptionError("target_acceptance must be between 0 and 1");
  if (max_tree_depth < 1 || max_tree_depth > 20) throw OptionError("max_tree_depth must be between 1 and 20");
}

void MarginalSglmOptions::validate(std::size_t) const { step_size.validate(1); }

std::unique_ptr<Dynamics> make_dynamics(const MarginalNutsOptions& options, std::size_t dimension) {
  return make(options, dimension);
}

std::unique_ptr<Dynamics> make_dynamics(const MarginalMetropolisOptions& options, std::size_t dimension) {
  return make(options, dimension);
}

std::unique_ptr<Dynamics> make_dynamics(const MarginalSglmOptions& options, std::size_t dimension) {
  return make(options, dimension);
}

}  // namespace sgmcmc
