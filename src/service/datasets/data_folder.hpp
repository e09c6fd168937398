// Locates the files of data sets: in a folder that the user names, or in the cache, into which missing files are
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

/// The given folder, else the one in the environment variable SGMCMC_DATA, else the cache: the folder sgmcmc in
/// XDG_CACHE_HOME or in ~/.cache.
DataFolder data_folder(const std::string& given);

/// Looks in the folder, and in its subfolder named after the data set.
std::optional<std::filesystem::path> find_data_file(const DataFolder& folder, const NamedDataSet& set,
                                                    const DataFile& file);

struct MissingFile {
  const DataFile* file = nullptr;
  std::filesystem::path target;        ///< path to download to
  std::vector<std::string> addresses;  ///< where it can be downloaded; of SGMCMC_DATA_URL, where that is set
};

/// The files to download. Throws FileError if files are missing from a folder that the user named.
std::vector<MissingFile> missing_files(const NamedDataSet& set, const DataFolder& folder);

/// Checks a file that was downloaded next to its target, and renames it to the target. If the content is wrong, removes
/// the file and throws FileError.
void accept_download(const MissingFile& missing, const std::filesystem::path& partial);

/// Downloads one file. Throws Error.
using Download = std::function<void(const std::string& address, const std::filesystem::path& target)>;

/// Downloads the missing files. Throws FileError that lists the addresses tried.
void fetch(const NamedDataSet& set, const DataFolder& folder, const Download& download);

/// The unpacked content of a file, after verifying its checksum. Throws FileError.
std::string checked_content(const DataFile& file, const std::filesystem::path& path, const std::string& advice);
/// The same for a file in the folder.
std::string checked_content(const NamedDataSet& set, const DataFile& file, const DataFolder& folder);

}  // namespace sgmcmc
