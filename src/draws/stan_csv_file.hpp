// One open CSV file of draws in CmdStan's format: buffers lines and writes them in blocks, removes columns, and finds
// its place again when a run is resumed.
#pragma once

#include "draws/stan_csv.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sgmcmc {

inline std::string no_density_comment() {
  return "#   " + no_density_setting.first + " = " + no_density_setting.second + "\n";
}

/// Lines collect in `pending` and are written in blocks.
struct StanCsvSink::File {
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t block_bytes = std::size_t{1} << 16;

  std::filesystem::path path;
  int descriptor = -1;
  std::vector<std::size_t> order;  // which value is in each column
  std::uint64_t version = 0;       // of the set of values left out
  std::string pending;
  off_t written = 0;  // bytes, all of whole lines
  std::uint64_t draws = 0;
  std::uint64_t unsaved = 0;   // draws still in `pending`
  std::uint64_t promised = 0;  // total number of draws the header announces
  std::uint64_t thin = 1;
  off_t count_at = 0;     // byte offset of the number of samples
  std::string count;      // that number as written
  std::string head;       // comments at the head of the file, until they are written
  bool kept_old = false;  // the file still holds what an earlier run wrote
  Clock::time_point flushed = Clock::now();

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  // Thread-safe, unlike std::strerror.
  static std::string reason(int code) { return std::generic_category().message(code); }

  [[noreturn]] void fail(int code) const {
    throw FileError("cannot write '" + path.string() + "': " + reason(code) + "; it holds " + std::to_string(draws) +
                    " of " + std::to_string(promised) + " draws" +
                    (code == ENOSPC ? "; free some space or name a folder on another disk" : ""));
  }

  void open(bool keep) {
    kept_old = keep;
    descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | (keep ? 0 : O_TRUNC) | O_CLOEXEC, 0666);
    if (descriptor < 0)
      throw FileError("cannot create '" + path.string() + "': " + reason(errno) +
                      "; make the folder writable or name another");
  }

  /// Discards what the file held and starts it with the head.
  void start(const std::vector<std::string>& columns) {
    if (kept_old && ::ftruncate(descriptor, 0) != 0) fail(errno);
    pending = std::move(head);
    head.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) pending += (k == 0 ? "" : ",") + columns[k];
    pending += '\n';
  }
  /// Truncates the file to this length and continues from there.
  void go_on(off_t bytes) {
    const off_t length = ::lseek(descriptor, 0, SEEK_END);
    if (length < bytes)
      throw FileError("'" + path.string() + "' has " + std::to_string(length) + " bytes, but " + std::to_string(bytes) +
                      " were written when the run was saved; it cannot be continued with draws missing");
    if (::ftruncate(descriptor, bytes) != 0 || ::lseek(descriptor, bytes, SEEK_SET) < 0) fail(errno);
    if (::pwrite(descriptor, count.data(), count.size(), count_at) < 0) fail(errno);
    written = bytes;
    head.clear();
  }

  void flush() {
    if (descriptor < 0)
      throw FileError("'" + path.string() + "' is already closed; no more draws can be written to it");
    std::size_t done = 0;
    while (done < pending.size()) {
      const auto now = ::write(descriptor, pending.data() + done, pending.size() - done);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) {
        const int code = now < 0 ? errno : ENOSPC;
        // Keep the lines that fitted and drop the partial one.
        const auto whole = std::string_view(pending).substr(0, done).rfind('\n');
        const std::size_t kept = whole == std::string_view::npos ? 0 : whole + 1;
        const auto lines = std::count(pending.begin() + static_cast<std::ptrdiff_t>(kept), pending.end(), '\n');
        draws -= std::min(unsaved, static_cast<std::uint64_t>(lines));
        if (::ftruncate(descriptor, written + static_cast<off_t>(kept)) != 0) errno = code;
        ::close(descriptor);
        descriptor = -1;
        pending.clear();
        fail(code);
      }
      done += static_cast<std::size_t>(now);
    }
    written += static_cast<off_t>(done);
    pending.clear();
    unsaved = 0;
    flushed = Clock::now();
  }

  /// Removes columns from all lines, and writes 0 in the first column if forget_first. The new file replaces the old
  /// one atomically.
  void keep_columns(const std::vector<bool>& kept, bool forget_first) {
    flush();
    const std::string partial = path.string() + ".partial";
    const int before = descriptor;
    descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const std::uint64_t known = draws;
    try {
      if (descriptor < 0) fail(errno);
      written = 0;
      std::ifstream lines(path, std::ios::binary);
      bool names = true;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('#')) {
          line = chosen_fields(line, kept);
          if (forget_first && names) pending += no_density_comment();
          if (forget_first && !names) line = "0" + line.substr(std::min(line.find(','), line.size()));
          names = false;
        }
        pending += line + '\n';
        if (pending.size() >= block_bytes) flush();
      }
      flush();
      if (::fsync(descriptor) != 0 || ::rename(partial.c_str(), path.c_str()) != 0) fail(errno);
    } catch (const FileError&) {
      if (descriptor >= 0) ::close(descriptor);
      descriptor = -1;
      draws = known;
      ::unlink(partial.c_str());
      ::close(before);
      throw;
    }
    ::close(before);
  }
  static std::string chosen_fields(std::string_view line, const std::vector<bool>& kept) {
    std::string chosen;
    bool first = true;
    for (const bool keep : kept) {
      const auto comma = line.find(',');
      if (keep) {
        if (!std::exchange(first, false)) chosen += ',';
        chosen += line.substr(0, comma);
      }
      line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
    return chosen;
  }
  /// The byte offset just after this many draws, for a file whose columns have changed since the run was saved.
  off_t end_of_draw(std::uint64_t number) const {
    std::ifstream lines(path, std::ios::binary);
    off_t end = 0;
    std::uint64_t rows = 0;  // counts the line of column names too
    for (std::string line; rows <= number && std::getline(lines, line);) {
      if (lines.eof()) break;  // no newline: incomplete
      end += static_cast<off_t>(line.size()) + 1;
      if (!line.starts_with('#')) ++rows;
    }
    if (rows <= number)
      throw FileError("'" + path.string() + "' has fewer than the " + std::to_string(number) +
                      " draws that were written when the run was saved; it cannot be continued with draws missing");
    return end;
  }

  /// Corrects the number of samples in the header of a chain that stopped early; readers that count draws would
  /// otherwise reject the file.
  void correct_count() {
    if (draws == promised) return;
    std::string actual = std::to_string(draws * thin);
    if (actual.size() > count.size()) return;
    actual.resize(count.size(), ' ');
    if (::pwrite(descriptor, actual.data(), actual.size(), count_at) < 0) fail(errno);
  }
};

}  // namespace sgmcmc
