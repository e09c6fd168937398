// sgmcmc compare: compares two sets of draws, or one set with a Dirichlet distribution.
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "report/comparison_table.hpp"
#include "report/words.hpp"
#include "service/compare_draws.hpp"
#include "service/reports/comparison_report.hpp"

#include <algorithm>
#include <iostream>

namespace sgmcmc::cli {
namespace {

DrawSet read_operand(const std::string& operand) {
  ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
  display.say("reading the draws of " + operand + " ...");
  DrawSet set = read_draw_set(operand);
  display.clear();
  for (const auto& warning : set.saved.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  return set;
}

void print_left_out(const std::string& label, const std::vector<std::string>& names) {
  if (names.empty()) return;
  auto shown = variables_among(names);
  constexpr std::size_t most = 10;
  const std::size_t left = shown.size() - std::min(shown.size(), most);
  shown.resize(shown.size() - left);
  std::cout << wrapped("Only in " + label + ": " + list_text(shown) +
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

int compare_with_law(const OptionValues& values) {
  if (values.operands.size() != 1)
    throw UsageError("with --dirichlet, give one set of draws: sgmcmc compare A --dirichlet 0.5,1,2 --only theta");
  if (values.flag("report")) throw UsageError("--report compares two sets of draws: omit --dirichlet");
  const auto law = dirichlet_concentrations(values);
  const auto [names, result] = compare_with_dirichlet(values, law, read_operand(values.operands[0]));
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
  const auto page = comparison_path(values);
  const DrawSet a = read_operand(values.operands[0]), b = read_operand(values.operands[1]);
  const Comparison result = compare_sets(values, a, b);
  const std::string &a_model = a.saved.model, &b_model = b.saved.model;
  if (!a_model.empty() && !b_model.empty() && a_model != b_model)
    std::cerr << "sgmcmc: warning: " << a.label << " has draws of the model '" << a_model << "', " << b.label << " of '"
              << b_model << "'\n";
  if (values.flag("report")) write_report(page, report_on_comparison(values, result, a, b));
  if (values.flag("json")) {
    std::cout << comparison_json(result);
    return 0;
  }
  std::cout << comparison_table(result, table_options(values)) << '\n'
            << wrapped(comparison_caption(result), terminal_width(), 0) << "\n\n"
            << wrapped(comparison_words(result), terminal_width(), 0) << '\n';
  print_left_out(a.label, result.only_in_draws);
  print_left_out(b.label, result.only_in_reference);
  if (values.flag("report")) std::cout << "report: " << page.string() << "\n";
  return 0;
}

}  // namespace sgmcmc::cli
