// hmc-ecs: its options; the sampler itself is in src/subsets/.
#include "dynamics/subset.hpp"

#include "dynamics/hamiltonian.hpp"
#include "dynamics/without_target.hpp"

#include <string>

namespace sgmcmc {

void HmcEcsOptions::validate(std::size_t) const {
  validate_hamiltonian(name, {}, target_acceptance);
  if (max_tree_depth < 1 || max_tree_depth > 20) throw OptionError("max_tree_depth must be between 1 and 20");
  constexpr std::uint32_t fewest = 20;  // ten blocks of them are exchanged, and they tell a variance
  if (subset_rows > 0 && subset_rows < fewest)
    throw OptionError("subset_rows is " + std::to_string(subset_rows) + "; it must be at least " +
                      std::to_string(fewest) + ", or 0 for as many as it takes");
}

std::unique_ptr<Dynamics> make_dynamics(const HmcEcsOptions& options, std::size_t dimension) {
  options.validate(dimension);
  if (!options.target)
    return std::make_unique<WithoutTarget>(dimension, "a model whose likelihood is expanded: sample() expands it");
  return options.target->make_dynamics(options, dimension);
}

}  // namespace sgmcmc
