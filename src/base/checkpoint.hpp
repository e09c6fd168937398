// Checkpoints of a run: one file per chain and one for what was found before the first iteration.
//
// A file holds a version, a mark of the run it belongs to, the state as bytes, and a checksum of it all. It is replaced
// whole or not at all (base/atomic_file.hpp), after the draws that it counts are on the disk.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/checkpoint.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
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

  using Visit = std::function<void(StateVisitor&)>;
  /// Iteration and state. Nothing where there is none yet. Throws SavedStateError where it is damaged or of another
  /// run.
  std::optional<std::string> read_chain(std::uint32_t chain) const;
  /// Gives the size of the file, which is made in memory: room for the one expected is taken at once.
  std::size_t write_chain(std::uint32_t chain, std::uint64_t iteration, const Visit& visit,
                          std::size_t expected_size = 0) const;

  /// What was found before the first iteration, by name.
  using Findings = std::map<std::string, std::vector<double>>;
  std::optional<Findings> read_findings() const;
  /// row_probabilities: written under that name, where there are any.
  void write_findings(const Findings& findings, std::span<const double> row_probabilities = {}) const;

 private:
  CheckpointOptions options_;
};

/// One chain, saved when it is time and put back.
class ChainCheckpoint {
 public:
  using Visit = CheckpointFolder::Visit;
  ChainCheckpoint(const CheckpointOptions& options, std::uint32_t chain)
      : folder_(options), every_seconds_(options.every_seconds), chain_(chain) {}

  /// Shows what was saved, where the run is resumed; false: the chain starts. Throws FileError.
  bool restore(const Visit& visit);
  /// Unless it was saved there already. A chain that has not begun is not saved: it may have been made from a search
  /// that was interrupted.
  void save(std::uint64_t iteration, const Visit& visit);
  void save_if_due(std::uint64_t iteration, const Visit& visit);

 private:
  using Clock = std::chrono::steady_clock;

  CheckpointFolder folder_;
  double every_seconds_;
  std::uint32_t chain_;
  Clock::time_point last_ = Clock::now();
  double least_wait_ = 0;
  std::uint64_t saved_at_ = 0;
  std::size_t size_ = 0;  // of the last file
};

/// The identity that the run in a folder was started with; nothing where that was not yet written down.
std::optional<std::string> checkpointed_identity(const std::filesystem::path& folder);
/// How far each chain had come when it was last saved, warm-up included; 0 where it was not.
std::vector<std::uint64_t> checkpointed_iterations(const std::filesystem::path& folder, std::size_t chains);

/// Of bytes: to notice damage, not malice.
std::uint64_t checksum(std::string_view bytes);

}  // namespace sgmcmc
