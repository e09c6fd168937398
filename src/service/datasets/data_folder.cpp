// Finds, downloads and checks the files of data sets.
#include "service/datasets/data_folder.hpp"

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/text/byte_source.hpp"
#include "service/errors.hpp"

#include <sgmcmc/error.hpp>

#include <unistd.h>

#include <cstdlib>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string unpacked(const fs::path& path, std::size_t expected) {
  Input input(path.string(), open_file(path.string()));
  std::string content(expected + 1, '\0');  // one more byte, to detect content that is too long
  content.resize(input.read({content.data(), content.size()}));
  return content;
}

/// Converts "a,b,...,7" to "0,a,b,...": the label is 1 if the class in the last column is 2, else 0.
std::string with_label_first(std::string_view content) {
  std::string text;
  text.reserve(content.size());
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = content.substr(0, end);
    const std::size_t comma = line.rfind(',');
    if (comma == std::string_view::npos) return text;
    text += line.substr(comma + 1) == "2" ? "1," : "0,";
    text += line.substr(0, comma);
    text += '\n';
    content.remove_prefix(std::min(content.size(), end + 1));
  }
  return text;
}

}  // namespace

DataFolder data_folder(const std::string& given) {
  if (!given.empty()) return {given, true};
  if (const std::string named = variable("SGMCMC_DATA"); !named.empty()) return {named, true};
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return {fs::path(cache) / "sgmcmc", false};
  const std::string home = variable("HOME");
  if (home.empty())
    throw FileError(
        "there is no home folder for downloads: set the environment variable SGMCMC_DATA to a folder with the files");
  return {fs::path(home) / ".cache" / "sgmcmc", false};
}

std::optional<fs::path> find_data_file(const DataFolder& folder, const NamedDataSet& set, const DataFile& file) {
  for (const auto& place : {folder.path / set.name, folder.path})
    for (const auto& name : file.names) {
      std::error_code ignored;
      if (fs::is_regular_file(place / name, ignored)) return place / name;
    }
  return std::nullopt;
}

std::vector<MissingFile> missing_files(const NamedDataSet& set, const DataFolder& folder) {
  std::vector<MissingFile> missing;
  const std::string mirror = variable("SGMCMC_DATA_URL");
  for (const auto& file : set.files) {
    if (find_data_file(folder, set, file)) continue;
    const std::string& name = file.names.front();
    if (folder.given)
      throw FileError("the folder '" + folder.path.string() + "' has no file " + joined(file.names, " or ") +
                      ", nor has its folder " + set.name + "; put it there, from " + file.addresses.front() +
                      ", or leave the folder out to download it");
    missing.push_back({&file, folder.path / set.name / name,
                       mirror.empty() ? file.addresses
                                      : std::vector<std::string>{mirror + (mirror.ends_with('/') ? "" : "/") + name}});
  }
  return missing;
}

std::string checked_content(const DataFile& file, const fs::path& path, const std::string& advice) {
  std::string content;
  try {
    content = unpacked(path, file.bytes);
  } catch (const DataError& error) {
    throw FileError(std::string(error.what()) + "; " + advice);
  }
  const bool has_size = content.size() == file.bytes;
  if (has_size && file.form == DataForm::forest_cover && path.filename().string().starts_with("covtype.data"))
    content = with_label_first(content);
  const std::string sum = has_size ? sha256(content) : "";
  if (sum == file.checksum) return content;
  throw FileError("'" + path.string() + "' is damaged, or another file: " +
                  (has_size ? "its SHA-256 is " + sum.substr(0, 16) + "..., not " + file.checksum.substr(0, 16) + "..."
                            : "unpacked it has " + std::string(content.size() > file.bytes ? "more than " : "only ") +
                                  std::to_string(std::min(content.size(), file.bytes)) + " bytes, not " +
                                  std::to_string(file.bytes)) +
                  "; " + advice);
}

std::string checked_content(const NamedDataSet& set, const DataFile& file, const DataFolder& folder) {
  const auto path = find_data_file(folder, set, file);
  if (!path) throw FileError("the file " + file.names.front() + " of " + set.name + " is no longer there");
  return checked_content(file, *path, folder.given ? "replace it" : "remove it, and it is downloaded again");
}

void accept_download(const MissingFile& missing, const fs::path& partial) {
  std::error_code failed;
  try {
    checked_content(*missing.file, partial, "try again later");
    fs::rename(partial, missing.target, failed);
    if (failed) throw FileError("cannot write '" + missing.target.string() + "': " + failed.message());
  } catch (...) {
    fs::remove(partial, failed);
    throw;
  }
}

void fetch(const NamedDataSet& set, const DataFolder& folder, const Download& download) {
  for (const auto& missing : missing_files(set, folder)) {
    std::error_code failed;
    fs::create_directories(missing.target.parent_path(), failed);
    if (failed)
      throw FileError("cannot make the folder '" + missing.target.parent_path().string() + "': " + failed.message());
    const fs::path partial = missing.target.string() + ".partial-" + std::to_string(::getpid());
    std::string tried;
    bool there = false;
    for (const auto& address : missing.addresses) {
      try {
        download(address, partial);
        accept_download(missing, partial);
        there = true;
        break;
      } catch (const Error& error) {
        fs::remove(partial, failed);
        if (is_interruption(error)) throw;
        tried += "\n  " + address + ": " + error.what();
      }
    }
    if (!there)
      throw FileError("cannot download " + missing.file->names.front() + " of " + set.name + ":" + tried +
                      "\nWithout a network: set the environment variable SGMCMC_DATA to a folder that has " +
                      joined(missing.file->names, " or "));
  }
}

}  // namespace sgmcmc
