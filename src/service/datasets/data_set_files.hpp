// The command `sgmcmc data`: fetches a data set, and writes it as files that option `data` of other commands reads.
#pragma once

#include "settings/values.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

struct FetchedData {
  std::string name;
  std::filesystem::path folder;                ///< that holds the files
  std::vector<std::filesystem::path> files;    ///< found or downloaded files, with verified checksums
  std::vector<std::filesystem::path> written;  ///< in the folder of option `out`
};

/// Fetches the data set that the operand names. say: called with a description of each action. Throws UsageError and
/// FileError.
FetchedData fetch_data(const OptionValues& values, const std::atomic<bool>* interrupt,
                       const std::function<void(const std::string&)>& say);

/// covertype as CSV with a header; features scaled to [0, 1].
std::string forest_cover_csv(std::string_view content);
/// Converts an IDX file of mnist to NPY: labels unchanged, pixels scaled to [0, 1] in single precision.
std::string digits_npy(std::string_view content);

struct KnownData {
  std::string name;
  std::string summary;
  bool there = false;  ///< all of its files are in the folder
};

/// All named data sets.
std::vector<KnownData> known_data(const OptionValues& values);

}  // namespace sgmcmc
