// The runs of all parts of one posterior: finds their folders, and checks that they fit together.
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

/// The name of a part's folder inside the common folder: part-03.
std::string part_folder_name(const Subposterior& which);

class PartRuns {
 public:
  /// values: the options of combine; operands are the folders of parts, or folders that contain them. Reads and checks
  /// their records. Throws UsageError if parts are missing or given twice or would be replaced by the combination,
  /// FileError if a folder holds no finished part, and DataError if parts do not belong together or files have changed
  /// since.
  explicit PartRuns(const OptionValues& values);

  std::size_t count() const { return folders_.size(); }
  const std::filesystem::path& folder(std::size_t part) const { return folders_[part]; }
  const nlohmann::ordered_json& record(std::size_t part) const { return records_[part]; }
  /// The options that made the parts, but for all rows: model, data and how to read them.
  const OptionValues& call() const { return call_; }
  /// Warnings about parts whose draws should not be trusted.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// The draws of each part in unconstrained coordinates. posterior: that given all rows. Throws DataError if the draws
  /// are of another model, and FileError if some of those that the run recorded are missing.
  std::vector<PartDraws> read(const StanPosterior& posterior, int threads) const;

 private:
  void check_out(const OptionValues& values) const;
  void check_together() const;

  std::vector<std::filesystem::path> folders_;  // in the order of the parts
  std::vector<nlohmann::ordered_json> records_;
  OptionValues call_;
  std::vector<std::string> warnings_;
};

/// The options in the record of a `sample` run, or of the parts of a combination, without option subposterior.
OptionValues call_on_all_rows(nlohmann::ordered_json record, const std::filesystem::path& folder);

}  // namespace sgmcmc
