// sgmcmc compare: two sets of draws, or one and a Dirichlet law.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "draws/netcdf.hpp"
#include "draws/variable_names.hpp"
#include "report/comparison_table.hpp"
#include "service/chosen_names.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

namespace sgmcmc::cli {
namespace {

/// One operand: its draws and what its files say of their model.
struct DrawSet {
  std::string label;
  StanCsvDraws read;

  explicit DrawSet(const std::string& operand) : label("'" + operand + "'") {
    ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
    display.say("reading the draws of " + operand + " ...");
    read = read_draws({operand});
    display.clear();
    for (const auto& warning : read.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
    for (std::size_t chain = 0; chain < draws().chains(); ++chain) count_ += draws().draws(chain);
  }

  const MemoryDraws& draws() const { return read.draws; }
  std::size_t count() const { return count_; }
  std::string model() const {
    for (const auto& [name, value] : read.settings)
      if (name == "model") return value;
    return "";
  }

 private:
  std::size_t count_ = 0;
};

void require_draws(const DrawSet& set) {
  if (set.count() >= 2) return;
  throw FileError(set.label + " has " + (set.count() == 0 ? "no draws" : "a single draw") +
                  "; a comparison needs at least two, and some hundred to say much");
}

void require_finite(const DrawSet& set, const std::vector<std::size_t>& parameters) {
  const MemoryDraws& draws = set.draws();
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t k = 0; k < draws.draws(chain); ++k)
      for (const std::size_t p : parameters)
        if (const double value = draws(chain, k, p); !std::isfinite(value))
          throw FileError(set.label + ": " + draws.names()[p] + " is " +
                          (std::isnan(value) ? "nan"
                           : value > 0       ? "inf"
                                             : "-inf") +
                          " in draw " + std::to_string(k + 1) + " of chain " + std::to_string(chain + 1) +
                          "; draws that are not finite cannot be compared. Name the variables to compare with --only");
}

/// The draws of some parameters only.
MemoryDraws part_of(const MemoryDraws& draws, const std::vector<std::size_t>& parameters) {
  std::vector<std::string> names;
  for (const std::size_t p : parameters) names.push_back(draws.names()[p]);
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

std::vector<std::string> names_of(const MemoryDraws& draws, const std::vector<std::size_t>& parameters) {
  std::vector<std::string> names;
  for (const std::size_t p : parameters) names.push_back(draws.names()[p]);
  return names;
}

std::string some_variables(const MemoryDraws& draws) {
  std::vector<std::string> names;
  for (const auto& variable : variables_of(draws.names())) names.push_back(variable.name);
  constexpr std::size_t most = 8;
  const bool cut = names.size() > most;
  names.resize(std::min(names.size(), most));
  return quoted_list(names) + (cut ? ", ..." : "");
}

/// A variable of another size belongs to another model: beta[1] of either would be no longer the same quantity.
void require_one_model(const DrawSet& a, const DrawSet& b, const std::vector<std::string>& a_names,
                       const std::vector<std::string>& b_names) {
  std::map<std::string, std::size_t> sizes;
  const auto theirs = variables_of(b_names);
  for (const auto& variable : theirs) sizes[variable.name] = variable.positions.size();
  bool any = false;
  for (const auto& variable : variables_of(a_names)) {
    const auto found = sizes.find(variable.name);
    if (found == sizes.end()) continue;
    any = true;
    if (found->second != variable.positions.size())
      throw FileError(variable.name + " has " + std::to_string(variable.positions.size()) + " elements in " + a.label +
                      " and " + std::to_string(found->second) + " in " + b.label +
                      ": these are draws of different models, or of other data. Compare draws of one model, or name "
                      "the variables to compare with --only");
  }
  if (!any)
    throw FileError(a.label + " and " + b.label + " have no variable in common: the first has " +
                    some_variables(a.draws()) + ", the other " + some_variables(b.draws()) +
                    ". Compare draws of one model");
}

/// --only names what is to be compared: it must be in both.
void require_in_both(const OptionValues& values, const DrawSet& a, const DrawSet& b) {
  chosen_names(values, a.draws().names());
  try {
    chosen_names(values, b.draws().names());
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) + " (in " + b.label + ")");
  }
}

void print_left_out(const std::string& label, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<std::string> shown;
  for (const auto& variable : variables_of(names)) shown.push_back(variable.name);
  constexpr std::size_t most = 10;
  const std::size_t left = shown.size() - std::min(shown.size(), most);
  shown.resize(shown.size() - left);
  std::cout << wrapped("Only in " + label + ": " + joined(shown, ", ") +
                           (left > 0 ? " and " + std::to_string(left) + " more" : "") + ".",
                       terminal_width(), 0)
            << "\n";
}

ComparisonTableOptions table_options(const OptionValues& values) {
  ComparisonTableOptions options;
  options.width = terminal_width();
  if (values.flag("all")) options.most_rows = 0;
  return options;
}

std::vector<double> concentrations(const OptionValues& values) {
  std::vector<double> numbers;
  for (const auto& word : split_names(values.text("dirichlet"))) {
    const auto number = number_from(word);
    if (!number || !(*number > 0.0))
      throw UsageError(values.where("dirichlet") + ": '" + word +
                       "' is not a concentration; give numbers above 0, separated by commas: --dirichlet 0.5,1,2");
    numbers.push_back(*number);
  }
  if (numbers.size() < 2)
    throw UsageError(values.where("dirichlet") + ": a Dirichlet law has at least two concentrations, but " +
                     std::to_string(numbers.size()) + " is given: --dirichlet 0.5,1,2");
  return numbers;
}

int compare_with_law(const OptionValues& values) {
  if (values.operands.size() != 1)
    throw UsageError("--dirichlet takes the place of B: sgmcmc compare A --dirichlet 0.5,1,2 --only theta");
  const auto law = concentrations(values);
  const DrawSet set(values.operands[0]);
  require_draws(set);
  const auto parameters = chosen_names(values, set.draws().names());
  if (parameters.size() != law.size())
    throw UsageError(values.where("dirichlet") + ": there are " + std::to_string(law.size()) +
                     " concentrations, but the draws chosen from " + set.label + " have " +
                     std::to_string(parameters.size()) + " components; name one simplex with --only (there are " +
                     some_variables(set.draws()) + ")");
  require_finite(set, parameters);
  const auto names = names_of(set.draws(), parameters);
  const auto result = compare_with_dirichlet(set.draws(), parameters, law);
  if (values.flag("json")) {
    std::cout << dirichlet_json(result, names);
    return 0;
  }
  std::cout << dirichlet_table(result, names, table_options(values)) << '\n'
            << wrapped(dirichlet_words(result, names), terminal_width(), 0) << '\n';
  return 0;
}

}  // namespace

int run_compare(const OptionValues& values) {
  if (values.given("dirichlet")) return compare_with_law(values);
  if (values.operands.size() != 2)
    throw UsageError("name two folders or files of draws, the reference last: sgmcmc compare A B");
  const DrawSet a(values.operands[0]), b(values.operands[1]);
  require_draws(a);
  require_draws(b);
  if (values.given("only")) require_in_both(values, a, b);
  const auto a_chosen = chosen_names(values, a.draws().names()), b_chosen = chosen_names(values, b.draws().names());
  const auto a_names = names_of(a.draws(), a_chosen), b_names = names_of(b.draws(), b_chosen);
  require_one_model(a, b, a_names, b_names);
  const auto common_of = [](const std::vector<std::size_t>& chosen, const std::vector<std::string>& names,
                            std::vector<std::string> others) {
    std::sort(others.begin(), others.end());
    std::vector<std::size_t> common;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (std::binary_search(others.begin(), others.end(), names[k])) common.push_back(chosen[k]);
    return common;
  };
  require_finite(a, common_of(a_chosen, a_names, b_names));
  require_finite(b, common_of(b_chosen, b_names, a_names));

  CompareOptions options;
  options.threads = values.threads();
  options.most_draws = values.count("most-draws");
  if (options.most_draws < 2)
    throw UsageError(values.where("most-draws") + ": at least 2 draws are needed, not " +
                     std::to_string(options.most_draws));
  const auto result = values.given("only")
                          ? compare(part_of(a.draws(), a_chosen), part_of(b.draws(), b_chosen), options)
                          : compare(a.draws(), b.draws(), options);
  if (!a.model().empty() && !b.model().empty() && a.model() != b.model())
    std::cerr << "sgmcmc: warning: " << a.label << " has draws of the model '" << a.model() << "', " << b.label
              << " of '" << b.model() << "'\n";
  if (values.flag("json")) {
    std::cout << comparison_json(result);
    return 0;
  }
  std::cout << comparison_table(result, table_options(values)) << '\n'
            << wrapped(comparison_caption(result), terminal_width(), 0) << "\n\n"
            << wrapped(comparison_words(result), terminal_width(), 0) << '\n';
  print_left_out(a.label, result.only_in_draws);
  print_left_out(b.label, result.only_in_reference);
  return 0;
}

}  // namespace sgmcmc::cli
