// Reads run.json, diagnosis.json, draws and summaries from a folder, as far as they exist.
#include "service/page/reported_run.hpp"

#include "base/text.hpp"
#include "draws/netcdf.hpp"
#include "report/json_text.hpp"
#include "service/page/csv_lines.hpp"
#include "service/record/kept_record.hpp"
#include "service/record/run_folder.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// The lines of summary.csv whose variables have no draws.
std::vector<SummaryRow> rows_without_draws(const fs::path& path, const std::vector<std::string>& drawn) {
  const std::set<std::string> with_draws(drawn.begin(), drawn.end());
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return {};
  const auto keys = csv_fields(line);
  std::vector<SummaryRow> rows;
  while (std::getline(file, line)) {
    const auto fields = csv_fields(line);
    if (fields.size() != keys.size() || with_draws.contains(fields.front())) continue;
    SummaryRow row{fields.front(), {}};
    const auto number = [&](const char* key) {
      for (std::size_t k = 1; k < keys.size(); ++k)
        if (keys[k] == key && !fields[k].empty()) return std::strtod(fields[k].c_str(), nullptr);
      return std::numeric_limits<double>::quiet_NaN();
    };
    QuantitySummary& s = row.summary;
    s.mean = number("mean");
    s.mcse_mean = number("mcse_mean");
    s.standard_deviation = number("sd");
    s.q5 = number("q5");
    s.q50 = number("q50");
    s.q95 = number("q95");
    s.ess_bulk = number("ess");
    s.ess_tail = std::numeric_limits<double>::quiet_NaN();
    s.rhat = number("rhat");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string words_on_no_verdict(const ReportedRun& run) {
  const std::string status = run.status();
  if (status.empty())
    return "Only the draws are known here, and not the model they came from: nothing can be said about bias. R-hat and "
           "effective sample sizes compare the chains with one another.";
  if (status == "interrupted" || status == "running" || status == "tuning")
    return "The run has not ended, so its draws have not been judged. Continue it with sgmcmc resume " + run.label +
           ".";
  if (status == "failed") return "The run failed: " + text_at(run.record, "error") + ". Its draws were not judged.";
  return "The run was made without a verdict. sgmcmc diagnose " + run.label + " finds one.";
}

}  // namespace

const Json& part_of(const Json& json, const char* key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::string text_at(const Json& json, const std::string& key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string ReportedRun::command() const { return text_at(record, "command"); }
std::string ReportedRun::status() const { return text_at(record, "status"); }

ReportedRun read_reported_run(const std::vector<fs::path>& paths) {
  ReportedRun run;
  for (const auto& path : paths) run.label += (run.label.empty() ? "" : " ") + path.string();
  const fs::path& folder = paths.front();
  std::error_code ignored;
  if (paths.size() == 1 && fs::is_directory(folder, ignored)) {
    run.record = record_in(folder);
    if (!is_run_record(run.record)) run.record = nullptr;
  }
  const std::string command = run.command();
  if (command == "lda" || command == "dpmix" || command == "factorize" || command == "optimize") return run;
  const auto kept = kept_record(run.record, folder);
  const bool no_draws_kept = kept && kept->numbers == 0;
  if (!no_draws_kept) {
    try {
      run.read = read_draws(paths);
    } catch (const FileError&) {  // the run may have been stopped before its first draw
      if (run.record.is_null() || run.status() == "finished") throw;
    }
    run.warnings = run.read.warnings;
  }
  if (kept) run.summarised = rows_without_draws(kept->summary, run.read.draws.names());
  run.verdict = verdict_in(run.record);
  if (run.verdict.is_null() || run.verdict.empty()) {
    run.verdict = nullptr;
    run.why_no_verdict = words_on_no_verdict(run);
    return run;
  }
  std::ifstream file(folder / diagnosis_file, std::ios::binary);
  if (file) run.diagnosis = json_if_valid(file);
  if (!run.diagnosis.is_object()) run.diagnosis = nullptr;
  return run;
}

}  // namespace sgmcmc
