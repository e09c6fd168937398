// Chooses the variables to compare, and refuses draws that cannot be compared.
#include "service/compare_draws.hpp"

#include "base/text.hpp"
#include "draws/variable_names.hpp"
#include "settings/chosen_names.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace sgmcmc {
namespace {

void require_draws(const DrawSet& set) {
  std::size_t count = 0;
  for (std::size_t chain = 0; chain < set.saved.draws.chains(); ++chain) count += set.saved.draws.draws(chain);
  if (count >= 2) return;
  throw FileError(set.label + " has " + (count == 0 ? "no draws" : "a single draw") +
                  "; a comparison needs at least two, and some hundred to say much");
}

void require_finite(const OptionValues& values, const DrawSet& set, const std::vector<std::size_t>& parameters) {
  const MemoryDraws& draws = set.saved.draws;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t k = 0; k < draws.draws(chain); ++k)
      for (const std::size_t p : parameters)
        if (const double value = draws(chain, k, p); !std::isfinite(value))
          throw FileError(set.label + ": " + draws.names()[p] + " is " +
                          (std::isnan(value) ? "nan"
                           : value > 0       ? "inf"
                                             : "-inf") +
                          " in draw " + std::to_string(k + 1) + " of chain " + std::to_string(chain + 1) +
                          "; draws that are not finite cannot be compared. Name the variables to compare with " +
                          values.written("only"));
}

std::vector<std::string> names_of(const MemoryDraws& draws, const std::vector<std::size_t>& parameters) {
  std::vector<std::string> names;
  for (const std::size_t p : parameters) names.push_back(draws.names()[p]);
  return names;
}

/// The draws of some parameters only.
MemoryDraws chosen_part(const MemoryDraws& draws, const std::vector<std::size_t>& parameters) {
  const auto names = names_of(draws, parameters);
  std::size_t most = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) most = std::max(most, draws.draws(chain));
  MemoryDraws part;
  part.begin(names, draws.chains(), most);
  std::vector<double> values(names.size());
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t k = 0; k < draws.draws(chain); ++k) {
      for (std::size_t j = 0; j < values.size(); ++j) values[j] = draws(chain, k, parameters[j]);
      part.write(chain, values, draws.weights(chain)[k]);
    }
  return part;
}

std::string some_variables(const MemoryDraws& draws) {
  auto names = variables_among(draws.names());
  constexpr std::size_t most = 8;
  const bool cut = names.size() > most;
  names.resize(std::min(names.size(), most));
  return quoted_list(names) + (cut ? ", ..." : "");
}

/// Refuses variables whose sizes differ: the draws are of different models, so elements do not correspond.
void require_one_model(const OptionValues& values, const DrawSet& a, const DrawSet& b,
                       const std::vector<std::string>& a_names, const std::vector<std::string>& b_names) {
  std::map<std::string, std::size_t> sizes;
  for (const auto& variable : variables_of(b_names)) sizes[variable.name] = variable.positions.size();
  bool any = false;
  for (const auto& variable : variables_of(a_names)) {
    const auto found = sizes.find(variable.name);
    if (found == sizes.end()) continue;
    any = true;
    if (found->second != variable.positions.size())
      throw FileError(variable.name + " has " + std::to_string(variable.positions.size()) + " elements in " + a.label +
                      " and " + std::to_string(found->second) + " in " + b.label +
                      ": these are draws of different models, or of other data. Compare draws of one model, or name "
                      "the variables to compare with " +
                      values.written("only"));
  }
  if (!any)
    throw FileError(a.label + " and " + b.label + " have no variable in common: the first has " +
                    some_variables(a.saved.draws) + ", the other " + some_variables(b.saved.draws) +
                    ". Compare draws of one model");
}

/// Refuses variables of option `only` that are missing from either set.
void require_in_both(const OptionValues& values, const DrawSet& a, const DrawSet& b) {
  chosen_names(values, a.saved.draws.names());
  try {
    chosen_names(values, b.saved.draws.names());
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) + " (in " + b.label + ")");
  }
}

/// The chosen parameters whose names also occur in `others`.
std::vector<std::size_t> common_of(const std::vector<std::size_t>& chosen, const std::vector<std::string>& names,
                                   std::vector<std::string> others) {
  std::sort(others.begin(), others.end());
  std::vector<std::size_t> common;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (std::binary_search(others.begin(), others.end(), names[k])) common.push_back(chosen[k]);
  return common;
}

CompareOptions compare_options(const OptionValues& values) {
  CompareOptions options;
  options.threads = values.threads();
  options.most_draws = values.count("most-draws");
  if (options.most_draws < 2)
    throw UsageError(values.where("most-draws") + ": at least 2 draws are needed, not " +
                     std::to_string(options.most_draws));
  return options;
}

}  // namespace

DrawSet read_draw_set(const std::string& folder_or_file) {
  return {"'" + folder_or_file + "'", read_saved_draws({folder_or_file})};
}

Comparison compare_sets(const OptionValues& values, const DrawSet& a, const DrawSet& b) {
  require_draws(a);
  require_draws(b);
  if (values.given("only")) require_in_both(values, a, b);
  const MemoryDraws &a_draws = a.saved.draws, &b_draws = b.saved.draws;
  const auto a_chosen = chosen_names(values, a_draws.names()), b_chosen = chosen_names(values, b_draws.names());
  const auto a_names = names_of(a_draws, a_chosen), b_names = names_of(b_draws, b_chosen);
  require_one_model(values, a, b, a_names, b_names);
  require_finite(values, a, common_of(a_chosen, a_names, b_names));
  require_finite(values, b, common_of(b_chosen, b_names, a_names));
  const CompareOptions options = compare_options(values);
  if (!values.given("only")) return compare(a_draws, b_draws, options);
  return compare(chosen_part(a_draws, a_chosen), chosen_part(b_draws, b_chosen), options);
}

std::vector<double> dirichlet_concentrations(const OptionValues& values) {
  const std::string example = values.written("dirichlet", "0.5,1,2");
  std::vector<double> numbers;
  for (const auto& word : split_names(values.text("dirichlet"))) {
    const auto number = number_from(word);
    if (!number || !(*number > 0.0))
      throw UsageError(values.where("dirichlet") + ": '" + word +
                       "' is not a concentration; give numbers above 0, separated by commas: " + example);
    numbers.push_back(*number);
  }
  if (numbers.size() < 2)
    throw UsageError(values.where("dirichlet") + ": a Dirichlet law has at least two concentrations, but " +
                     std::to_string(numbers.size()) + " is given: " + example);
  return numbers;
}

ComparisonWithDirichlet compare_with_dirichlet(const OptionValues& values, const std::vector<double>& concentrations,
                                               const DrawSet& set) {
  require_draws(set);
  const MemoryDraws& draws = set.saved.draws;
  const auto parameters = chosen_names(values, draws.names());
  if (parameters.size() != concentrations.size())
    throw UsageError(values.where("dirichlet") + ": there are " + std::to_string(concentrations.size()) +
                     " concentrations, but the draws chosen from " + set.label + " have " +
                     std::to_string(parameters.size()) + " components; name one simplex with " +
                     values.written("only") + " (there are " + some_variables(draws) + ")");
  require_finite(values, set, parameters);
  return {names_of(draws, parameters), compare_with_dirichlet(draws, parameters, concentrations)};
}

std::vector<std::string> variables_among(const std::vector<std::string>& names) {
  std::vector<std::string> variables;
  for (const auto& variable : variables_of(names)) variables.push_back(variable.name);
  return variables;
}

}  // namespace sgmcmc
