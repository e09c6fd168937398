// Names of elements and the variables they belong to.
#include "draws/variable_names.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace sgmcmc {
namespace {

/// Parses positive integers with a separator between them; empty if the text is anything else.
std::optional<std::vector<std::int64_t>> parse_indices(std::string_view text, char separator) {
  std::vector<std::int64_t> indices;
  while (true) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || index < 1) return std::nullopt;
    indices.push_back(index);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return indices;
    if (text.front() != separator) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::vector<std::size_t> ordered(std::span<const std::string> names, bool first_fastest) {
  struct Key {
    std::size_t variable;  // numbered by first appearance
    std::vector<std::int64_t> indices;
  };
  std::map<std::string, std::size_t> numbers;
  std::vector<Key> keys;
  std::vector<std::size_t> order;
  for (const std::string& name : names) {
    ElementName element = parse_element_name(name);
    if (first_fastest) std::reverse(element.indices.begin(), element.indices.end());
    const auto number = numbers.emplace(std::move(element.variable), numbers.size()).first->second;
    order.push_back(keys.size());
    keys.push_back({number, std::move(element.indices)});
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (keys[a].variable != keys[b].variable) return keys[a].variable < keys[b].variable;
    return keys[a].indices < keys[b].indices;
  });
  return order;
}

}  // namespace

ElementName parse_element_name(std::string_view name) {
  const auto open = name.rfind('[');
  if (open != std::string_view::npos && open > 0 && name.ends_with(']'))
    if (auto indices = parse_indices(name.substr(open + 1, name.size() - open - 2), ','))
      return {std::string(name.substr(0, open)), std::move(*indices)};
  return {std::string(name), {}};
}

std::string to_csv_name(std::string_view name) {
  const ElementName element = parse_element_name(name);
  std::string result = element.variable;
  for (const auto index : element.indices) result += '.' + std::to_string(index);
  return result;
}

std::string from_csv_name(std::string_view name) {
  std::string result;
  for (bool more = true; more;) {
    const auto colon = name.find(':');
    const std::string_view part = name.substr(0, colon);
    const auto dot = part.find('.');
    const auto indices = dot == std::string_view::npos ? std::nullopt : parse_indices(part.substr(dot + 1), '.');
    result += indices ? part.substr(0, dot) : part;
    for (std::size_t k = 0; indices && k < indices->size(); ++k)
      result += (k == 0 ? '[' : ',') + std::to_string((*indices)[k]);
    if (indices) result += ']';
    more = colon != std::string_view::npos;
    if (more) {
      result += ':';
      name.remove_prefix(colon + 1);
    }
  }
  return result;
}

bool is_sampler_name(std::string_view name) { return name.size() > 2 && name.ends_with("__"); }

std::vector<std::size_t> first_index_fastest(std::span<const std::string> names) { return ordered(names, true); }
std::vector<std::size_t> last_index_fastest(std::span<const std::string> names) { return ordered(names, false); }

std::vector<Variable> variables_of(std::span<const std::string> names) {
  std::vector<ElementName> elements;
  std::map<std::string, std::size_t> ranks;
  std::set<std::string> mixed;  // variables with different numbers of indices, or with a repeated name
  std::set<std::pair<std::string, std::vector<std::int64_t>>> seen;
  for (const std::string& name : names) {
    elements.push_back(parse_element_name(name));
    const auto& element = elements.back();
    if (ranks.emplace(element.variable, element.indices.size()).first->second != element.indices.size() ||
        !seen.emplace(element.variable, element.indices).second)
      mixed.insert(element.variable);
  }
  std::vector<Variable> variables;
  std::map<std::string, std::size_t> numbers;
  std::vector<std::vector<std::int64_t>> largest;
  std::vector<std::size_t> variable_of;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (mixed.contains(elements[k].variable)) elements[k] = {names[k], {}};
    const auto [number, is_new] = numbers.emplace(elements[k].variable, variables.size());
    if (is_new || elements[k].indices.empty()) {
      if (!is_new) number->second = variables.size();
      variables.push_back({elements[k].variable, {}, {}});
      largest.push_back(elements[k].indices);
    }
    variable_of.push_back(number->second);
    auto& most = largest[number->second];
    for (std::size_t axis = 0; axis < most.size(); ++axis) most[axis] = std::max(most[axis], elements[k].indices[axis]);
  }
  for (std::size_t v = 0; v < variables.size(); ++v) {
    variables[v].shape = Shape(largest[v]);
    variables[v].positions.assign(static_cast<std::size_t>(variables[v].shape.size()), Variable::absent);
  }
  for (std::size_t k = 0; k < elements.size(); ++k) {
    Variable& variable = variables[variable_of[k]];
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < elements[k].indices.size(); ++axis)
      at = at * variable.shape[axis] + elements[k].indices[axis] - 1;
    variable.positions[static_cast<std::size_t>(at)] = k;
  }
  return variables;
}

}  // namespace sgmcmc
