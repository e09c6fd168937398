// Watches the files of a run, and regenerates its page.
#include "service/reports/live_report.hpp"

#include "base/interrupt.hpp"
#include "report/json_text.hpp"
#include "service/page/loopback_server.hpp"
#include "service/record/kept_record.hpp"
#include "service/reports/run_report.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// CPU time of this process; on a busy machine, wall time would be longer.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Whether a program is writing to the folder.
bool is_locked(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

bool has_ended(const std::string& status) { return status != "tuning" && status != "running" && status != "judging"; }

class Watch {
 public:
  explicit Watch(fs::path folder) : folder_(std::move(folder)) {}

  HttpAnswer answer(std::string_view path) {
    if (path.empty()) return page();
    if (path == "state") return {200, "application/json", json_text(state())};
    return {404, "text/plain", "Not Found\n"};
  }

  /// "tuning", "running", "judging"; then "finished", "interrupted", "failed" or "killed".
  std::string status() {
    const Json record = record_in(folder_);
    const auto found = record.is_object() ? record.find("status") : record.end();
    const bool known = record.is_object() && found != record.end() && found->is_string();
    const std::string text = known ? found->get<std::string>() : "";
    if (text == "finished" && !record.contains("verdict") && is_locked(folder_)) return "judging";
    if (text != "running" && text != "tuning") return text;
    // Taking the lock could disturb a run that is about to start, so do it only if no file has changed for a while.
    constexpr double quiet = 3;
    const auto now = Clock::now();
    if (const auto size = bytes(); size != last_bytes_) {
      last_bytes_ = size;
      last_change_ = now;
    }
    return seconds_between(last_change_, now) > quiet && !is_locked(folder_) ? "killed" : text;
  }

 private:
  std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored))
      if (entry.path().extension() == ".csv" || entry.path().filename() == "run.json")
        if (const auto size = entry.file_size(ignored); !ignored) sum += size;
    return sum;
  }

  /// Time since the record was last written: while a run is sampling, since sampling began.
  double elapsed() const {
    std::error_code ignored;
    const auto written = fs::last_write_time(folder_ / "run.json", ignored);
    return ignored ? 0 : std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count();
  }

  Json state() {
    const std::string now = status();
    Json json = {{"status", now}, {"stamp", std::to_string(bytes()) + now}, {"elapsed", elapsed()}};
    json["every"] = pause_;
    return json;
  }

  HttpAnswer page() {
    const double worked = processor_seconds();
    const std::string now = status(), stamp = std::to_string(bytes()) + now;
    const bool last = has_ended(now) && !ended_;  // regenerate at once for the last time
    const bool fresh = stamp == stamp_ || seconds_between(made_, Clock::now()) < pause_;
    if (!html_.empty() && fresh && !last) return {200, html_type, html_};
    try {
      RunReportOptions options;
      options.threads = 1;
      options.diagnose = options.simulate = false;
      options.live = state();
      html_ = report_on_run({folder_}, options).html;
    } catch (const Error& error) {
      if (html_.empty()) return {503, "text/plain", std::string(error.what()) + "\n"};
    }
    stamp_ = stamp;
    ended_ = has_ended(now);
    made_ = Clock::now();
    // Use at most a fiftieth of one core.
    pause_ = std::clamp(50 * (processor_seconds() - worked), 3.0, 600.0);
    return {200, html_type, html_};
  }

  static constexpr const char* html_type = "text/html; charset=utf-8";
  fs::path folder_;
  std::string html_, stamp_;
  Clock::time_point made_{}, last_change_ = Clock::now();
  std::uintmax_t last_bytes_ = 0;
  double pause_ = 3;
  bool ended_ = false;  // status when the page was made
};

}  // namespace

void watch_run(const fs::path& folder, const WatchOptions& options,
               const std::function<void(const std::string& address)>& ready) {
  std::error_code ignored;
  if (!fs::exists(folder / "run.json", ignored))
    throw FileError("'" + folder.string() + "' holds no run: there is no run.json. Start one that writes into it");
  [[maybe_unused]] const int niceness = ::nice(19);  // the run comes first
  LoopbackServer server(options.port);
  ready(server.address());
  Watch watch(folder);
  auto last = Clock::now();
  while (!is_interrupted(options.interrupt)) {
    if (server.serve(500, [&](std::string_view path) { return watch.answer(path); })) last = Clock::now();
    if (has_ended(watch.status()) && seconds_between(last, Clock::now()) > options.linger) return;
  }
}

}  // namespace sgmcmc
