// Collects the findings of the checker, of binding to data, and of the search for groups.
#include "service/model_report.hpp"

#include "groups/group_model.hpp"
#include "service/sampling/outputs.hpp"
#include "stan/binding/model_file.hpp"

#include <cctype>

namespace sgmcmc {
namespace {

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

}  // namespace sgmcmc
