// Distributes the parts to ranks and threads.
#include "service/parts/sample_parts.hpp"

#include "base/thread_pool.hpp"
#include "ranks/communicator.hpp"
#include "service/errors.hpp"
#include "service/ranks/rank_service.hpp"
#include "service/record/kept_record.hpp"
#include "service/record/resume.hpp"
#include "service/record/run_folder.hpp"
#include "service/reports/run_report.hpp"
#include "service/sample_run.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>

namespace sgmcmc {
namespace {

using Warn = std::function<void(const RunWarning&)>;

/// Writes the report of a part if one is asked for. If it cannot be written, warns only: the part is complete.
void write_report_of(const OptionValues& values, const RunFolder& folder, const Warn& warn) {
  if (!values.flag("report")) return;
  RunReportOptions options;
  options.threads = values.threads();
  options.diagnose = false;  // the run has already judged its draws, unless told not to
  try {
    write_report(folder.path() / "report.html", report_on_run({folder.path()}, options));
  } catch (const Error& error) {
    warn({std::string("cannot write the report: ") + error.what(), "", false});
  }
}

/// Returns false if interrupted.
bool sample_part(const SampledPart& part, const StanPosterior& whole, int threads, const RunHooks& hooks) {
  std::optional<RunFolder> folder;
  OptionValues values = part.values();
  if (part.can_resume()) {
    folder.emplace(part.folder());
    OptionValues nothing(Command::resume);
    nothing.writer = values.writer;
    values = resume_run(*folder, nothing).values;
  } else {
    folder.emplace(values, values.operands.front());
  }
  values.set(*find_option(Command::sample, "threads"), std::to_string(threads), "threads");  // not in the record
  const SampleRun run = run_sample(values, whole, *folder, hooks);
  if (run.any_draw) write_report_of(values, *folder, hooks.warning);
  return !run.interrupted_in_tuning && !run.result.interrupted;
}

/// Likewise; errors name the part.
bool sample_named_part(const SampledPart& part, const StanPosterior& whole, int threads, const RunHooks& hooks) {
  const auto words = [&](const Error& error) {
    return "part " + part.which().text() + " failed; it is in '" + part.folder().string() + "': " + error.what();
  };
  try {
    return sample_part(part, whole, threads, hooks);
  } catch (const UsageError& error) {
    throw UsageError(words(error));
  } catch (const OptionError& error) {
    throw OptionError(words(error));
  } catch (const Error& error) {
    if (is_interruption(error)) throw;
    throw Error(words(error));
  }
}

std::vector<std::uint64_t> all_numbers(std::uint64_t parts) {
  std::vector<std::uint64_t> numbers(parts);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  return numbers;
}

/// What the threads share, and the calling thread waits for.
class PartsInProgress {
 public:
  PartsInProgress(std::size_t parts, const PartsHooks& hooks) : shares_(parts), hooks_(hooks) {}

  RunHooks hooks_of(std::size_t part, const std::string& name) {
    RunHooks own;
    own.interrupt = &stop_;
    own.progress = [this, part, chains = std::make_shared<std::vector<double>>()](const Progress& progress) {
      const std::lock_guard lock(mutex_);
      if (chains->size() <= progress.chain) chains->resize(progress.chain + 1);
      (*chains)[progress.chain] = static_cast<double>(progress.iteration) /
                                  static_cast<double>(std::max<std::uint64_t>(1, progress.iterations));
      shares_[part] = std::accumulate(chains->begin(), chains->end(), 0.0) / static_cast<double>(chains->size());
    };
    own.warning = [this, name](const RunWarning& warning) {
      if (!warning.remark) warn("part " + name + ": " + warning.text);
    };
    return own;
  }

  /// Passes on a warning that begins with its part, unless another part has given the same.
  void warn(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (hooks_.warning && known_.insert(text.substr(text.find(": "))).second) hooks_.warning(text);
  }

  /// failure: null after success.
  void end(std::size_t part, bool finished, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    finished_ += finished;
    if (finished) shares_[part] = 1;
    if (failure && (!failure_ || part < failed_)) {
      failure_ = std::move(failure);
      failed_ = part;
    }
    if (failure_) stop_.store(true);
  }

  bool stopped() const { return stop_.load(); }

  /// Adds the failure of another rank.
  void fail(std::exception_ptr failure) { end(shares_.size(), false, std::move(failure)); }

  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_all();
  }

  /// Until so many threads have left, and meanwhile() returns true.
  void wait(std::size_t threads, const std::function<bool()>& meanwhile) {
    for (bool others = false; !others;) {
      others = meanwhile();
      std::unique_lock lock(mutex_);
      others = changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return left_ == threads; }) && others;
      if (hooks_.interrupt && hooks_.interrupt->load()) stop_.store(true);
      if (hooks_.progress)
        hooks_.progress({finished_, shares_.size(),
                         std::accumulate(shares_.begin(), shares_.end(), 0.0) / static_cast<double>(shares_.size())});
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<double> shares_;
  std::set<std::string> known_;
  std::size_t finished_ = 0, left_ = 0, failed_ = 0;
  std::exception_ptr failure_;
  const PartsHooks& hooks_;
};

}  // namespace

PartsRun::PartsRun(const OptionValues& call, const Subposterior& all) : call_(call) {
  const std::string out = call.text("out");
  if (out.empty())
    throw UsageError(call.where("subposterior") + ": each part is sampled into a folder of its own; add " +
                     call.written("out", "DIR"));
  others_ = parts_of_other_divisions(out, all.parts);
  if (!others_.empty() && !call.flag("overwrite"))
    throw UsageError(call.where("out") + ": '" + out + "' holds parts of another division (" +
                     others_.front().folder.filename().string() + ", for example, is part " +
                     others_.front().which.text() + "); name another folder, or add " + call.written("overwrite") +
                     " to replace them");
  open_parts(all.parts, all_numbers(all.parts));
}

PartsRun::PartsRun(const OptionValues& call, const Subposterior& all, const std::vector<std::uint64_t>& numbers)
    : call_(call) {
  open_parts(all.parts, numbers);
}

void PartsRun::open_parts(std::uint64_t parts, const std::vector<std::uint64_t>& numbers) {
  for (const std::uint64_t number : numbers) {
    const SampledPart& part = parts_.emplace_back(call_, Subposterior{number, parts});
    states_.push_back(part.is_finished() ? State::finished_before : State::open);
  }
}

void PartsRun::remove_previous() const {
  if (!call_.flag("overwrite")) return;
  for (const auto& part : parts_) remove_run(part.folder());
  for (const auto& part : others_) remove_run(part.folder);
}

bool PartsRun::is_finished() const {
  return std::all_of(states_.begin(), states_.end(),
                     [](State state) { return state == State::finished || state == State::finished_before; });
}

bool PartsRun::sample(const StanPosterior& whole, const PartsHooks& hooks, RankLeader* ranks) {
  remove_previous();
  const auto count = static_cast<std::size_t>(ranks ? ranks->communicator().size() : 1);
  std::vector<std::vector<std::size_t>> shares(count);  // by rank
  std::size_t open_parts = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (states_[k] == State::open) shares[open_parts++ % count].push_back(k);
  PartsInProgress progress(parts_.size(), hooks);
  std::vector<std::size_t> busy;  // ranks
  for (std::size_t rank = 1; rank < count && !shares[rank].empty(); ++rank) {
    std::vector<std::uint64_t> numbers;
    for (const std::size_t k : shares[rank]) numbers.push_back(parts_[k].which().part);
    ranks->start_parts(static_cast<int>(rank), call_, numbers);
    busy.push_back(rank);
  }

  const auto& own = shares.front();
  const int threads = call_.threads() > 0 ? call_.threads() : hardware_threads();
  const auto workers = std::min(own.size(), static_cast<std::size_t>(threads));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at = next++; at < own.size() && !progress.stopped(); at = next++) {
      const std::size_t k = own[at];
      bool finished = false;
      std::exception_ptr failure;
      try {
        finished = sample_named_part(parts_[k], whole, threads / static_cast<int>(workers),
                                     progress.hooks_of(k, parts_[k].which().text()));
        states_[k] = finished ? State::finished : State::interrupted;
      } catch (...) {
        failure = std::current_exception();
      }
      progress.end(k, finished, failure);
    }
    progress.leave();
  };
  std::vector<std::thread> pool;
  for (std::size_t k = 0; k < workers; ++k) pool.emplace_back(work);
  bool told = false;
  progress.wait(workers, [&] {
    if (progress.stopped() && !told)
      for (const std::size_t rank : busy) ranks->stop(static_cast<int>(rank));
    told = told || progress.stopped();
    std::erase_if(busy, [&](std::size_t rank) {
      try {
        const auto warn = [&](const std::string& text) { progress.warn(text); };
        if (!ranks->parts_have_ended(static_cast<int>(rank), warn)) return false;
        check_remote(*ranks, static_cast<int>(rank), shares[rank], progress.stopped());
      } catch (...) {
        progress.fail(std::current_exception());
      }
      return true;
    });
    return busy.empty();
  });
  for (auto& thread : pool) thread.join();
  progress.rethrow_failure();
  return is_finished();
}

/// Takes over the states of parts that another rank has sampled. If it was stopped, it has not begun some of them.
void PartsRun::check_remote(RankLeader& ranks, int rank, const std::vector<std::size_t>& share, bool stopped) {
  for (const std::size_t k : share) {
    const nlohmann::ordered_json record = record_in(parts_[k].folder());
    const bool begun = is_run_record(record) && (call_.flag("overwrite") || record != parts_[k].record());
    if (!begun && stopped) continue;
    if (!begun)
      throw FileError(ranks.communicator().name_of(rank) + " has sampled part " + parts_[k].which().text() + ", but '" +
                      parts_[k].folder().string() +
                      "' is not here: name a folder on a file system that all machines share");
    states_[k] = record.value("status", "") == "finished" ? State::finished : State::interrupted;
  }
}

std::vector<PartLine> PartsRun::lines() const {
  std::vector<PartLine> lines;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (states_[k] != State::open)
      lines.push_back(line_of_part(parts_[k].which(), parts_[k].folder(), states_[k] == State::finished_before));
  return lines;
}

void sample_some_parts(const OptionValues& call, const StanPosterior& whole, const std::vector<std::uint64_t>& numbers,
                       const std::atomic<bool>& interrupt, const std::function<void(const std::string& text)>& warn) {
  PartsHooks hooks;
  hooks.interrupt = &interrupt;
  hooks.warning = warn;
  PartsRun(call, subposterior_from(call.text("subposterior")).value(), numbers).sample(whole, hooks);
}

}  // namespace sgmcmc
