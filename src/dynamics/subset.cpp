// hmc-ecs: its options; the sampler itself is in src/subsets/.
#include "dynamics/subset.hpp"

#include "dynamics/hamiltonian.hpp"
#include "dynamics/traits.hpp"
#include "dynamics/without_target.hpp"

#include <string>

namespace sgmcmc {

void HmcEcsOptions::validate(std::size_t) const {
  validate_hamiltonian(name, {}, target_acceptance);
  if (max_tree_depth < 1 || max_tree_depth > 20) throw OptionError("max_tree_depth must be between 1 and 20");
  constexpr std::uint32_t fewest = 20;  // enough for ten blocks to update, and for a variance
  if (subset_rows > 0 && subset_rows < fewest)
    throw OptionError("subset_rows is " + std::to_string(subset_rows) + "; it must be at least " +
                      std::to_string(fewest) + ", or 0 for automatic");
}

SamplerTraits HmcEcsOptions::traits() const {
  return {.exact = true,
          .rows = RowUse::own_subsets,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = false,
          .statistics = statistics,
          .draw_gradient = DrawGradient::never("takes no gradients; use zero_variance none"),
          .whitening = WhiteningLimits{.refused = "has scales of its own", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = false,
          .langevin_law = false,
          .noise_gain = 0.0,
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning = untuned(),
          .words = usual_words()};
}

std::unique_ptr<Dynamics> HmcEcsOptions::make(std::size_t dimension) const {
  validate(dimension);
  if (!target)
    return std::make_unique<WithoutTarget>(dimension, "a model whose likelihood is expanded: sample() expands it");
  return target->make_dynamics(*this, dimension);
}

}  // namespace sgmcmc
