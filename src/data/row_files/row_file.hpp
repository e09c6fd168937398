// Reading a row file: it is mapped, checked block by block, and its columns stay where they are.
#pragma once

#include "data/row_files/format.hpp"
#include "data/variables.hpp"

#include <atomic>
#include <map>
#include <string>

namespace sgmcmc {

class MappedFile;
class ThreadPool;

/// The variables of the file by name: columns as arrays in the file, constants as they are. Every block is read once
/// and compared with its checksum; pages are let go behind that. Throws DataError naming the block that is damaged, and
/// InterruptedError once the flag is set.
std::map<std::string, DataVariable> read_row_file(const std::string& path, ThreadPool* pool,
                                                  const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
