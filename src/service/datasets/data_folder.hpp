// Where the files of data sets are: a folder that the user names, or the cache, into which missing files are
// downloaded.
#pragma once

#include "service/datasets/catalogue.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

struct DataFolder {
  std::filesystem::path path;
  bool given = false;  ///< named by the user: nothing is downloaded into it
};

/// The folder given, else the one that the environment variable SGMCMC_DATA names, else the cache: sgmcmc in
/// XDG_CACHE_HOME or in ~/.cache.
DataFolder data_folder(const std::string& given);

/// In the folder, or in its folder of the name of the data set.
std::optional<std::filesystem::path> find_data_file(const DataFolder& folder, const NamedDataSet& set,
                                                    const DataFile& file);

struct MissingFile {
  const DataFile* file = nullptr;
  std::filesystem::path target;        ///< where it is to be
  std::vector<std::string> addresses;  ///< where it can be downloaded; of SGMCMC_DATA_URL, where that is set
};

/// The files that have to be downloaded. Throws FileError where files are missing in a folder that the user named.
std::vector<MissingFile> missing_files(const NamedDataSet& set, const DataFolder& folder);

/// Checks a file that was downloaded beside its target, and gives it its name. Throws FileError where it is not what it
/// should be, and removes it.
void accept_download(const MissingFile& missing, const std::filesystem::path& partial);

/// Downloads one file. Throws Error.
using Download = std::function<void(const std::string& address, const std::filesystem::path& target)>;

/// Downloads what is missing. Throws FileError that says what was tried.
void fetch(const NamedDataSet& set, const DataFolder& folder, const Download& download);

/// The unpacked content of a file, whose checksum is right. Throws FileError.
std::string checked_content(const DataFile& file, const std::filesystem::path& path, const std::string& advice);
/// Of a file in the folder.
std::string checked_content(const NamedDataSet& set, const DataFile& file, const DataFolder& folder);

}  // namespace sgmcmc
