// Checkpoints of a run: one file per chain and one for results found before the first iteration.
//
// A file holds a version, a mark that identifies the run, the state as bytes, and a checksum. It is replaced atomically
// (base/atomic_file.hpp), after the draws that it counts are on disk.
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

  /// Removes files of an earlier run; creates the folder. Throws FileError.
  void clear() const;

  using Visit = std::function<void(StateVisitor&)>;
  /// Iteration and state; empty if there is no checkpoint. Throws SavedStateError if it is damaged or of another run.
  std::optional<std::string> read_chain(std::uint32_t chain) const;
  /// Returns the size of the file, which is built in memory; the expected size is reserved in advance.
  std::size_t write_chain(std::uint32_t chain, std::uint64_t iteration, const Visit& visit,
                          std::size_t expected_size = 0) const;
  /// The same for a state made elsewhere: these bytes, which begin with the iteration, then the state that is visited.
  void write_chain(std::uint32_t chain, std::string_view state, const Visit& visit) const;

  /// Results found before the first iteration, by name.
  using Findings = std::map<std::string, std::vector<double>>;
  std::optional<Findings> read_findings() const;
  /// row_probabilities: written under that name, if there are any.
  void write_findings(const Findings& findings, std::span<const double> row_probabilities = {}) const;

 private:
  CheckpointOptions options_;
};

/// Saves one chain periodically, and restores it.
class ChainCheckpoint {
 public:
  using Visit = CheckpointFolder::Visit;
  ChainCheckpoint(const CheckpointOptions& options, std::uint32_t chain)
      : folder_(options), place_(options.place), every_seconds_(options.every_seconds), chain_(chain) {}

  /// Restores the saved state if the run is resumed; false: the chain starts from the beginning. Throws FileError.
  bool restore(const Visit& visit);
  /// Saves unless already saved at this iteration. Does not save a chain that has not started: its setup may come from
  /// an interrupted search.
  void save(std::uint64_t iteration, const Visit& visit);
  void save_if_due(std::uint64_t iteration, const Visit& visit);

 private:
  using Clock = std::chrono::steady_clock;

  CheckpointFolder folder_;
  CheckpointPlace* place_;
  double every_seconds_;
  std::uint32_t chain_;
  Clock::time_point last_ = Clock::now();
  double least_wait_ = 0;
  std::uint64_t saved_at_ = 0;
  std::size_t size_ = 0;  // of the last file
};

/// The identity of the run in a folder; empty if not yet written.
std::optional<std::string> checkpointed_identity(const std::filesystem::path& folder);
/// Iterations of each chain at its last checkpoint, including warm-up; 0 if there is none.
std::vector<std::uint64_t> checkpointed_iterations(const std::filesystem::path& folder, std::size_t chains);

/// Checksum of bytes, against damage, not malice.
std::uint64_t checksum(std::string_view bytes);

}  // namespace sgmcmc
