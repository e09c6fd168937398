// What run.json says of the draws that a run kept.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// run.json of a folder; null where there is none, or where it is not JSON.
nlohmann::ordered_json record_in(const std::filesystem::path& folder);

/// The verdict at the end of a finished run; empty where there is none.
nlohmann::ordered_json verdict_in(const nlohmann::ordered_json& record);
/// How long a finished run took; NaN where the record does not say.
double seconds_in(const nlohmann::ordered_json& record);

/// A run that keeps some variables.
struct KeptRecord {
  std::size_t numbers = 0;      ///< of each draw, that were kept
  std::size_t others = 0;       ///< that were summarised
  bool all_parameters = false;  ///< were kept
  std::filesystem::path summary;
};
/// Nothing where all draws were kept.
std::optional<KeptRecord> kept_record(const nlohmann::ordered_json& record, const std::filesystem::path& folder);

/// "5 other variables are summarised in run/summary.csv".
std::string words_on_others(const KeptRecord& kept);
/// The variables of summary.csv; none where there is no such file.
std::vector<std::string> summarised_names(const KeptRecord& kept);

}  // namespace sgmcmc
