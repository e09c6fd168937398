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
  /// If the element is drawn by itself: its distribution at each draw, given earlier values, or a single one if it is
  /// the same at all draws. Empty if the element is drawn jointly with others.
  std::vector<ElementLaw> laws;

  /// The density averaged over these distributions; exact if there is only one. Empty if unknown: estimate it from the
  /// draws.
  std::vector<double> density(std::span<const double> at) const;
};

class PriorSampler {
 public:
  /// likelihood: statements of the likelihood that are not written as `y ~ distribution(...)`. Throws StanError at a
  /// statement of the prior that cannot be drawn from.
  PriorSampler(const ModelText& model, const DataVariables& data, const LikelihoodSpans& likelihood);
  ~PriorSampler();

  /// Parameters without a proper prior, or that depend on one.
  const std::set<std::string>& improper() const;
  /// The priors of those elements in `wanted` that have a proper one. Depends on the seed only.
  std::vector<ElementPrior> draw(const std::set<std::string>& wanted, std::size_t count, std::uint64_t seed) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc::stan
