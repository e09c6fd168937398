// Tracks the names in scope.
#include "stan/check/check_scopes.hpp"

#include <utility>

namespace sgmcmc::stan {

std::string block_text(BlockKind block) {
  switch (block) {
    case BlockKind::functions: return "the functions block";
    case BlockKind::data: return "the data block";
    case BlockKind::transformed_data: return "the transformed data block";
    case BlockKind::parameters: return "the parameters block";
    case BlockKind::transformed_parameters: return "the transformed parameters block";
    case BlockKind::model: return "the model block";
    case BlockKind::generated_quantities: return "the generated quantities block";
  }
  return "";
}

std::string Variable::description() const {
  if (kind == Kind::argument) return "a function argument";
  if (kind == Kind::loop) return "a loop variable";
  if (!top_level) return "a local variable";
  switch (block) {
    case BlockKind::data: return "data";
    case BlockKind::transformed_data: return "transformed data";
    case BlockKind::parameters: return "a parameter";
    case BlockKind::transformed_parameters: return "a transformed parameter";
    case BlockKind::generated_quantities: return "a generated quantity";
    default: return "a local variable";
  }
}

Variable* Scopes::find(std::string_view name) {
  const auto place = places_.find(std::string(name));
  return place == places_.end() ? nullptr : &variables_[place->second];
}

Variable& Scopes::declare(Variable variable) {
  places_[variable.name] = variables_.size();
  variables_.push_back(std::move(variable));
  return variables_.back();
}

std::vector<std::string> Scopes::names() const {
  std::vector<std::string> result;
  for (const Variable& variable : variables_) result.push_back(variable.name);
  return result;
}

void Scopes::close() {
  for (; variables_.size() > marks_.back(); variables_.pop_back()) places_.erase(variables_.back().name);
  marks_.pop_back();
}

}  // namespace sgmcmc::stan
