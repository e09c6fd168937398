// Data files that need not fit into memory: their outline first, then rows of CSV files as they are parsed.
#pragma once

#include "data/csv_reader.hpp"
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
  DataVariables variables;  ///< of CSV files: with their shapes, and zeros
  struct CsvFile {
    std::string file;
    std::vector<std::string> names;  ///< of its arrays, in the order in which they are read
  };
  std::vector<CsvFile> csv_files;
};

/// As read_data(), but of CSV files only lines are counted.
DataOutline outline_data(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                         ThreadPool* pool, const std::atomic<bool>* interrupt);

/// Hands on the rows of one CSV file: CsvRows::array is the position in CsvFile::names.
void stream_csv(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                const std::string& file, ThreadPool* pool, const std::atomic<bool>* interrupt,
                decltype(CsvRequests::take) take);

}  // namespace sgmcmc
