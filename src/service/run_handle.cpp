// Runs work on a thread: its progress, its result, and any exception.
#include "service/run_handle.hpp"

#include <algorithm>
#include <chrono>

namespace sgmcmc {
namespace {
constexpr const char* phase_names[] = {"tuning", "sampling", "log likelihoods", "judging", "done"};
}  // namespace

RunHandle::RunHandle(std::size_t chains, Work work) : chains_(chains), work_(std::move(work)) {
  thread_ = std::thread([this] {
    RunHooks hooks;
    hooks.interrupt = &interrupt_;
    hooks.phase = [this](RunPhase phase) { begin(phase); };
    hooks.progress = [this](const Progress& progress) { note(progress); };
    try {
      result_ = std::make_shared<RunResult>(work_(hooks));
      result_->options.interrupt = nullptr;  // the options outlive this handle
      result_->options.progress = nullptr;
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard<std::mutex> own(mutex_);
    add_time();
    ended_ = true;
    wake_.notify_all();
  });
}

RunHandle::~RunHandle() {
  abort();
  join();
}

void RunHandle::join() {
  if (thread_.joinable()) thread_.join();
}

bool RunHandle::wait(double seconds) {
  std::unique_lock<std::mutex> own(mutex_);
  wake_.wait_for(own, std::chrono::duration<double>(seconds), [&] { return ended_; });
  return ended_;
}

std::map<std::string, double> RunHandle::times() const {
  const std::lock_guard<std::mutex> own(mutex_);
  std::map<std::string, double> named;
  for (const auto& [phase, seconds] : times_) named[phase_names[static_cast<std::size_t>(phase)]] = seconds;
  named.erase("done");
  return named;
}

void RunHandle::add_time() {
  const auto now = std::chrono::steady_clock::now();
  times_[phase_] += std::chrono::duration<double>(now - std::exchange(since_, now)).count();
}

std::pair<std::string, double> RunHandle::state() const {
  const std::lock_guard<std::mutex> own(mutex_);
  double sum = 0;
  for (const double share : shares_) sum += share;
  return {ended_ ? "done" : phase_names[static_cast<std::size_t>(phase_)],
          ended_ ? 1.0 : sum / static_cast<double>(std::max<std::size_t>(1, chains_))};
}

std::shared_ptr<RunResult> RunHandle::result() {
  {
    std::unique_lock<std::mutex> own(mutex_);
    wake_.wait(own, [&] { return ended_; });
  }
  if (failure_) std::rethrow_exception(failure_);
  return result_;
}

void RunHandle::begin(RunPhase phase) {
  const std::lock_guard<std::mutex> own(mutex_);
  add_time();
  phase_ = phase;
  shares_.clear();
}

void RunHandle::note(const Progress& progress) {
  const std::lock_guard<std::mutex> own(mutex_);
  if (shares_.size() <= progress.chain) shares_.resize(progress.chain + 1, 0.0);
  shares_[progress.chain] =
      static_cast<double>(progress.iteration) / static_cast<double>(std::max<std::uint64_t>(1, progress.iterations));
}

}  // namespace sgmcmc
