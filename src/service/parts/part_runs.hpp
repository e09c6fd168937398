// Runs of all parts of one posterior: their folders, and whether they fit together.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/combine.hpp>
#include <sgmcmc/stan.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

/// The folder of a part in that of all: part-03.
std::string part_folder_name(const Subposterior& which);

class PartRuns {
 public:
  /// values: of combine, its operands the folders of parts, or folders that hold these. Reads and checks their records.
  /// Throws UsageError where parts are missing or given twice, FileError where a folder holds no finished part,
  /// DataError where parts do not belong together or files have changed since.
  explicit PartRuns(const OptionValues& values);

  std::size_t count() const { return folders_.size(); }
  const std::filesystem::path& folder(std::size_t part) const { return folders_[part]; }
  const nlohmann::ordered_json& record(std::size_t part) const { return records_[part]; }
  /// The options that made the parts, for all rows: model, data and how they are read.
  const OptionValues& call() const { return call_; }
  /// About parts that are not to be trusted.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Draws of each part as unconstrained coordinates. posterior: of all rows. Throws DataError where they are of
  /// another model.
  std::vector<PartDraws> read(const StanPosterior& posterior, int threads) const;

 private:
  void check_together(const OptionValues& values) const;

  std::vector<std::filesystem::path> folders_;  // in the order of the parts
  std::vector<nlohmann::ordered_json> records_;
  OptionValues call_;
  std::vector<std::string> warnings_;
};

/// The options of a run record of sample, or those of the parts of a combination, without what makes it a part.
OptionValues call_on_all_rows(nlohmann::ordered_json record, const std::filesystem::path& folder);

}  // namespace sgmcmc
