// Priors of single parameters, as draws and as densities: the model run forwards up to its parameters.
#pragma once

#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"
#include "stan/forward/forward_part.hpp"
#include "stan/lowering/outcome_drawer.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// The prior of one element of a parameter, the others integrated out.
struct ElementPrior {
  std::string name;
  std::vector<double> draws;
  /// Where the element is drawn on its own: its law, given what was drawn before it; one for all draws where that is
  /// always the same. Empty: it is drawn jointly with others.
  std::vector<ElementLaw> laws;

  /// Averaged over laws, so that it is exact where there is one. Empty: not known; estimate it from the draws.
  std::vector<double> density(std::span<const double> at) const;
};

class PriorSampler {
 public:
  /// likelihood: statements that do not belong to the prior although they are not written as `y ~ law(...)`. Throws
  /// StanError at a statement of the prior that cannot be drawn from.
  PriorSampler(const ModelText& model, const DataVariables& data, const LikelihoodSpans& likelihood);
  ~PriorSampler();

  /// Parameters without a proper prior, or that depend on one.
  const std::set<std::string>& improper() const;
  /// Of those elements in `wanted` that have a proper prior. Depends on the seed alone.
  std::vector<ElementPrior> draw(const std::set<std::string>& wanted, std::size_t count, std::uint64_t seed) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc::stan
