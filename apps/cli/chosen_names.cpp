// Reading the names of --only and finding them.
#include "cli/chosen_names.hpp"

#include "base/text.hpp"

#include <numeric>
#include <set>

namespace sgmcmc::cli {
namespace {

std::string variable_of(const std::string& name) { return name.substr(0, name.find('[')); }

}  // namespace

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

std::vector<std::size_t> chosen_names(const OptionValues& values, const std::vector<std::string>& names) {
  std::set<std::string> wanted;
  for (const auto& text : values.texts("only"))
    for (auto& name : split_names(text)) wanted.insert(std::move(name));
  std::vector<std::size_t> chosen;
  if (wanted.empty()) {
    chosen.resize(names.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  std::vector<std::string> known;
  for (const auto& name : names)
    if (known.empty() || known.back() != variable_of(name)) known.push_back(variable_of(name));
  std::set<std::string> met;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string variable = variable_of(names[k]);
    if (!wanted.count(names[k]) && !wanted.count(variable)) continue;
    met.insert(names[k]);
    met.insert(variable);
    chosen.push_back(k);
  }
  for (const auto& name : wanted)
    if (!met.count(name))
      throw UsageError(values.where("only") + ": there is no variable '" + name + "'." + did_you_mean(name, known));
  return chosen;
}

}  // namespace sgmcmc::cli
