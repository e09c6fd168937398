// sgmcmc check: what was understood of a model.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/terminal.hpp"
#include "groups/group_model.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;
using Kind = stan::StatementReport::Kind;

/// The text of a place in one line, without comments' line ends and without what is beyond the first 70 letters.
std::string one_line(const stan::Source& source, stan::Span span, std::size_t most = 70) {
  std::string text;
  for (const char c : source.text(span)) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank || (!text.empty() && text.back() != ' ')) text += blank ? ' ' : c;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() > most) text = text.substr(0, most - 4) + " ...";
  return text;
}

std::string place(const stan::Source& source, stan::Span span) {
  const auto at = source.line_column(span.begin);
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

const stan::Statement* declaration_of_parameter(const stan::Program& program, const std::string& name) {
  for (const auto& statement : program.parameters.statements)
    if (const auto* declaration = std::get_if<stan::Declaration>(&statement->form))
      if (declaration->name == name) return statement.get();
  return nullptr;
}

std::vector<std::string> declared(const stan::ProgramBlock& block) {
  std::vector<std::string> names;
  for (const auto& statement : block.statements)
    if (const auto* declaration = std::get_if<stan::Declaration>(&statement->form)) names.push_back(declaration->name);
  return names;
}

std::string listed(const std::vector<std::string>& names) { return names.empty() ? "none" : joined(names, ", "); }

const char* kind_word(Kind kind) {
  switch (kind) {
    case Kind::prior: return "prior";
    case Kind::likelihood: return "likelihood";
    case Kind::full: return "full";
  }
  return "";
}

Json span_json(const stan::Source& source, stan::Span span) {
  const auto at = source.line_column(span.begin);
  return {{"line", at.line}, {"column", at.column}, {"text", one_line(source, span, 1000)}};
}

Json warnings_json(const stan::Source& source, const std::vector<stan::Warning>& warnings) {
  Json list = Json::array();
  for (const auto& warning : warnings) {
    Json entry = span_json(source, warning.span);
    entry["message"] = warning.message;
    entry["help"] = warning.help;
    list.push_back(entry);
  }
  return list;
}

Json shape_json(const Shape& shape) { return Json(shape.dims()); }

int check_text_only(const OptionValues& values) {
  const auto text = stan::read_model(model_path(values), values.texts("include"));
  const auto& program = *text.program;
  if (values.flag("json")) {
    Json result = {{"model", text.source->name()}, {"data", declared(program.data)}};
    result["parameters"] = Json::array();
    for (const auto& name : declared(program.parameters)) result["parameters"].push_back({{"name", name}});
    result["warnings"] = warnings_json(*text.source, text.warnings);
    std::cout << result.dump(2) << "\n";
    return 0;
  }
  const std::size_t width = terminal_width();
  std::cout << text.source->name() << ": no mistakes found\n";
  std::cout << wrapped("data:        " + listed(declared(program.data)), width, 13) << "\n";
  std::cout << wrapped("parameters:  " + listed(declared(program.parameters)), width, 13) << "\n";
  for (const auto& warning : text.warnings) std::cout << "\n" << stan::render(*text.source, warning) << "\n";
  std::cout << "\nWith --data, sizes, rows and likelihood are shown too.\n";
  return 0;
}

Json bound_json(const ModelInput& input) {
  const auto& bound = *input.bound;
  const auto& source = bound.source();
  Json result = {
      {"model", source.name()},
      {"rows", {{"name", bound.row_axis().empty() ? Json() : Json(bound.row_axis())}, {"count", bound.rows()}}},
      {"dimension", bound.model().dimension()}};
  result["parameters"] = Json::array();
  for (const auto& info : bound.model().parameters())
    result["parameters"].push_back({{"name", info.name},
                                    {"shape", shape_json(info.shape)},
                                    {"constraint", info.constraint.name()},
                                    {"unconstrained_size", info.unconstrained_size}});
  result["outputs"] = Json::array();
  for (const auto& output : bound.outputs())
    result["outputs"].push_back({{"name", output.name}, {"shape", shape_json(output.shape)}});
  result["statements"] = Json::array();
  for (const auto& statement : bound.statements()) {
    Json entry = {{"kind", kind_word(statement.kind)}};
    entry.update(span_json(source, statement.span));
    if (!statement.reason.empty()) entry["reason"] = statement.reason;
    result["statements"].push_back(entry);
  }
  const auto finding = find_groups(bound.model());
  result["groups"] = Json();
  if (finding.model)
    result["groups"] = {{"count", finding.model->groups},
                        {"parameters", finding.model->local_parameters},
                        {"numbers_per_group", finding.model->width},
                        {"globals", finding.model->global.size()}};
  if (!finding.reasons.empty()) result["why_not_groups"] = finding.reasons;
  if (!bound.why_not_minibatched().empty()) result["why_not_minibatched"] = bound.why_not_minibatched();
  result["warnings"] = warnings_json(source, warnings_of(input));
  return result;
}

void print_parameters(const ModelInput& input) {
  const auto& model = input.bound->model();
  std::size_t name_width = 4, size_width = 4;
  for (const auto& info : model.parameters()) {
    name_width = std::max(name_width, info.name.size());
    size_width = std::max(size_width, info.shape.to_string().size());
  }
  std::cout << "Parameters, " << model.dimension() << " unconstrained in all:\n";
  for (const auto& info : model.parameters()) {
    const auto* statement = declaration_of_parameter(*input.text.program, info.name);
    std::string text = statement ? one_line(input.bound->source(), statement->span) : info.constraint.name();
    while (!text.empty() && text.back() == ';') text.pop_back();
    const std::string size = info.shape.to_string();
    std::cout << "  " << info.name << std::string(name_width - info.name.size() + 2, ' ') << size
              << std::string(size_width - size.size() + 2, ' ') << text << "\n";
  }
}

void print_statements(const stan::BoundModel& bound, Kind kind, const std::string& heading) {
  const auto& source = bound.source();
  bool first = true;
  for (const auto& statement : bound.statements()) {
    if (statement.kind != kind) continue;
    if (first) std::cout << "\n" << heading << ":\n";
    first = false;
    const std::string where = place(source, statement.span);
    std::cout << "  " << where << std::string(where.size() < 7 ? 7 - where.size() : 1, ' ')
              << one_line(source, statement.span) << "\n";
    if (!statement.reason.empty())
      std::cout << "         " << wrapped(statement.reason, std::max<std::size_t>(terminal_width(), 30), 9, 9) << "\n";
  }
}

/// Which parameters belong to groups, and where some nearly do, why not.
void print_groups(const Model& model) {
  const auto finding = find_groups(model);
  const std::size_t width = terminal_width();
  if (finding.model) {
    const auto& groups = *finding.model;
    std::cout << "\nGroups: " << groups.groups << "\n  "
              << wrapped(
                     listed(groups.local_parameters) +
                         (groups.width == 1 ? ", one number" : ", " + std::to_string(groups.width) + " numbers") +
                         " for each group: the default method integrates over them, and draws them given the other " +
                         std::to_string(groups.global.size()) + " unconstrained parameters",
                     width, 2, 2)
              << "\n";
    return;
  }
  if (finding.reasons.empty()) return;
  std::cout << "\nGroups: none that could be integrated out\n";
  for (const auto& reason : finding.reasons) std::cout << "  " << wrapped("by " + reason, width, 2, 2) << "\n";
}

}  // namespace

int run_check(const OptionValues& values) {
  if (!values.given("data")) return check_text_only(values);
  const auto input = load_model(values);
  const auto& bound = *input.bound;
  if (values.flag("json")) {
    std::cout << bound_json(input).dump(2) << "\n";
    return 0;
  }
  std::cout << bound.source().name() << ": no mistakes found\n\n";
  print_parameters(input);
  if (bound.row_axis().empty()) {
    const std::string few = words_on_few_rows(bound);
    std::cout << "\n"
              << wrapped(
                     "Rows: " + (few.empty() ? "none to draw minibatches from; sample uses all data at each step, by "
                                               "nuts unless --method names another"
                                             : few),
                     terminal_width(), 0)
              << "\n";
    if (!bound.why_not_minibatched().empty()) std::cout << bound.why_not_minibatched() << "\n";
  } else {
    std::cout << "\nRows: " << bound.row_axis() << " = " << bound.rows() << "\n";
  }
  print_statements(bound, Kind::prior, "Prior");
  print_statements(bound, Kind::likelihood, "Likelihood, a term for each row");
  print_statements(bound, Kind::full, "Evaluated in full at every step");
  print_groups(bound.model());
  std::vector<std::string> outputs;
  for (const auto& output : bound.outputs())
    outputs.push_back(output.name + (output.shape.is_scalar() ? "" : output.shape.to_string()));
  if (!outputs.empty())
    std::cout << "\nAlso written for each draw:\n  " << wrapped(listed(outputs), terminal_width(), 2, 2) << "\n";
  for (const auto& warning : warnings_of(input)) std::cout << "\n" << stan::render(bound.source(), warning) << "\n";
  return 0;
}

}  // namespace sgmcmc::cli
