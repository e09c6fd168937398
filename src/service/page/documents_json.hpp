// Topics and clusters of a run on documents, for its report page.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgmcmc {

/// Topics with words and shares, and the trace of the perplexity. Throws FileError if the folder has no topics.
nlohmann::ordered_json topics_json(const std::filesystem::path& folder);
/// Clusters with words and weights, and the trace of the run. Throws FileError if the folder has no clusters.
nlohmann::ordered_json clusters_json(const std::filesystem::path& folder);

/// A CSV file as {"columns": [...], "values": [[...], ...]}, one list per column, thinned to at most 400 lines. Null if
/// there is no such file or it has no lines.
nlohmann::ordered_json course_json(const std::filesystem::path& path);

}  // namespace sgmcmc
