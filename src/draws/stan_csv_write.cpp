// Writing draws to files of the CmdStan CSV dialect, line by line.
#include "base/state.hpp"
#include "draws/stan_csv.hpp"
#include "draws/variable_names.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace sgmcmc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t block_bytes = std::size_t{1} << 16;
constexpr auto most_wait = std::chrono::seconds(1);

// A reason by itself, without a place in a table of messages that another thread may change.
std::string reason(int code) { return std::generic_category().message(code); }

void append_number(std::string& line, double value) {
  char text[32];
  line.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// A comment must stay one line whatever a setting holds.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

/// One open file. Lines gather in `pending` and leave it in blocks.
struct StanCsvSink::File {
  std::filesystem::path path;
  int descriptor = -1;
  std::string pending;
  off_t written = 0;  // bytes, all of whole lines
  std::uint64_t draws = 0;
  std::uint64_t unsaved = 0;   // of them, in `pending`
  std::uint64_t promised = 0;  // draws in all
  std::uint64_t thin = 1;
  off_t count_at = 0;     // where the number of samples stands
  std::string count;      // and what it says
  std::string head;       // of the file, until it is written
  bool kept_old = false;  // what an earlier run wrote is still there
  Clock::time_point flushed = Clock::now();

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

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

  /// The file begins with its head, whatever it held.
  void start() {
    if (head.empty()) return;
    if (kept_old && ::ftruncate(descriptor, 0) != 0) fail(errno);
    pending = std::move(head);
    head.clear();
  }
  /// The file ends here, and goes on from here.
  void go_on(off_t bytes) {
    const off_t length = ::lseek(descriptor, 0, SEEK_END);
    if (length < bytes)
      throw FileError("'" + path.string() + "' has " + std::to_string(length) + " bytes, but " + std::to_string(bytes) +
                      " were written when the run was saved; it cannot go on with draws missing");
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
        // Keep the lines that fitted, and nothing of the one that did not.
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

  /// A chain that was stopped early has fewer draws than its header says, and readers that count would refuse it.
  void correct_count() {
    if (draws == promised) return;
    std::string actual = std::to_string(draws * thin);
    if (actual.size() > count.size()) return;
    actual.resize(count.size(), ' ');
    if (::pwrite(descriptor, actual.data(), actual.size(), count_at) < 0) fail(errno);
  }
};

StanCsvSink::StanCsvSink(std::filesystem::path folder, StanCsvHeader header)
    : folder_(std::move(folder)), header_(std::move(header)) {}

StanCsvSink::~StanCsvSink() {
  for (const auto& file : files_) {
    try {
      if (file->descriptor < 0) continue;
      if (!file->head.empty()) continue;
      file->flush();
      file->correct_count();
    } catch (const Error&) {  // finish() was the place to hear of it
    }
  }
}

std::filesystem::path StanCsvSink::path(std::size_t chain) const {
  return folder_ / ("chain-" + std::to_string(chain + 1) + ".csv");
}

namespace {

/// Comments in the words and the order of CmdStan: its readers look for method, num_samples, thin, save_warmup and
/// algorithm. "fixed_param" is the algorithm from which they expect no adaptation and no divergences.
std::string header_text(const StanCsvHeader& header, const std::string& path, std::size_t chain,
                        const std::string& count, std::size_t& count_at) {
  std::string text = "# program = sgmcmc\n# model = " + one_line(header.model) + "\n# method = sample\n#   sample\n";
  text += "#     num_samples = ";
  count_at = text.size();
  text += count + "\n";
  text += "#     num_warmup = " + std::to_string(header.warmup) + "\n";
  text += "#     save_warmup = 0\n";
  text += "#     thin = " + std::to_string(header.thin) + "\n";
  text += "#     algorithm = fixed_param\n";
  text += "# id = " + std::to_string(chain + 1) + "\n";
  if (!header.data_file.empty()) text += "# data\n#   file = " + one_line(header.data_file) + "\n";
  text += "# random\n#   seed = " + std::to_string(header.seed) + "\n";
  text += "# output\n#   file = " + one_line(path) + "\n";
  text += "# sgmcmc\n#   sgmcmc.method = " + one_line(header.method) + "\n";
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

  // Sampler columns come first, lp__ before the others; those that were not given are filled in.
  std::string columns = "lp__";
  const auto place_of = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? not_given : static_cast<std::size_t>(found - names.begin());
  };
  order_.push_back(place_of("lp__"));
  if (order_[0] == not_given) order_[0] = unknown;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (is_sampler_name(names[k]) && names[k] != "lp__") {
      columns += ',' + names[k];
      order_.push_back(k);
    }
  for (const char* name : {"stepsize__", "weight__"})
    if (place_of(name) == not_given) {
      columns += ',' + std::string(name);
      order_.push_back(weight_itself);
    }
  for (const std::size_t k : first_index_fastest(names))
    if (!is_sampler_name(names[k])) {
      columns += ',' + to_csv_name(names[k]);
      order_.push_back(k);
    }

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
    file->count.resize(20, ' ');  // room for any other: a run may be extended
    file->open(resuming_);
    std::size_t count_at = 0;
    file->head = header_text(header_, file->path.string(), chain, file->count, count_at) + columns + '\n';
    file->count_at = static_cast<off_t>(count_at);
    if (!resuming_) {
      file->start();
      file->flush();
    }
    files_.push_back(std::move(file));
  }
  // Chains of an earlier run must not be read as chains of this one.
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
  file.start();
  for (std::size_t column = 0; column < order_.size(); ++column) {
    if (column > 0) file.pending += ',';
    const std::size_t from = order_[column];
    append_number(file.pending, from == unknown         ? std::numeric_limits<double>::quiet_NaN()
                                : from == weight_itself ? weight
                                                        : values[from]);
  }
  file.pending += '\n';
  ++file.draws;
  ++file.unsaved;
  if (file.pending.size() >= block_bytes || Clock::now() - file.flushed >= most_wait) file.flush();
}

void StanCsvSink::save_state(std::size_t chain, StateVisitor& visitor) {
  File& file = *files_.at(chain);
  file.start();
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
  file.go_on(static_cast<off_t>(bytes));
}

void StanCsvSink::replay(std::size_t chain, const std::function<void(std::span<const double>, double)>& show) const {
  const File& file = *files_.at(chain);
  std::ifstream lines(file.path, std::ios::binary);
  std::string line;
  bool after_names = false;
  std::vector<double> values(values_);
  for (std::uint64_t done = 0; done < file.draws;) {
    if (!std::getline(lines, line)) throw FileError("cannot read '" + file.path.string() + "' back");
    if (line.starts_with('#')) continue;
    if (!std::exchange(after_names, true)) continue;
    const char* next = line.data();
    const char* const end = next + line.size();
    double weight = 1.0;
    for (const std::size_t place : order_) {
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
    if (file->descriptor < 0) continue;  // finished before, or failed and said so
    if (!file->head.empty()) continue;   // never touched: it may hold what another attempt can resume from
    file->flush();
    if (seconds > 0) {
      file->pending += "# \n#  Elapsed Time: ";
      append_number(file->pending, seconds);
      file->pending += " seconds (Total)\n# \n";
    }
    file->flush();
    file->correct_count();
    const int descriptor = std::exchange(file->descriptor, -1);
    if (::close(descriptor) != 0) file->fail(errno);  // a network disk may complain only now
  }
}

}  // namespace sgmcmc
