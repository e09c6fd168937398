// Reads a row file: maps it, verifies it block by block, and leaves its columns in place.
#pragma once

#include "data/row_files/format.hpp"
#include "data/variables.hpp"

#include <atomic>
#include <map>
#include <string>

namespace sgmcmc {

class MappedFile;
class PassMeter;
class ThreadPool;
struct RowShare;

/// The variables of the file by name: columns as arrays in the file, constants as values. Reads every block once to
/// verify its checksum, and then releases its pages. Throws DataError naming a damaged block, and InterruptedError once
/// the flag is set. share: verifies only the blocks with these rows, and reads no others; null: all blocks. meter:
/// shows the progress; may be null.
std::map<std::string, DataVariable> read_row_file(const std::string& path, ThreadPool* pool,
                                                  const std::atomic<bool>* interrupt = nullptr,
                                                  const RowShare* share = nullptr, PassMeter* meter = nullptr);

}  // namespace sgmcmc
