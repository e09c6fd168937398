// Variables read from the files of data arguments: one array per name, and where it came from.
#pragma once

#include "data/array.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {

class PassMeter;
class ThreadPool;
struct RowShare;  // src/ranks/row_shards.hpp

struct DataVariable {
  DataArray array;
  std::string source;  ///< for messages: "file.json: key 'y'", "covtype.csv: column 3 'slope'", "features.npy"
};

struct DataVariables {
  std::map<std::string, DataVariable> by_name;
  /// Other keys and columns of the files, for suggestions of similar names.
  std::vector<std::string> unused;

  const DataVariable* find(const std::string& name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : &found->second;
  }
};

/// The declared type of a variable. If it is known, values are stored in that type, and a real number given for an
/// integer is an error with its position in the file. `either` keeps the type of the file: integers if all values are
/// written as whole numbers within 32 bits.
enum class WantedKind : std::uint8_t { either, real, integer };

struct WantedVariable {
  std::string name;
  WantedKind kind = WantedKind::either;
};

/// Reads the wanted variables. Each argument is
///   FILE               JSON: its keys; CSV with a header: its columns; LIBSVM: X and y; a row file: its columns
///   NAME=FILE          the whole file as one array: NPY, IDX, CSV, LIBSVM (its features), JSON that is one array
///   NAME=FILE:COLUMNS  columns of a CSV by name or number, `a,b,c` or `a..b`: one name a vector, more a matrix
/// The format is found from the content; gzip, zstd and xz are unpacked on the way. A file that several arguments name
/// is read once. Variables nobody wants are not stored. pool may be null: one thread. Throws DataError, and OptionError
/// for an argument that cannot be understood. Variables that no file has are simply absent from the result. Throws
/// InterruptedError once the flag is set. share: the rows of a row file whose checksums are verified; null: all. meter:
/// shows the progress of that; may be null.
DataVariables read_data(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                        ThreadPool* pool, const std::atomic<bool>* interrupt = nullptr, const RowShare* share = nullptr,
                        PassMeter* meter = nullptr);
DataVariables read_data(const std::vector<std::string>& arguments, const std::vector<std::string>& wanted,
                        ThreadPool* pool);

}  // namespace sgmcmc
