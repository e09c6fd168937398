// A run as read from its folder, for a report.
#pragma once

#include "draws/stan_csv.hpp"
#include "report/summary_table.hpp"

#include <sgmcmc/draws.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

struct ReportedRun {
  std::string label;                   ///< the folder or file, as it was named
  nlohmann::ordered_json record;       ///< run.json; null where there is none
  nlohmann::ordered_json verdict;      ///< {"trust", "sentences"}; null: none
  std::string why_no_verdict;          ///< a sentence if there is none
  nlohmann::ordered_json diagnosis;    ///< what the verdict is based on; null: not known
  StanCsvDraws read;                   ///< draws, and the columns of the sampler
  std::vector<SummaryRow> summarised;  ///< variables without draws
  std::vector<std::string> warnings;   ///< of reading

  std::string command() const;  ///< "sample", "lda", ...; empty: there is no record
  std::string status() const;   ///< "finished", ...; empty likewise
};

/// Reads a folder that a run wrote, or files of draws. Throws FileError.
ReportedRun read_reported_run(const std::vector<std::filesystem::path>& folder_or_files);

/// A member of an object; null if there is none, or if `json` is not an object.
const nlohmann::ordered_json& part_of(const nlohmann::ordered_json& json, const char* key);
/// A string member of an object; empty if there is none.
std::string text_at(const nlohmann::ordered_json& json, const std::string& key);

}  // namespace sgmcmc
