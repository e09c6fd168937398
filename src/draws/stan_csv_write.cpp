// Writes draws to CSV files in CmdStan's format, line by line.
#include <sgmcmc/state.hpp>
#include "draws/stan_csv_file.hpp"
#include "draws/variable_names.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace sgmcmc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto most_wait = std::chrono::seconds(1);

void append_number(std::string& line, double value) {
  char text[32];
  line.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// Replaces line breaks with spaces, so that a setting cannot break a comment line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

StanCsvSink::StanCsvSink(std::filesystem::path folder, StanCsvHeader header)
    : folder_(std::move(folder)), header_(std::move(header)) {}

StanCsvSink::~StanCsvSink() {
  for (const auto& file : files_) {
    try {
      if (file->descriptor < 0) continue;
      if (!file->head.empty()) continue;
      catch_up(*file);
      file->flush();
      file->correct_count();
    } catch (const Error&) {  // destructors cannot report it; finish() does
    }
  }
}

std::filesystem::path StanCsvSink::path(std::size_t chain) const {
  return folder_ / ("chain-" + std::to_string(chain + 1) + ".csv");
}

namespace {

/// Writes comments with the names and in the order CmdStan uses: readers look for its version, method, num_samples,
/// num_warmup, thin, save_warmup and algorithm. With algorithm "fixed_param" they expect no adaptation and no
/// divergences. CmdStanPy rejects num_warmup = 0, so the header says 1 and sgmcmc.warmup holds the actual number.
/// Readers drop no draws, because save_warmup is 0.
std::string header_text(const StanCsvHeader& header, const std::string& path, std::size_t chain,
                        const std::string& count, std::size_t& count_at) {
  std::string text = "# program = sgmcmc\n";
  text += "# stan_version_major = 2\n# stan_version_minor = 36\n# stan_version_patch = 0\n";
  text += "# model = " + one_line(header.model) + "\n# method = sample\n#   sample\n";
  text += "#     num_samples = ";
  count_at = text.size();
  text += count + "\n";
  text += "#     num_warmup = " + std::to_string(std::max<std::uint64_t>(1, header.warmup)) + "\n";
  text += "#     save_warmup = 0\n";
  text += "#     thin = " + std::to_string(header.thin) + "\n";
  text += "#     algorithm = fixed_param\n";
  text += "# id = " + std::to_string(chain + 1) + "\n";
  if (!header.data_file.empty()) text += "# data\n#   file = " + one_line(header.data_file) + "\n";
  text += "# random\n#   seed = " + std::to_string(header.seed) + "\n";
  text += "# output\n#   file = " + one_line(path) + "\n";
  text += "# sgmcmc\n#   sgmcmc.method = " + one_line(header.method) + "\n";
  text += "#   sgmcmc.warmup = " + std::to_string(header.warmup) + "\n";
  for (const auto& [name, value] : header.settings)
    text += "#   sgmcmc." + one_line(name) + " = " + one_line(value) + "\n";
  return text;
}

void check_column_name(const std::string& name) {
  const std::string column = to_csv_name(name);
  if (column.empty() || column.find_first_of(",\"\n\r#") != std::string::npos)
    throw OptionError("'" + name + "' cannot name a column of a CSV file: leave out commas, quotes, '#' and line ends");
}

}  // namespace

void StanCsvSink::begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) {
  for (const std::string& name : names) check_column_name(name);
  files_.clear();
  order_.clear();
  values_ = names.size();

  columns_.clear();
  columns_.emplace_back("lp__");
  left_out_.assign(values_, false);
  version_ = 0;

  // Sampler columns come first, with lp__ before the others. Weight columns are added if they were not given.
  const auto add = [&](std::string column, std::size_t place) {
    columns_.push_back(std::move(column));
    order_.push_back(place);
  };
  const auto place_of = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? not_given : static_cast<std::size_t>(found - names.begin());
  };
  order_.push_back(place_of("lp__") == not_given ? unknown : place_of("lp__"));
  for (std::size_t k = 0; k < names.size(); ++k)
    if (is_sampler_name(names[k]) && names[k] != "lp__") add(names[k], k);
  for (const char* name : {"stepsize__", "weight__"})
    if (place_of(name) == not_given) add(name, weight_itself);
  for (const std::size_t k : first_index_fastest(names))
    if (!is_sampler_name(names[k])) add(to_csv_name(names[k]), k);

  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure)
    throw FileError("cannot create the folder '" + folder_.string() + "': " + failure.message() + "; name another");
  for (std::size_t chain = 0; chain < chains; ++chain) {
    auto file = std::make_unique<File>();
    file->path = path(chain);
    file->promised = draws_per_chain;
    file->thin = std::max<std::uint64_t>(1, header_.thin);
    file->count = std::to_string(draws_per_chain * file->thin);
    file->count.resize(20, ' ');  // room for any number: a run may be extended
    file->open(resuming_);
    std::size_t count_at = 0;
    file->head = header_text(header_, file->path.string(), chain, file->count, count_at);
    if (order_.front() == unknown) file->head += no_density_comment();
    file->order = order_;
    file->count_at = static_cast<off_t>(count_at);
    if (!resuming_) {
      file->start(columns_);
      file->flush();
    }
    files_.push_back(std::move(file));
  }
  // Delete further chains of an earlier run, so that they are not read as chains of this one.
  for (std::size_t chain = chains; std::filesystem::remove(path(chain), failure); ++chain) {
  }
}

void StanCsvSink::write(std::size_t chain, std::span<const double> values, double weight) {
  if (chain >= files_.size())
    throw OptionError("a draw came for chain " + std::to_string(chain) + " but there are " +
                      std::to_string(files_.size()));
  if (values.size() != values_)
    throw OptionError("a draw has " + std::to_string(values.size()) + " values but there are " +
                      std::to_string(values_) + " names");
  File& file = *files_[chain];
  catch_up(file);
  if (!file.head.empty()) file.start(columns_of(file));
  const std::size_t whole = file.pending.size();
  for (std::size_t column = 0; column < file.order.size(); ++column) {
    if (column > 0) file.pending += ',';
    const std::size_t from = file.order[column];
    const double value = from == weight_itself ? weight : from == unknown ? 0.0 : values[from];
    if (!std::isfinite(value)) {
      file.pending.resize(whole);
      throw FileError("'" + file.path.string() + "': draw " + std::to_string(file.draws + 1) + " has no number for " +
                      columns_of(file)[column] + "; leave that column out");
    }
    append_number(file.pending, value);
  }
  file.pending += '\n';
  ++file.draws;
  ++file.unsaved;
  if (file.pending.size() >= File::block_bytes || Clock::now() - file.flushed >= most_wait) file.flush();
}

std::vector<std::string> StanCsvSink::columns_of(const File& file) const {
  std::vector<std::string> columns;
  std::size_t from = 0;
  for (const std::size_t place : file.order) {
    if (columns.empty()) {
      columns.push_back(columns_[from++]);
      continue;
    }
    // Two columns may hold the weight, so search on from the last match.
    from = static_cast<std::size_t>(std::find(order_.begin() + static_cast<std::ptrdiff_t>(from), order_.end(), place) -
                                    order_.begin());
    columns.push_back(columns_.at(from++));
  }
  return columns;
}

void StanCsvSink::leave_out(std::span<const std::size_t> values) {
  const std::lock_guard<std::mutex> lock(left_out_mutex_);
  for (const std::size_t value : values) {
    if (left_out_.at(value)) continue;
    left_out_[value] = true;
    ++version_;
  }
}

void StanCsvSink::catch_up(File& file) {
  if (file.version == version_.load()) return;
  std::vector<bool> kept;
  std::vector<std::size_t> order;
  {
    const std::lock_guard<std::mutex> lock(left_out_mutex_);
    file.version = version_.load();
    for (const std::size_t place : file.order) {
      const bool first = kept.empty();
      const bool out = place < left_out_.size() && left_out_[place];
      kept.push_back(first || !out);
      if (kept.back()) order.push_back(out ? unknown : place);
    }
  }
  if (order == file.order) return;
  const bool forget_first = order.front() != file.order.front();
  file.order = std::move(order);
  if (!file.head.empty()) {
    if (forget_first) file.head += no_density_comment();
  } else if (file.descriptor >= 0) {
    file.keep_columns(kept, forget_first);
  }
}

void StanCsvSink::save_state(std::size_t chain, StateVisitor& visitor) {
  File& file = *files_.at(chain);
  catch_up(file);
  if (!file.head.empty()) file.start(columns_of(file));
  file.flush();
  if (::fdatasync(file.descriptor) != 0) file.fail(errno);
  auto bytes = static_cast<std::uint64_t>(file.written);
  visitor.visit("file_bytes", bytes);
  visitor.visit("file_draws", file.draws);
}

void StanCsvSink::restore_state(std::size_t chain, StateVisitor& visitor) {
  File& file = *files_.at(chain);
  std::uint64_t bytes = 0;
  visitor.visit("file_bytes", bytes);
  visitor.visit("file_draws", file.draws);
  if (find_columns(file)) bytes = static_cast<std::uint64_t>(file.end_of_draw(file.draws));
  file.go_on(static_cast<off_t>(bytes));
}

bool StanCsvSink::find_columns(File& file) {
  std::ifstream lines(file.path, std::ios::binary);
  std::string line;
  bool density = true;
  while (std::getline(lines, line) && line.starts_with('#'))
    if (line + '\n' == no_density_comment()) density = false;
  std::vector<std::size_t> missing;
  std::size_t next = 0;
  file.order.clear();
  for (std::string_view rest = line; !rest.empty();) {
    const auto comma = rest.find(',');
    const std::string name(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    const auto found = static_cast<std::size_t>(
        std::find(columns_.begin() + static_cast<std::ptrdiff_t>(next), columns_.end(), name) - columns_.begin());
    if (found == columns_.size())
      throw FileError("'" + file.path.string() + "' was changed: '" + name + "' is no column of this run");
    for (; next < found; ++next) missing.push_back(order_[next]);
    file.order.push_back(order_[next++]);
  }
  for (; next < columns_.size(); ++next) missing.push_back(order_[next]);
  const auto needed = [&](std::size_t place) { return place == weight_itself || place == order_.front(); };
  if (file.order.empty() || std::any_of(missing.begin(), missing.end(), needed))
    throw FileError("'" + file.path.string() + "' was changed: lp__, stepsize__ or weight__ is missing");
  if (order_.front() != unknown && !density) {
    missing.push_back(order_.front());
    file.order.front() = unknown;
  }
  leave_out(missing);
  return !missing.empty();
}

void StanCsvSink::replay(std::size_t chain, const std::function<void(std::span<const double>, double)>& show) const {
  const File& file = *files_.at(chain);
  std::ifstream lines(file.path, std::ios::binary);
  std::string line;
  bool after_names = false;
  std::vector<double> values(values_, std::numeric_limits<double>::quiet_NaN());
  for (std::uint64_t done = 0; done < file.draws;) {
    if (!std::getline(lines, line)) throw FileError("cannot read '" + file.path.string() + "' back");
    if (line.starts_with('#')) continue;
    if (!std::exchange(after_names, true)) continue;
    const char* next = line.data();
    const char* const end = next + line.size();
    double weight = 1.0;
    for (const std::size_t place : file.order) {
      double number = 0;
      const auto read = std::from_chars(next, end, number);
      if (read.ec != std::errc())
        throw FileError("'" + file.path.string() + "' was changed: draw " + std::to_string(done + 1) +
                        " is not what was written");
      next = read.ptr < end ? read.ptr + 1 : end;
      if (place == weight_itself)
        weight = number;
      else if (place != unknown)
        values[place] = number;
    }
    show(values, weight);
    ++done;
  }
}

void StanCsvSink::flush(std::size_t chain) {
  if (chain >= files_.size())
    throw OptionError("there is no chain " + std::to_string(chain) + " to flush; there are " +
                      std::to_string(files_.size()));
  files_[chain]->flush();
}

void StanCsvSink::finish(double seconds) {
  for (const auto& file : files_) {
    if (file->descriptor < 0) continue;  // already finished, or failed and reported
    if (!file->head.empty()) continue;   // never written to: it may hold draws that another attempt can resume from
    catch_up(*file);
    file->flush();
    if (seconds > 0) {
      file->pending += "# \n#  Elapsed Time: ";
      append_number(file->pending, seconds);
      file->pending += " seconds (Total)\n# \n";
    }
    file->flush();
    file->correct_count();
    const int descriptor = std::exchange(file->descriptor, -1);
    if (::close(descriptor) != 0) file->fail(errno);  // a network disk may report an error only now
  }
}

}  // namespace sgmcmc
