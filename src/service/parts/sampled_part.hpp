// One part of a posterior, sampled into a folder of its own, and what a previous call left there.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/subposterior.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

class SampledPart {
 public:
  /// call: the options of `sample` for all parts. Throws UsageError if the folder of this part holds a run with other
  /// options or from other files.
  SampledPart(const OptionValues& call, const Subposterior& which);

  const Subposterior& which() const { return which_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// True if a previous call finished this part, and it is not to be overwritten.
  bool is_finished() const { return known_ && status() == "finished"; }
  /// True if a previous call started to sample this part.
  bool can_resume() const;
  /// The options for sampling this part from the start.
  const OptionValues& values() const { return values_; }
  /// The record that a previous call left; null if there is none.
  const nlohmann::ordered_json& record() const { return record_; }

 private:
  std::string status() const { return record_.value("status", ""); }
  void check_same() const;

  Subposterior which_;
  std::filesystem::path folder_;
  OptionValues values_;
  nlohmann::ordered_json record_;
  bool known_;
};

/// A part that a folder for all parts holds.
struct FoundPart {
  Subposterior which;
  std::filesystem::path folder;
};
/// Those of divisions into other numbers of parts, sorted by name.
std::vector<FoundPart> parts_of_other_divisions(const std::filesystem::path& folder, std::uint64_t parts);

/// The facts shown about a part once it is sampled.
struct PartLine {
  Subposterior which;
  std::string folder, method, verdict;
  std::uint64_t rows = 0;
  double seconds = 0;
  bool before = false;  ///< sampled by a previous call
};

PartLine line_of_part(const Subposterior& which, const std::filesystem::path& folder, bool before);

nlohmann::ordered_json to_json(const PartLine& line);

}  // namespace sgmcmc
