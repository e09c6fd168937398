// marginal-nuts, marginal-metropolis, marginal-sglm: their options; the samplers themselves are in src/groups/.
#include "dynamics/marginal.hpp"

#include "dynamics/traits.hpp"
#include "dynamics/without_target.hpp"

#include <cmath>
#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

template <class Options>
std::unique_ptr<Dynamics> made(const Options& options, std::size_t dimension) {
  options.validate(dimension);
  if (!options.target)
    return std::make_unique<WithoutTarget>(dimension, "a model whose parameters belong to groups: sample() finds them");
  return options.target->make_dynamics(options, dimension);
}

SamplerTraits marginal_traits(bool exact, RowUse rows, std::span<const std::string_view> statistics) {
  return {.exact = exact,
          .rows = rows,
          .marginal = true,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = false,
          .statistics = statistics,
          .draw_gradient = DrawGradient::never("takes no gradients; use zero_variance none"),
          .whitening = WhiteningLimits{.refused = "has scales of its own", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = false,
          .langevin_law = false,
          .noise_gain = exact ? 0.0 : std::nan(""),  // batches of groups have small noise, by an unknown amount
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning = untuned(),
          .words = usual_words()};
}

}  // namespace

void MarginalNutsOptions::validate(std::size_t) const {
  if (!(target_acceptance > 0 && target_acceptance < 1)) throw OptionError("target_acceptance must be between 0 and 1");
  if (max_tree_depth < 1 || max_tree_depth > 20) throw OptionError("max_tree_depth must be between 1 and 20");
}

void MarginalSglmOptions::validate(std::size_t) const { step_size.validate(1); }

SamplerTraits MarginalNutsOptions::traits() const { return marginal_traits(true, RowUse::every, statistics); }

std::unique_ptr<Dynamics> MarginalNutsOptions::make(std::size_t dimension) const { return made(*this, dimension); }

SamplerTraits MarginalMetropolisOptions::traits() const { return marginal_traits(true, RowUse::every, statistics); }

std::unique_ptr<Dynamics> MarginalMetropolisOptions::make(std::size_t dimension) const {
  return made(*this, dimension);
}

SamplerTraits MarginalSglmOptions::traits() const { return marginal_traits(false, RowUse::own_groups, {}); }

std::unique_ptr<Dynamics> MarginalSglmOptions::make(std::size_t dimension) const { return made(*this, dimension); }

}  // namespace sgmcmc
