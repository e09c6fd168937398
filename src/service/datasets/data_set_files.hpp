// What `sgmcmc data` does: fetch a data set, and write it as files that `data` of other commands reads.
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
  std::vector<std::filesystem::path> files;    ///< as they were found or downloaded; their checksums are right
  std::vector<std::filesystem::path> written;  ///< in the folder of option `out`
};

/// The data set that the operand names. say: is told what is being done. Throws UsageError and FileError.
FetchedData fetch_data(const OptionValues& values, const std::atomic<bool>* interrupt,
                       const std::function<void(const std::string&)>& say);

/// covertype as CSV with a header; features scaled to [0, 1].
std::string forest_cover_csv(std::string_view content);
/// An IDX file of mnist as NPY: labels as they are, pixels as numbers from 0 to 1 in single precision.
std::string digits_npy(std::string_view content);

struct KnownData {
  std::string name;
  std::string summary;
  bool there = false;  ///< all of its files are in the folder
};

/// All data sets with a name.
std::vector<KnownData> known_data(const OptionValues& values);

}  // namespace sgmcmc
