// sgmcmc summary: a table of the draws in files.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/summary_output.hpp"
#include "cli/terminal.hpp"
#include "draws/stan_csv.hpp"
#include "report/summary_table.hpp"

#include <sgmcmc/dynamics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <set>

namespace sgmcmc::cli {
namespace {

std::string variable_of(const std::string& name) { return name.substr(0, name.find('[')); }

/// The words of --only.
std::set<std::string> wanted_names(const OptionValues& values) {
  std::set<std::string> wanted;
  for (const auto& text : values.texts("only")) {
    std::size_t begin = 0;
    int depth = 0;  // a comma inside brackets belongs to Sigma[1,2]
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && text[i] == '[') ++depth;
      if (i < text.size() && text[i] == ']') --depth;
      if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
      if (i > begin) wanted.insert(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return wanted;
}

std::vector<SummaryRow> chosen_rows(const OptionValues& values, std::vector<SummaryRow> rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.name);
  const auto is_chosen = chosen_names(values, names);
  std::vector<SummaryRow> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_chosen[i]) chosen.push_back(std::move(rows[i]));
  return chosen;
}

/// The worst R-hat, where it says that chains disagree.
std::string advice(const std::vector<SummaryRow>& rows) {
  const SummaryRow* worst = nullptr;
  for (const auto& row : rows)
    if (row.summary.rhat > 1.01 && (!worst || row.summary.rhat > worst->summary.rhat)) worst = &row;
  if (!worst) return "";
  char number[32];
  std::snprintf(number, sizeof number, "%.3g", worst->summary.rhat);
  return "rhat of " + worst->name + " is " + number +
         ": above 1.01 the chains do not agree yet. Drop more warm-up, run longer, or try another step size.\n";
}

/// As this program or CmdStan wrote it into the head of a file.
std::uint32_t max_tree_depth_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& [name, value] : settings)
    if (name == "sgmcmc.max_tree_depth" || name == "max_depth")
      if (const auto depth = count_from(value)) return static_cast<std::uint32_t>(*depth);
  return NutsOptions{}.max_tree_depth;
}

}  // namespace

std::vector<bool> chosen_names(const OptionValues& values, const std::vector<std::string>& names) {
  const auto wanted = wanted_names(values);
  std::vector<bool> chosen(names.size(), wanted.empty());
  std::vector<std::string> known;
  std::set<std::string> met;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string variable = variable_of(names[i]);
    if (known.empty() || known.back() != variable) known.push_back(variable);
    if (!wanted.count(names[i]) && !wanted.count(variable)) continue;
    met.insert(names[i]);
    met.insert(variable);
    chosen[i] = true;
  }
  for (const auto& name : wanted)
    if (!met.count(name))
      throw UsageError(values.where("only") + ": there is no variable '" + name + "'." + did_you_mean(name, known));
  return chosen;
}

void print_summary(const OptionValues& values, const MemoryDraws& draws, const SamplerReport& sampler) {
  const auto rows = chosen_rows(values, summary_rows(draws, values.threads()));
  if (values.flag("json")) {
    std::string text = summary_json(rows, sampler);
    if (!text.ends_with('\n')) text += '\n';
    std::cout << text;
    return;
  }
  if (values.flag("quiet")) return;
  SummaryTableOptions options;
  options.width = terminal_width();
  if (values.flag("all")) options.most_rows = 0;
  std::cout << summary_table(rows, options);
  const std::string words = advice(rows);
  if (!words.empty()) std::cout << '\n' << wrapped(words, terminal_width(), 0);
  for (const auto& warning : sampler.warnings()) std::cout << '\n' << wrapped(warning, terminal_width(), 0) << '\n';
}

int run_summary(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError(
        "name a folder of draws or their files: sgmcmc summary DIR, sgmcmc summary chain-1.csv chain-2.csv");
  std::vector<std::filesystem::path> paths;
  for (const auto& operand : values.operands)
    for (auto& path : chain_files(operand)) paths.push_back(std::move(path));
  const auto read = read_stan_csv(paths);
  for (const auto& warning : read.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  print_summary(values, read.draws, report_sampler(read.sampler, max_tree_depth_of(read.settings)));
  return 0;
}

}  // namespace sgmcmc::cli
