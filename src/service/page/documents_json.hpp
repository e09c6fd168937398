// Topics and clusters of a run on documents, for its page.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgmcmc {

/// Topics with words and shares, and the course of the perplexity. Throws FileError where the folder has no topics.
nlohmann::ordered_json topics_json(const std::filesystem::path& folder);
/// Clusters with words and weights, and the course of the run. Throws FileError where the folder has no clusters.
nlohmann::ordered_json clusters_json(const std::filesystem::path& folder);

/// The lines of a CSV file: {"columns": [...], "values": [[...], ...]}, a list for each column, thinned to at most 400
/// lines. Null: there is no such file, or it has no lines.
nlohmann::ordered_json course_json(const std::filesystem::path& path);

}  // namespace sgmcmc
