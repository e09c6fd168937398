// Assembles the table of built-in functions from its files.
#include "stan/builtins/table.hpp"

#include <stdexcept>

namespace sgmcmc::stan {

Builtin& Table::add(std::string name, std::initializer_list<std::string_view> signatures, Apply apply) {
  std::vector<Signature> parsed;
  parsed.reserve(signatures.size());
  for (const auto signature : signatures) parsed.push_back(parse_signature(signature));
  return add(std::move(name), std::move(parsed), std::move(apply));
}

Builtin& Table::add(std::string name, std::vector<Signature> signatures, Apply apply) {
  if (!index_.emplace(name, all_.size()).second) throw std::logic_error("two built-in functions named " + name);
  auto entry = std::make_unique<Builtin>();
  entry->label = name;
  entry->name = std::move(name);
  entry->signatures = std::move(signatures);
  entry->apply = std::move(apply);
  all_.push_back(std::move(entry));
  return *all_.back();
}

void Table::alias(std::string name, std::string_view of, bool deprecated) {
  const Builtin* known = find(of);
  if (known == nullptr) throw std::logic_error("no built-in function named " + std::string(of));
  if (!index_.emplace(name, all_.size()).second) throw std::logic_error("two built-in functions named " + name);
  auto entry = std::make_unique<Builtin>(*known);
  entry->name = std::move(name);
  entry->deprecated = deprecated;
  all_.push_back(std::move(entry));
}

const Builtin* Table::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : all_[found->second].get();
}

const Table& table() {
  static const Table made = [] {
    Table all;
    add_operators(all);
    add_products(all);
    add_elementwise(all);
    add_special(all);
    add_integers(all);
    add_reductions(all);
    add_containers(all);
    add_arrangements(all);
    add_sorting(all);
    add_linear_algebra(all);
    add_decompositions(all);
    add_kernels(all);
    add_continuous(all);
    add_discrete(all);
    add_multivariate(all);
    add_glm(all);
    add_series(all);
    add_multivariate_generators(all);
    add_old_names(all);
    return all;
  }();
  return made;
}

}  // namespace sgmcmc::stan
