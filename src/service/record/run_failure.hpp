// Runs that cannot go on: what they leave is said, and noted in their record.
#pragma once

#include "base/state_bytes.hpp"
#include "service/record/run_folder.hpp"

#include <sgmcmc/error.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace sgmcmc {

/// What a run that cannot go on has left: nothing that is said here is lost.
std::string what_is_saved(const RunFolder& folder, std::size_t chains);

/// Notes in the record what ended the run, where that still can be written; `finish` closes other files first.
void note_failure(RunFolder& folder, const std::string& what, const std::function<void()>& finish);

/// Does what may fail once files are being written. A file that cannot be written ends the run with what is safe; where
/// nothing can be mended, nothing is promised.
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
