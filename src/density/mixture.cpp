// Mixtures of densities through log_sum_exp.
#include "density/stable.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <string>

namespace sgmcmc {

Expression log_mix(const Expression& weights, const std::vector<Expression>& components) {
  const Shape& shape = weights.shape();
  if (shape.rank() != 1 || shape[0] != static_cast<std::int64_t>(components.size())) {
    throw ShapeError("log_mix: " + std::to_string(components.size()) +
                     " components need a vector of as many weights, but got " + weights.describe());
  }
  const Expression log_weights = log_or_minus_infinity(weights);
  // Stacks components of one shape; broadcasts scalars among vectors first.
  Shape common;
  for (const auto& component : components) {
    if (component.shape().size() > common.size()) common = component.shape();
  }
  std::vector<Expression> terms;
  terms.reserve(components.size());
  for (const auto& component : components) {
    terms.push_back(component.shape() == common ? component : broadcast_to(component, common));
  }
  if (common.is_scalar()) return log_sum_exp(stack(terms) + log_weights);
  std::vector<std::int64_t> aligned(common.rank() + 1, 1);
  aligned[0] = shape[0];
  return log_sum_exp(stack(terms) + reshape(log_weights, Shape(aligned)), 0);
}

Expression log_mix(const Expression& weight, const Expression& first, const Expression& second) {
  return log_add_exp(log_or_minus_infinity(weight) + first, log_or_minus_infinity(1.0 - weight) + second);
}

}  // namespace sgmcmc
