// Collects the findings of the checker, of binding to data, and of the search for groups; writes them as JSON.
#include "service/model_report.hpp"

#include "groups/group_model.hpp"
#include "service/sampling/outputs.hpp"
#include "stan/binding/model_file.hpp"

#include <cctype>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

std::string one_line(std::string_view text) {
  constexpr std::size_t most = 1000;
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line.size() > most ? line.substr(0, most - 4) + " ..." : line;
}

TextPlace place_of(const stan::Source& source, stan::Span span) {
  const auto at = source.line_column(span.begin);
  return {at.line, at.column, one_line(source.text(span))};
}

std::vector<DeclaredVariable> declared_in(const stan::ProgramBlock& block, const stan::Source& source) {
  std::vector<DeclaredVariable> variables;
  for (const auto& statement : block.statements)
    if (const auto* declaration = std::get_if<stan::Declaration>(&statement->form))
      variables.push_back({declaration->name, place_of(source, statement->span)});
  return variables;
}

std::vector<ModelWarning> reported(const stan::Source& source, const std::vector<stan::Warning>& warnings) {
  std::vector<ModelWarning> all;
  for (const auto& warning : warnings)
    all.push_back({place_of(source, warning.span), warning.message, warning.help, stan::render(source, warning)});
  return all;
}

ModelStatement::Kind kind_of(stan::StatementReport::Kind kind) {
  switch (kind) {
    case stan::StatementReport::Kind::prior: return ModelStatement::Kind::prior;
    case stan::StatementReport::Kind::likelihood: return ModelStatement::Kind::likelihood;
    case stan::StatementReport::Kind::full: break;
  }
  return ModelStatement::Kind::full;
}

const char* kind_word(ModelStatement::Kind kind) {
  switch (kind) {
    case ModelStatement::Kind::prior: return "prior";
    case ModelStatement::Kind::likelihood: return "likelihood";
    case ModelStatement::Kind::full: return "full";
  }
  return "";
}

Json place_json(const TextPlace& place) {
  return {{"line", place.line}, {"column", place.column}, {"text", place.text}};
}

Json warnings_json(const std::vector<ModelWarning>& warnings) {
  Json list = Json::array();
  for (const auto& warning : warnings) {
    Json entry = place_json(warning.place);
    entry["message"] = warning.message;
    entry["help"] = warning.help;
    list.push_back(entry);
  }
  return list;
}

}  // namespace

ModelReport report_on(const StanModel& model) {
  const auto& text = model.text();
  return {text.source->name(), declared_in(text.program->data, *text.source),
          declared_in(text.program->parameters, *text.source), reported(*text.source, text.warnings)};
}

PosteriorReport report_on(const StanModel& model, const StanPosterior& posterior) {
  const auto& bound = posterior.bound();
  PosteriorReport report;
  for (const auto& statement : bound.statements())
    report.statements.push_back({kind_of(statement.kind), place_of(bound.source(), statement.span), statement.reason});
  auto finding = find_groups(bound.model());
  if (finding.model)
    report.groups = ModelGroups{finding.model->groups, finding.model->width, finding.model->local_parameters,
                                finding.model->global.size()};
  report.why_not_groups = std::move(finding.reasons);
  report.few_rows = words_on_few_rows(bound);
  report.warnings = reported(bound.source(), stan::all_warnings(model.text(), bound));
  return report;
}

nlohmann::ordered_json report_json(const ModelReport& report) {
  Json data = Json::array(), parameters = Json::array();
  for (const auto& variable : report.data) data.push_back(variable.name);
  for (const auto& parameter : report.parameters) parameters.push_back({{"name", parameter.name}});
  return {
      {"model", report.name}, {"data", data}, {"parameters", parameters}, {"warnings", warnings_json(report.warnings)}};
}

nlohmann::ordered_json report_json(const StanPosterior& posterior, const PosteriorReport& report) {
  const std::string axis = posterior.row_axis();
  Json result = {{"model", posterior.name()},
                 {"rows", {{"name", axis.empty() ? Json() : Json(axis)}, {"count", posterior.rows()}}},
                 {"dimension", posterior.model().dimension()}};
  result["parameters"] = Json::array();
  for (const auto& info : posterior.model().parameters())
    result["parameters"].push_back({{"name", info.name},
                                    {"shape", info.shape.dims()},
                                    {"constraint", info.constraint.name()},
                                    {"unconstrained_size", info.unconstrained_size}});
  result["outputs"] = Json::array();
  for (const auto& output : posterior.outputs())
    result["outputs"].push_back({{"name", output.name}, {"shape", output.shape.dims()}});
  result["statements"] = Json::array();
  for (const auto& statement : report.statements) {
    Json entry = {{"kind", kind_word(statement.kind)}};
    entry.update(place_json(statement.place));
    if (!statement.reason.empty()) entry["reason"] = statement.reason;
    result["statements"].push_back(entry);
  }
  result["groups"] = Json();
  if (report.groups)
    result["groups"] = {{"count", report.groups->count},
                        {"parameters", report.groups->parameters},
                        {"numbers_per_group", report.groups->numbers_per_group},
                        {"globals", report.groups->others}};
  if (!report.why_not_groups.empty()) result["why_not_groups"] = report.why_not_groups;
  if (const auto reason = posterior.why_not_minibatched(); !reason.empty()) result["why_not_minibatched"] = reason;
  result["warnings"] = warnings_json(report.warnings);
  return result;
}

}  // namespace sgmcmc
