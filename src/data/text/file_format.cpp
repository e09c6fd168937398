// First bytes of the formats that are read, and of common ones that are not.
#include "data/text/file_format.hpp"

#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace sgmcmc {

namespace {

constexpr std::size_t looked_at_bytes = std::size_t{64} << 10;

bool is_number(std::string_view text) {
  double value;
  bool is_whole;
  return read_number(text, value, is_whole);
}

/// Words of a line, up to a comment.
std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

bool is_entry(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == word.npos || colon == 0) return false;
  const std::string_view index = word.substr(0, colon);
  return index == "qid" || std::ranges::all_of(index, [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether the first line that has more than a label is "label index:value ...". A label alone is a row of zeros, or a
/// CSV file of one column.
bool looks_like_libsvm(std::string_view text) {
  for (int lines = 0; lines < 1000 && !text.empty(); ++lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    if (!is_number(words[0])) return false;
    if (words.size() > 1) return is_entry(words[1]);
  }
  return false;
}

}  // namespace

const char* format_name(FileFormat format) {
  switch (format) {
    case FileFormat::json: return "JSON";
    case FileFormat::csv: return "CSV";
    case FileFormat::npy: return "NPY";
    case FileFormat::idx: return "IDX";
    case FileFormat::libsvm: return "LIBSVM";
    case FileFormat::rows: return "row";
  }
  return "";
}

FileFormat detect_format(Input& input) {
  using namespace std::string_view_literals;
  std::string_view text = input.peek(looked_at_bytes);
  const auto refuse = [&](const std::string& what) { throw DataError(input.name() + ": " + what); };
  if (text.empty()) refuse("the file is empty");
  if (text.starts_with("\x93NUMPY"sv)) return FileFormat::npy;
  if (text.starts_with("sgmcmc rows "sv)) return FileFormat::rows;
  if (text.size() >= 4 && text[0] == 0 && text[1] == 0 && "\x08\x09\x0B\x0C\x0D\x0E"sv.find(text[2]) != text.npos) {
    return FileFormat::idx;
  }
  struct Unread {
    std::string_view magic;
    const char* what;
  };
  static constexpr Unread unread[] = {
      {"PK\x03\x04"sv, "this is a zip archive (npz and xlsx are). Unpack it, and give the files inside"},
      {"BZh"sv, "the file is packed by bzip2. Unpack it, or pack it by gzip, zstd or xz"},
      {"\x89HDF"sv, "this is an HDF5 file. Write its arrays as NPY or CSV"},
      {"CDF\x01"sv, "this is a NetCDF file. Write its variables as NPY or CSV"},
      {"PAR1"sv, "this is a Parquet file. Write it as CSV, or its columns as NPY"},
      {"ARROW1"sv, "this is an Arrow file. Write it as CSV, or its columns as NPY"},
      {"\xFF\xFE"sv, "the text is UTF-16. Save it as UTF-8"},
      {"\xFE\xFF"sv, "the text is UTF-16. Save it as UTF-8"},
      {"\x1f\x8b"sv, "the file is packed twice. Unpack it once"},
      {"\x28\xb5\x2f\xfd"sv, "the file is packed twice. Unpack it once"},
      {"\xfd"
       "7zXZ"sv,
       "the file is packed twice. Unpack it once"},
      {"RDX"sv, "this is R's own format. In R, write the data as JSON or CSV"},
  };
  for (const Unread& format : unread) {
    if (text.starts_with(format.magic)) refuse(format.what);
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) refuse("the file holds nothing but white space");
  if (text[first] == '{' || text[first] == '[') return FileFormat::json;
  if (text.find('\0') != text.npos) {
    refuse(
        "the format is unknown: the file is binary, but neither NPY nor IDX. Known are JSON, CSV, NPY, LIBSVM and IDX");
  }
  return looks_like_libsvm(text) ? FileFormat::libsvm : FileFormat::csv;
}

}  // namespace sgmcmc
