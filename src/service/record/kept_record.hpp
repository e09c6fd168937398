// What run.json says about the draws of a run: their verdict and errors, and which of them it kept.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// The run.json of a folder; null if it is missing or not valid JSON.
nlohmann::ordered_json record_in(const std::filesystem::path& folder);

/// The verdict at the end of a finished run; empty if there is none.
nlohmann::ordered_json verdict_in(const nlohmann::ordered_json& record);
/// The duration of a finished run; NaN if not recorded.
double seconds_in(const nlohmann::ordered_json& record);

/// The shared error of a combination, by variable (src/report/summary_table.hpp); empty for other runs.
std::map<std::string, double> shared_error_in(const nlohmann::ordered_json& record);
inline constexpr const char* shared_error_key = "shared_error";

/// A run that kept some of its variables.
struct KeptRecord {
  std::size_t numbers = 0;      ///< numbers kept per draw
  std::size_t others = 0;       ///< numbers summarised instead
  bool all_parameters = false;  ///< all parameters were kept
  std::filesystem::path summary;
};
/// Empty if all draws were kept.
std::optional<KeptRecord> kept_record(const nlohmann::ordered_json& record, const std::filesystem::path& folder);

/// "5 other variables are summarised in run/summary.csv".
std::string words_on_others(const KeptRecord& kept);
/// The variables in summary.csv; empty if there is no such file.
std::vector<std::string> summarised_names(const KeptRecord& kept);

}  // namespace sgmcmc
