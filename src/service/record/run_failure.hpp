// Records and reports why a run failed, and what can be resumed.
#pragma once

#include "base/state_bytes.hpp"
#include "service/record/run_folder.hpp"

#include <sgmcmc/error.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace sgmcmc {

/// Describes the checkpoints of a failed run, from which it can be resumed.
std::string what_is_saved(const RunFolder& folder, std::size_t chains);

/// Writes the cause of the failure to the record, if that is still possible; `finish` closes other files first.
void note_failure(RunFolder& folder, const std::string& what, const std::function<void()>& finish);

/// Runs work(), which may fail while it writes files, and records the failure. If a file cannot be written, the message
/// also says what was saved and how to resume.
template <class Work>
auto recording_failure(RunFolder& folder, std::size_t chains, const std::function<void()>& finish, Work&& work) {
  try {
    return work();
  } catch (const SavedStateError& error) {
    note_failure(folder, error.what(), finish);
    throw;
  } catch (const FileError& error) {
    note_failure(folder, error.what(), finish);
    if (!folder.exists()) throw;
    throw FileError(std::string(error.what()) + ". " + what_is_saved(folder, chains));
  } catch (const Error& error) {
    note_failure(folder, error.what(), finish);
    throw;
  }
}

}  // namespace sgmcmc
