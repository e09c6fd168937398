// Data files that need not fit into memory: their outline first, then rows as they are read.
#pragma once

#include "data/formats/csv_reader.hpp"
#include "data/variables.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

class ThreadPool;

/// The variables that data files have.
struct DataOutline {
  DataVariables variables;  ///< of streamed files: with their shapes, and zeros
  struct Stream {
    std::string file;
    std::vector<std::string> names;  ///< of its arrays, in the order in which they are read
  };
  std::vector<Stream> streams;  ///< CSV files, and NPY files of integers, row by row
};

/// As read_data(), but of CSV files only lines are counted, and of NPY files of integers only headers are read.
DataOutline outline_data(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                         ThreadPool* pool, const std::atomic<bool>* interrupt);

/// Hands on the rows of one such file: CsvRows::array is the position in Stream::names.
void stream_file(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                 const std::string& file, ThreadPool* pool, const std::atomic<bool>* interrupt,
                 decltype(CsvRequests::take) take);

}  // namespace sgmcmc
