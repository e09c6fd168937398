// Composes method names from the names of samplers, optimisers and estimators.
#include "settings/methods.hpp"

#include "dynamics/dynamics.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/gradient.hpp>

namespace sgmcmc {

std::string sampler_of(std::string_view method) {
  std::string longest;
  for (const auto& known : sampler_names())
    if (known.size() > longest.size() && (method == known || method.starts_with(known + "-"))) longest = known;
  return longest;
}

bool takes_every_row_method(std::string_view method) {
  const std::string sampler = sampler_of(method);
  return !sampler.empty() && takes_every_row(sampler_options(sampler));
}

std::string estimator_of(const std::string& method) {
  const std::string sampler = sampler_of(method);
  const auto dash = method.find('-', sampler.size());  // an optimiser is not in the table: split at the first dash
  if (dash != std::string::npos) return method.substr(dash + 1);
  return takes_every_row_method(method) ? "full" : "minibatch";
}

std::vector<std::string> sample_methods() {
  std::vector<std::string> methods;
  for (const auto& sampler : sampler_names()) {
    methods.push_back(sampler);
    for (const auto estimator : all_estimators())
      if (estimator == Estimator::full || !takes_every_row_method(sampler))
        methods.push_back(sampler + "-" + std::string(estimator_name(estimator)));
  }
  return methods;
}

std::string how_rows_are_taken(const std::string& sampler) {
  switch (row_use(sampler_options(sampler))) {
    case RowUse::own_subsets: return "draws its own subsets of the rows, with control variates";
    case RowUse::own_groups: return "draws minibatches of groups";
    case RowUse::minibatches:
    case RowUse::every: break;
  }
  return "uses all rows at every step";
}

std::vector<std::string> optimize_methods() {
  std::vector<std::string> methods = {"lbfgs"};
  for (const std::string optimiser : {"adam", "sgd"}) {
    methods.push_back(optimiser);
    for (const auto estimator : all_estimators())
      if (estimator != Estimator::control_variate)  // would need the mode
        methods.push_back(optimiser + "-" + std::string(estimator_name(estimator)));
  }
  return methods;
}

}  // namespace sgmcmc
