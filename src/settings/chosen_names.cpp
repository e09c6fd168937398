// Parses option `only` and looks up its names.
#include "settings/chosen_names.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace sgmcmc {
namespace {

std::string variable_of(const std::string& name) { return name.substr(0, name.find('[')); }

std::set<std::string> wanted_names(const OptionValues& values) {
  std::set<std::string> wanted;
  for (const auto& text : values.texts("only"))
    for (auto& name : split_names(text)) wanted.insert(std::move(name));
  return wanted;
}

}  // namespace

std::string why_unknown(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> known, elements;
  for (const auto& one : names) {
    if (known.empty() || known.back() != variable_of(one)) known.push_back(variable_of(one));
    if (variable_of(one) == variable_of(name)) elements.push_back(one);
  }
  if (elements.empty()) return "there is no variable '" + name + "'." + did_you_mean(name, known);
  return "there is no '" + name + "'; '" + variable_of(name) + "' " +
         (elements.size() == 1 ? "is " + elements.front() : "goes from " + elements.front() + " to " + elements.back());
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > begin) names.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return names;
}

std::vector<std::size_t> chosen_names(const OptionValues& values, const std::vector<std::string>& names,
                                      const std::vector<std::string>& absent) {
  const auto wanted = wanted_names(values);
  std::vector<std::size_t> chosen;
  if (wanted.empty()) {
    chosen.resize(names.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  std::set<std::string> met;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string variable = variable_of(names[k]);
    if (!wanted.count(names[k]) && !wanted.count(variable)) continue;
    met.insert(names[k]);
    met.insert(variable);
    chosen.push_back(k);
  }
  for (const auto& name : absent) {
    met.insert(name);
    met.insert(variable_of(name));
  }
  for (const auto& name : wanted)
    if (!met.count(name)) throw UsageError(values.where("only") + ": " + why_unknown(name, names));
  return chosen;
}

void check_chosen_names(const OptionValues& values, const std::vector<std::string>& names,
                        const std::vector<std::string>& not_kept) {
  for (const auto& name : wanted_names(values))
    if (std::find(not_kept.begin(), not_kept.end(), variable_of(name)) != not_kept.end())
      throw UsageError(values.where("only") + ": '" + name + "' is not kept at each draw; " +
                       values.written("outputs", "all") + " keeps it");
  chosen_names(values, names);
}

}  // namespace sgmcmc
