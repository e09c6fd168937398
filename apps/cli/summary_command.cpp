// sgmcmc summary: prints a table of the draws in files.
#include "cli/commands.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/summary_output.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "report/json_text.hpp"
#include "report/summary_table.hpp"
#include "report/words.hpp"
#include "service/record/kept_record.hpp"
#include "service/record/saved_draws.hpp"
#include "settings/chosen_names.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

namespace sgmcmc::cli {
namespace {

/// The columns of --columns; empty: the usual ones.
std::vector<std::string> chosen_columns(const OptionValues& values) {
  const std::string text = values.text("columns");
  if (text == "all") return summary_column_names();
  const auto columns = split_names(text);
  const auto known = summary_column_names();
  for (const auto& column : columns)
    if (std::find(known.begin(), known.end(), column) == known.end())
      throw UsageError(values.where("columns") + ": unknown column '" + column + "'." + suggestion(column, known));
  return columns;
}

std::vector<std::string> with_zero_variance_columns(std::vector<std::string> columns) {
  for (auto& column : zero_variance_columns()) columns.push_back(std::move(column));
  return columns;
}

/// The worst R-hat if chains disagree, with advice unless a verdict follows.
std::string advice(const std::vector<SummaryRow>& rows, bool verdict_follows) {
  const SummaryRow* worst = nullptr;
  for (const auto& row : rows)
    if (row.summary.rhat > 1.01 && (!worst || row.summary.rhat > worst->summary.rhat)) worst = &row;
  if (!worst) return "";
  return "rhat of " + worst->name + " is " + digits_text(worst->summary.rhat, 3) +
         ": above 1.01 the chains do not agree yet." +
         (verdict_follows ? "" : " Run longer, and discard more warm-up.");
}

}  // namespace

void print_summary(const OptionValues& values, const MemoryDraws& draws, const DrawsFacts& facts,
                   nlohmann::ordered_json about) {
  const auto& zero_variance = facts.zero_variance;
  SummaryTableOptions options;
  options.columns = chosen_columns(values);
  const bool with_zero_variance =
      options.columns.empty() && !zero_variance.empty() && values.text("zero-variance") != "auto";
  if (with_zero_variance) options.columns = with_zero_variance_columns(usual_summary_columns());
  if (values.flag("quiet") && !values.flag("json")) return;
  SummaryRowsOptions how;
  how.threads = values.threads();
  how.seconds = facts.seconds;
  how.shared_error = facts.shared_error;
  how.details =
      values.flag("json") || std::any_of(options.columns.begin(), options.columns.end(), summary_column_needs_details);
  const auto chosen = chosen_names(values, facts.names.empty() ? draws.names() : facts.names, facts.known_names);
  auto rows = merged_summary_rows(draws, facts.names, facts.summarised, chosen, how);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (chosen[k] < zero_variance.size()) rows[k].zero_variance = zero_variance[chosen[k]];
  auto warnings = facts.sampler.warnings();
  if (auto words = advice(rows, facts.verdict_follows); !words.empty())
    warnings.insert(warnings.begin(), std::move(words));
  if (values.flag("json")) {
    if (!about.contains("warnings")) about["warnings"] = nlohmann::ordered_json::array();
    for (auto& warning : warnings) about["warnings"].push_back(std::move(warning));
    const std::string text = summary_json(rows, facts.sampler);
    std::cout << text.substr(0, text.rfind('}')) << ",\n" << json_text(about).substr(1) << "\n";
    return;
  }
  options.width = terminal_width();
  if (values.flag("all")) options.most_rows = 0;
  options.how_to_see_all = how_to_see_all;
  std::string table = summary_table(rows, options);
  if (with_zero_variance && table.find('\n') > options.width) {
    options.columns = with_zero_variance_columns({"mean", "mcse_mean", "sd", "ess_bulk", "rhat"});
    table = summary_table(rows, options) + "A wider terminal or --json also shows quantiles and ess_tail\n";
  }
  std::cout << table;
  for (const auto& warning : warnings) std::cout << '\n' << wrapped(warning, terminal_width(), 0) << '\n';
}

namespace {

/// For a run with --keep none.
void print_no_draws(const OptionValues& values, const nlohmann::ordered_json& record, const KeptRecord& kept) {
  if (values.flag("json")) {
    nlohmann::ordered_json about = {{"parameters", nlohmann::ordered_json::array()}, {"kept", record["kept"]}};
    if (const auto verdict = verdict_in(record); !verdict.empty()) about["verdict"] = verdict;
    about["warnings"] = nlohmann::ordered_json::array();
    std::cout << json_text(about, 1) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << wrapped("no draws were kept; " + words_on_others(kept), terminal_width(), 0) << "\n";
  }
}

}  // namespace

int run_summary(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError("give a folder or files of draws: sgmcmc summary DIR, sgmcmc summary chain-1.csv chain-2.csv");
  const std::filesystem::path folder = values.operands.front();
  const auto record = values.operands.size() == 1 ? record_in(folder) : nlohmann::ordered_json();
  const auto kept = kept_record(record, folder);
  if (kept && kept->numbers == 0) {
    print_no_draws(values, record, *kept);
    return 0;
  }
  ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
  display.say("reading the draws of " + values.operands.front() + " ...");
  const auto read = read_saved_draws({values.operands.begin(), values.operands.end()});
  display.clear();
  for (const auto& warning : read.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  const auto verdict = verdict_in(record);
  nlohmann::ordered_json about;
  if (!verdict.empty()) about["verdict"] = verdict;
  about["warnings"] = read.warnings;
  if (kept && kept->others > 0) about["kept"] = record["kept"];
  const double seconds = std::isnan(read.seconds) ? seconds_in(record) : read.seconds;
  DrawsFacts facts{seconds, read.sampler};
  facts.shared_error = shared_error_in(record);
  if (kept) facts.known_names = summarised_names(*kept);
  print_summary(values, read.draws, facts, about);
  if (kept && kept->others > 0 && !values.flag("json") && !values.flag("quiet"))
    std::cout << "\n" << wrapped(words_on_others(*kept), terminal_width(), 0) << "\n";
  if (!verdict.empty() && !values.flag("json") && !values.flag("quiet"))
    std::cout << "\nverdict of the run: " << verdict["trust"].get<std::string>() << "\n";
  return 0;
}

}  // namespace sgmcmc::cli
