// sgmcmc check: shows how the program understands a model.
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/model_report.hpp"

#include <algorithm>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Kind = ModelStatement::Kind;

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 70;
  return text.size() > most ? text.substr(0, most - 4) + " ..." : text;
}

std::vector<std::string> names_of(const std::vector<DeclaredVariable>& variables) {
  std::vector<std::string> names;
  for (const auto& variable : variables) names.push_back(variable.name);
  return names;
}

std::string listed(const std::vector<std::string>& names) { return names.empty() ? "none" : list_text(names); }

void print_warnings(const std::vector<ModelWarning>& warnings) {
  for (const auto& warning : warnings) std::cout << "\n" << warning.rendered << "\n";
}

int check_text_only(const OptionValues& values) {
  const auto report = report_on(StanModel::from_file(model_path(values), values.texts("include")));
  if (values.flag("json")) {
    std::cout << json_text(report_json(report), 2) << "\n";
    return 0;
  }
  const std::size_t width = terminal_width();
  std::cout << report.name << ": no mistakes found\n";
  std::cout << wrapped("data:        " + listed(names_of(report.data)), width, 13) << "\n";
  std::cout << wrapped("parameters:  " + listed(names_of(report.parameters)), width, 13) << "\n";
  print_warnings(report.warnings);
  std::cout << "\nWith --data, check also shows sizes, rows and likelihood.\n";
  return 0;
}

/// The declaration in the model, without the semicolon; if there is none, the name of the constraint.
std::string declaration_of_parameter(const ModelReport& report, const ParameterInfo& info) {
  const auto found = std::find_if(report.parameters.begin(), report.parameters.end(),
                                  [&](const auto& declared) { return declared.name == info.name; });
  std::string text = found == report.parameters.end() ? info.constraint.name() : shortened(found->declaration.text);
  while (!text.empty() && text.back() == ';') text.pop_back();
  return text;
}

void print_parameters(const Model& model, const ModelReport& report) {
  std::size_t name_width = 4, size_width = 4;
  for (const auto& info : model.parameters()) {
    name_width = std::max(name_width, info.name.size());
    size_width = std::max(size_width, info.shape.to_string().size());
  }
  std::cout << "Parameters, " << model.dimension() << " unconstrained in all:\n";
  for (const auto& info : model.parameters()) {
    const std::string size = info.shape.to_string();
    std::cout << "  " << info.name << std::string(name_width - info.name.size() + 2, ' ') << size
              << std::string(size_width - size.size() + 2, ' ') << declaration_of_parameter(report, info) << "\n";
  }
}

void print_rows(const StanPosterior& posterior, const PosteriorReport& report) {
  if (!posterior.row_axis().empty()) {
    std::cout << "\nRows: " << posterior.row_axis() << " = " << posterior.rows() << "\n";
    return;
  }
  const std::string none = "none to draw minibatches from; sample uses all data at every step, by default with nuts";
  std::cout << "\n"
            << wrapped("Rows: " + (report.few_rows.empty() ? none : report.few_rows), terminal_width(), 0) << "\n";
  if (const auto reason = posterior.why_not_minibatched(); !reason.empty()) std::cout << reason << "\n";
}

void print_statements(const PosteriorReport& report, Kind kind, const std::string& heading) {
  bool first = true;
  for (const auto& statement : report.statements) {
    if (statement.kind != kind) continue;
    if (first) std::cout << "\n" << heading << ":\n";
    first = false;
    const std::string where = std::to_string(statement.place.line) + ":" + std::to_string(statement.place.column);
    std::cout << "  " << where << std::string(where.size() < 7 ? 7 - where.size() : 1, ' ')
              << shortened(statement.place.text) << "\n";
    if (!statement.reason.empty())
      std::cout << "         " << wrapped(statement.reason, std::max<std::size_t>(terminal_width(), 30), 9, 9) << "\n";
  }
}

/// Shows which parameters belong to groups, or why those that nearly do cannot be integrated out.
void print_groups(const PosteriorReport& report) {
  const std::size_t width = terminal_width();
  if (report.groups) {
    const auto& groups = *report.groups;
    const std::string numbers =
        groups.numbers_per_group == 1 ? ", one number" : ", " + std::to_string(groups.numbers_per_group) + " numbers";
    std::cout << "\nGroups: " << groups.count << "\n  "
              << wrapped(
                     listed(groups.parameters) + numbers +
                         " for each group: the default method integrates over them, and draws them given the other " +
                         std::to_string(groups.others) + " unconstrained parameters",
                     width, 2, 2)
              << "\n";
    return;
  }
  if (report.why_not_groups.empty()) return;
  std::cout << "\nGroups: none that could be integrated out\n";
  for (const auto& reason : report.why_not_groups) std::cout << "  " << wrapped("by " + reason, width, 2, 2) << "\n";
}

}  // namespace

int run_check(const OptionValues& values) {
  if (!values.given("data")) return check_text_only(values);
  const auto input = load_model(values);
  const PosteriorReport report = report_on(input.model, input.posterior);
  if (values.flag("json")) {
    std::cout << json_text(report_json(input.posterior, report), 2) << "\n";
    return 0;
  }
  std::cout << input.posterior.name() << ": no mistakes found\n\n";
  print_parameters(input.posterior.model(), report_on(input.model));
  print_rows(input.posterior, report);
  print_statements(report, Kind::prior, "Prior");
  print_statements(report, Kind::likelihood, "Likelihood, one term per row");
  print_statements(report, Kind::full, "Evaluated in full at every step");
  print_groups(report);
  std::vector<std::string> outputs;
  for (const auto& output : input.posterior.outputs())
    outputs.push_back(output.name + (output.shape.is_scalar() ? "" : output.shape.to_string()));
  if (!outputs.empty())
    std::cout << "\nAlso written for each draw:\n  " << wrapped(listed(outputs), terminal_width(), 2, 2) << "\n";
  print_warnings(report.warnings);
  return 0;
}

}  // namespace sgmcmc::cli
