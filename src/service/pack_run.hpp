// sgmcmc pack: writes the data of a model to a row file.
#pragma once

#include "settings/values.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

struct PackHooks {
  std::function<void(double share)> progress;  ///< from 0 to 1
  const std::atomic<bool>* interrupt = nullptr;
};

struct PackRun {
  std::string path;
  std::uint64_t rows = 0;
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::string group_by;  ///< the variable whose equal numbers are together; empty: rows are in random order
  struct Column {
    std::string name, type;
    std::vector<std::int64_t> row_shape;
  };
  std::vector<Column> columns;
  std::vector<std::string> constants;
  bool continued = false;  ///< resumed an interrupted packing
  double seconds = 0;
};

/// Throws UsageError, DataError, FileError, InterruptedError.
PackRun run_pack(const OptionValues& values, const std::string& model, const PackHooks& hooks);

}  // namespace sgmcmc
