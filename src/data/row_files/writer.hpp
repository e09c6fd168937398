// Writing a row file from sources of any size, in memory that does not grow with them.
//
// First every row is sent to a random block of a scattered copy; then block after block is put in random order, summed
// up and written to its place, integers in as many bits as the greatest of them needs. Where a row ends depends on its
// number and the key alone, so that a writer that was killed goes on from what it last saved, and ends with the same
// bytes. To keep the rows of a group together, the groups of all rows are read before, and the places of rows found
// from them.
#pragma once

#include "data/row_files/row_source.hpp"

#include <sgmcmc/dataset.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sgmcmc {

class ThreadPool;

struct PackOptions {
  std::string path;                        ///< of the row file
  std::uint64_t key = 1;                   ///< of the random order
  std::string group_by;                    ///< an integer column: rows with equal numbers are kept together
  std::optional<Precision> precision;      ///< of real columns; not set: single where the files have it
  bool overwrite = false;                  ///< replaces a file, and begins anew
  std::uint64_t block_rows = 0;            ///< 0: chosen by the number of rows
  std::uint64_t save_every = 512U << 20U;  ///< bytes between saved states
  ThreadPool* pool = nullptr;
  const std::atomic<bool>* interrupt = nullptr;
  /// Which part of the work is done, from 0 to 1.
  std::function<void(double share)> progress;
};

struct PackedRows {
  RowFileLayout layout;
  bool continued = false;  ///< from a state that was saved before
};

/// Why the rows cannot be grouped by a variable; empty if they can.
std::string why_not_grouped(const PackInput& input, const std::string& variable);

/// Throws DataError, FileError and InterruptedError; given the same arguments again, it goes on where it stopped.
PackedRows pack_rows(const PackInput& input, const PackOptions& options);

}  // namespace sgmcmc
