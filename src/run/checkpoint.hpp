// Checkpoints of a run: one file per chain and one for what was found before the first iteration.
//
// A file holds a version, a mark of the run it belongs to, the state as bytes, and a checksum of it all. It is replaced
// whole or not at all (base/atomic_file.hpp), after the draws that it counts are on the disk.
#pragma once

#include <sgmcmc/sample.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// Reads and writes the files of one folder.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(const CheckpointOptions& options) : options_(options) {}

  bool saves() const { return !options_.folder.empty(); }
  bool resumes() const { return saves() && options_.resume; }

  /// Removes what another run left; makes the folder. Throws FileError.
  void clear() const;

  /// Nothing where there is none yet. Throws FileError where it is damaged or of another run.
  std::optional<std::string> read_chain(std::uint32_t chain) const;
  void write_chain(std::uint32_t chain, const std::string& state) const;

  using Findings = std::map<std::string, std::vector<double>>;
  std::optional<Findings> read_findings() const;
  void write_findings(const Findings& findings) const;

 private:
  CheckpointOptions options_;
};

/// The identity that the run in a folder was started with; nothing where that was not yet written down.
std::optional<std::string> checkpointed_identity(const std::filesystem::path& folder);
/// How far each chain had come when it was last saved, warm-up included; 0 where it was not.
std::vector<std::uint64_t> checkpointed_iterations(const std::filesystem::path& folder, std::size_t chains);

/// Of bytes: to notice damage, not malice.
std::uint64_t checksum(std::string_view bytes);

}  // namespace sgmcmc
