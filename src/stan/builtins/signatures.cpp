// Queries names and types in the table of built-in functions.
#include "stan/builtins/signatures.hpp"

#include "stan/builtins/table.hpp"

#include <algorithm>

namespace sgmcmc::stan {
namespace {

constexpr std::string_view density_suffixes[] = {"_lpdf", "_lpmf"};

const Builtin* density_of(std::string_view distribution) {
  return table().find(std::string(distribution).append(density_suffix(distribution)));
}

bool is_positive(Domain domain) {
  return domain == Domain::positive || domain == Domain::positive_finite || domain == Domain::nonnegative;
}

}  // namespace

std::optional<Type> result_type(std::string_view function, std::span<const Type> arguments) {
  const Builtin* builtin = table().find(function);
  if (builtin == nullptr) return std::nullopt;
  std::optional<Match> best;
  for (const auto& signature : builtin->signatures) {
    const auto found = match(signature, arguments);
    if (found && (!best || found->promotions < best->promotions)) best = found;
  }
  if (!best) return std::nullopt;
  return best->result;
}

bool is_function(std::string_view name) { return table().find(name) != nullptr; }

bool is_distribution(std::string_view name) { return !density_suffix(name).empty(); }

std::string_view density_suffix(std::string_view distribution) {
  for (const auto suffix : density_suffixes)
    if (table().find(std::string(distribution).append(suffix)) != nullptr) return suffix;
  return {};
}

OutcomeSupport outcome_support(std::string_view distribution) {
  const Builtin* density = density_of(distribution);
  if (density == nullptr) return {};
  OutcomeSupport support;
  support.lower_end = density->lower_end;
  support.upper_end = density->upper_end;
  // Densities that are 0 below 0 accept every outcome; their distribution functions do not.
  const Builtin* below = table().find(std::string(distribution) + "_cdf");
  for (const Builtin* entry : {density, below}) {
    if (entry == nullptr || entry->signatures.front().arguments[0].kind == Pattern::Kind::ints) continue;
    const Domain domain = entry->signatures.front().arguments[0].domain;
    const bool probability = domain == Domain::probability || domain == Domain::open_probability;
    if (is_positive(domain) || probability) support.lower = 0;
    if (probability) support.upper = 1;
  }
  return support;
}

ArgumentDomain argument_domain(std::string_view distribution, std::size_t argument) {
  const Builtin* density = density_of(distribution);
  if (density == nullptr) return ArgumentDomain::other;
  const auto& arguments = density->signatures.front().arguments;
  if (argument >= arguments.size()) return ArgumentDomain::other;
  switch (const Domain domain = arguments[argument].domain) {
    case Domain::probability:
    case Domain::open_probability: return ArgumentDomain::probability;
    case Domain::simplex: return ArgumentDomain::simplex;
    default: return is_positive(domain) ? ArgumentDomain::positive : ArgumentDomain::other;
  }
}

bool is_index(std::string_view density, std::size_t argument) {
  const Builtin* builtin = table().find(density);
  if (builtin == nullptr) return false;
  const auto& arguments = builtin->signatures.front().arguments;
  return argument < arguments.size() && arguments[argument].domain == Domain::natural;
}

std::vector<std::string> signatures(std::string_view function) {
  std::vector<std::string> lines;
  if (const Builtin* builtin = table().find(function))
    for (const auto& signature : builtin->signatures) lines.push_back(std::string(function) + signature.text);
  return lines;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& entry : table().all())
    if (!entry->deprecated) names.push_back(entry->name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (const auto& entry : table().all()) {
    for (const auto suffix : density_suffixes)
      if (entry->name.ends_with(suffix)) names.push_back(entry->name.substr(0, entry->name.size() - suffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace sgmcmc::stan
