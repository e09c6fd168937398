// Reads draws from CSV files in CmdStan's format, written by this program or by CmdStan.
#include "base/text.hpp"
#include "draws/stan_csv.hpp"
#include "draws/variable_names.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace sgmcmc {
namespace {

std::string at_line(const std::filesystem::path& path, std::size_t line) {
  return path.string() + ":" + std::to_string(line) + ": ";
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Reads a file line by line, in a buffer that grows only with the longest line.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw FileError("cannot open '" + path.string() + "': " + std::generic_category().message(errno));
  }
  ~LineReader() { std::fclose(file_); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Returns false at the end of the file. Sets `ended` to false for a last line without a newline.
  bool next(std::string_view& line) {
    std::size_t searched = 0;
    while (true) {
      if (const void* end = std::memchr(buffer_.data() + begin_ + searched, '\n', filled_ - begin_ - searched)) {
        line = {buffer_.data() + begin_,
                static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data()) - begin_};
        begin_ += line.size() + 1;
        ++number;
        ended = true;
        return true;
      }
      searched = filled_ - begin_;
      if (fill()) continue;
      line = {buffer_.data() + begin_, filled_ - begin_};
      begin_ = filled_;
      ended = false;
      if (line.empty()) return false;
      ++number;
      return true;
    }
  }

  std::size_t number = 0;
  bool ended = true;

 private:
  bool fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
    filled_ -= begin_;
    begin_ = 0;
    if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t read = std::fread(buffer_.data() + filled_, 1, buffer_.size() - filled_, file_);
    if (read == 0 && std::ferror(file_))
      throw FileError("cannot read '" + path_.string() + "': " + std::generic_category().message(errno));
    filled_ += read;
    return read > 0;
  }

  std::filesystem::path path_;
  std::FILE* file_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 18);
  std::size_t begin_ = 0, filled_ = 0;
};

/// The result of a first scan of a file: everything but the numbers.
struct Outline {
  std::vector<std::string> columns;  // as in the file, without quotes
  std::vector<std::pair<std::string, std::string>> settings;
  std::size_t skipped = 0;  // warm-up draws at the start
  std::size_t draws = 0;    // complete draws after them
  std::optional<double> sampling_seconds, total_seconds;
  std::optional<std::string> warning;
};

std::vector<std::string> split_columns(std::string_view line) {
  std::vector<std::string> columns;
  while (true) {
    const auto comma = line.find(',');
    std::string_view name = trimmed(line.substr(0, comma));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    columns.emplace_back(name);
    if (comma == std::string_view::npos) return columns;
    line.remove_prefix(comma + 1);
  }
}

void add_setting(std::string_view comment, std::vector<std::pair<std::string, std::string>>& settings) {
  const auto equals = comment.find('=');
  if (equals == std::string_view::npos) return;
  std::string_view value = comment.substr(equals + 1);
  if (const auto remark = value.find("(Default)"); remark != std::string_view::npos) value = value.substr(0, remark);
  const std::string_view name = comment.substr(0, equals);
  settings.emplace_back(trimmed(name.substr(std::min(name.size(), name.find_first_not_of("# \t")))), trimmed(value));
}

/// "#  Elapsed Time: 0.1 seconds (Warm-up)", "#  0.2 seconds (Sampling)", "#  0.3 seconds (Total)".
void note_seconds(std::string_view comment, Outline& outline) {
  const auto end = comment.find(" seconds (");
  if (end == std::string_view::npos) return;
  const auto number = comment.substr(0, end);
  const auto begin = number.find_last_of(" \t#") + 1;
  double seconds = 0.0;
  if (std::from_chars(number.data() + begin, number.data() + end, seconds).ptr != number.data() + end) return;
  if (comment.substr(end).starts_with(" seconds (Sampling)")) outline.sampling_seconds = seconds;
  if (comment.substr(end).starts_with(" seconds (Total)")) outline.total_seconds = seconds;
}

std::size_t whole_number(const std::vector<std::pair<std::string, std::string>>& settings, std::string_view name,
                         std::size_t otherwise) {
  for (const auto& [key, value] : settings)
    if (key == name) {
      if (value == "true") return 1;
      std::size_t number = otherwise;
      std::from_chars(value.data(), value.data() + value.size(), number);
      return number;
    }
  return otherwise;
}

Outline outline_of(const std::filesystem::path& path) {
  LineReader reader(path);
  Outline outline;
  std::string_view line;
  bool adapted = false;
  std::size_t lines = 0, last_fields = 0, last_number = 0;
  bool last_ended = true;
  while (reader.next(line)) {
    if (trimmed(line).empty()) continue;
    if (line.front() == '#') {
      if (outline.columns.empty()) add_setting(line, outline.settings);
      note_seconds(line, outline);
      if (!outline.columns.empty() && line.find("Adaptation terminated") != std::string_view::npos) {
        outline.skipped = lines;
        adapted = true;
      }
      continue;
    }
    if (outline.columns.empty()) {
      if (!reader.ended)
        throw FileError(at_line(path, reader.number) +
                        "the file ends in the line of column names; the run that wrote it" +
                        " was stopped before its first draw");
      outline.columns = split_columns(line);
      continue;
    }
    ++lines;
    last_fields = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    last_number = reader.number;
    last_ended = reader.ended;
  }
  if (outline.columns.empty())
    throw FileError("'" + path.string() + "' has no line of column names; it is not a file of draws (or still empty)");
  // Without a newline, the last number may be cut short even if all columns are present.
  if (lines > 0 && (!last_ended || last_fields < outline.columns.size())) {
    --lines;
    outline.warning = at_line(path, last_number) + "the last line is cut short (" + std::to_string(last_fields) +
                      " of " + std::to_string(outline.columns.size()) + " columns); the " +
                      std::to_string(lines - std::min(lines, outline.skipped)) + " draws before it are used";
  }
  if (!adapted && whole_number(outline.settings, "save_warmup", 0) == 1) {  // saved, but no adaptation block
    const std::size_t thin = std::max<std::size_t>(1, whole_number(outline.settings, "thin", 1));
    outline.skipped = (whole_number(outline.settings, "num_warmup", 0) + thin - 1) / thin;
  }
  outline.skipped = std::min(outline.skipped, lines);
  outline.draws = lines - outline.skipped;
  return outline;
}

double parse_number(std::string_view text, const std::filesystem::path& path, std::size_t line,
                    const std::string& column) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)  // underflow or overflow
    return std::strtod(std::string(text).c_str(), nullptr);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  if (text == "NA") return std::numeric_limits<double>::quiet_NaN();
  throw FileError(at_line(path, line) + "column " + column + " has '" + std::string(text.substr(0, 40)) +
                  "', which is not a number");
}

void require_same_columns(const std::filesystem::path& path, const std::vector<std::string>& columns,
                          const std::filesystem::path& first_path, const std::vector<std::string>& first) {
  if (columns == first) return;
  std::string what = std::to_string(columns.size()) + " columns, not " + std::to_string(first.size());
  const auto [ours, theirs] = std::mismatch(columns.begin(), columns.end(), first.begin(), first.end());
  if (ours != columns.end() && theirs != first.end()) what = "column '" + *ours + "' where that has '" + *theirs + "'";
  throw FileError("'" + path.string() + "' does not belong to the same run as '" + first_path.string() + "': it has " +
                  what + "; give the chains of one model");
}

/// The destination of each column.
struct Places {
  std::vector<std::string> parameters, sampler;  // names, in their final order
  std::vector<std::size_t> place;                // of each column, in its list
  std::vector<bool> to_sampler;
  std::size_t weight = Variable::absent;

  /// density: whether lp__ was computed.
  Places(const std::vector<std::string>& columns, bool density) : place(columns.size()), to_sampler(columns.size()) {
    std::vector<std::string> found;
    std::vector<std::size_t> from;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      to_sampler[c] = is_sampler_name(columns[c]);
      if (columns[c] == "weight__") weight = c;
      if (!density && columns[c] == "lp__") {
        place[c] = Variable::absent;
      } else if (to_sampler[c]) {
        place[c] = sampler.size();
        sampler.push_back(columns[c]);
      } else {
        found.push_back(from_csv_name(columns[c]));
        from.push_back(c);
      }
    }
    for (const std::size_t k : last_index_fastest(found)) {
      place[from[k]] = parameters.size();
      parameters.push_back(found[k]);
    }
  }
};

void read_draws(const std::filesystem::path& path, std::size_t chain, const Outline& outline, const Places& places,
                StanCsvDraws& into) {
  LineReader reader(path);
  std::vector<double> parameters(places.parameters.size()), sampler(places.sampler.size());
  std::string_view line;
  bool header_seen = false;
  std::size_t skip = outline.skipped;
  for (std::size_t draws = 0; draws < outline.draws && reader.next(line);) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    if (!header_seen) {
      header_seen = true;
      continue;
    }
    if (skip > 0) {
      --skip;
      continue;
    }
    double weight = 1.0;
    std::size_t column = 0;
    std::string_view rest = line;
    for (bool more = true; more; ++column) {
      const auto comma = rest.find(',');
      more = comma != std::string_view::npos;
      if (column >= outline.columns.size()) continue;
      const double value = parse_number(rest.substr(0, comma), path, reader.number, outline.columns[column]);
      if (column == places.weight) weight = value;
      if (places.place[column] != Variable::absent)
        (places.to_sampler[column] ? sampler : parameters)[places.place[column]] = value;
      if (more) rest.remove_prefix(comma + 1);
    }
    if (column != outline.columns.size())
      throw FileError(at_line(path, reader.number) + "a draw has " + std::to_string(column) +
                      " columns, but the file has " + std::to_string(outline.columns.size()) + " column names");
    if (!(weight >= 0.0) || !std::isfinite(weight))
      throw FileError(at_line(path, reader.number) + "column weight__ is " + std::to_string(weight) +
                      "; weights are finite and not negative");
    into.draws.write(chain, parameters, weight);
    into.sampler.write(chain, sampler, weight);
    ++draws;
  }
}

}  // namespace

StanCsvDraws read_stan_csv(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) throw FileError("no files of draws were given; give one file for each chain");
  StanCsvDraws result;
  std::vector<Outline> outlines;
  std::size_t most = 0;
  for (const auto& path : paths) {
    outlines.push_back(outline_of(path));
    require_same_columns(path, outlines.back().columns, paths[0], outlines[0].columns);
    most = std::max(most, outlines.back().draws);
    if (const auto seconds =
            outlines.back().sampling_seconds ? outlines.back().sampling_seconds : outlines.back().total_seconds)
      result.seconds = std::fmax(result.seconds, *seconds);
    if (outlines.back().warning) result.warnings.push_back(*outlines.back().warning);
  }
  const auto no_density = [](const Outline& outline) {
    return std::find(outline.settings.begin(), outline.settings.end(), no_density_setting) != outline.settings.end();
  };
  const Places places(outlines[0].columns, std::none_of(outlines.begin(), outlines.end(), no_density));
  result.settings = outlines[0].settings;
  result.draws.begin(places.parameters, paths.size(), most);
  result.sampler.begin(places.sampler, paths.size(), most);
  for (std::size_t chain = 0; chain < paths.size(); ++chain)
    read_draws(paths[chain], chain, outlines[chain], places, result);
  return result;
}

std::vector<std::filesystem::path> chain_files(const std::filesystem::path& folder_or_file) {
  namespace fs = std::filesystem;
  std::error_code failure;
  if (fs::is_regular_file(folder_or_file, failure)) return {folder_or_file};
  if (!fs::is_directory(folder_or_file, failure))
    throw FileError("there is no folder or file '" + folder_or_file.string() + "'; give the folder that a run wrote");
  std::map<std::uint64_t, fs::path> chains;
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder_or_file, failure)) {
    const std::string name = entry.path().filename().string();
    std::uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(name.data() + std::min<std::size_t>(6, name.size()), name.data() + name.size(), number);
    if (name.starts_with("chain-") && error == std::errc() && std::string_view(end) == ".csv")
      chains[number] = entry.path();
    else
      others.push_back(name);
  }
  if (failure) throw FileError("cannot list '" + folder_or_file.string() + "': " + failure.message());
  if (chains.empty()) {
    std::sort(others.begin(), others.end());
    if (others.size() > 8) others.resize(8);
    throw FileError("'" + folder_or_file.string() + "' has no files chain-1.csv, chain-2.csv, ...; " +
                    (others.empty() ? "it is empty" : "it has " + quoted_list(others)));
  }
  std::vector<fs::path> result;
  for (auto& [number, path] : chains) result.push_back(std::move(path));
  return result;
}

}  // namespace sgmcmc
