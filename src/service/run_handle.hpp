// A run on a thread of its own: whoever waits for it looks for signals and shows progress.
#pragma once

#include <sgmcmc/run.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sgmcmc {

class RunHandle {
 public:
  using Work = std::function<RunResult(const RunHooks& hooks)>;

  RunHandle(std::size_t chains, Work work);
  ~RunHandle();  ///< ends the run
  RunHandle(const RunHandle&) = delete;
  RunHandle& operator=(const RunHandle&) = delete;

  bool wait(double seconds);                     ///< true once the run has ended
  void join();                                   ///< waits until its thread has ended
  void abort() { interrupt_ = true; }            ///< the run ends with the draws there are
  std::pair<std::string, double> state() const;  ///< phase, and the share of its work that is done
  /// Seconds of wall clock by phase, of those that have ended.
  std::map<std::string, double> times() const;
  /// Waits for the end. Throws what the run threw.
  std::shared_ptr<RunResult> result();

 private:
  void begin(RunPhase phase);
  void note(const Progress& progress);
  void add_time();  ///< to the present phase

  std::size_t chains_;
  Work work_;  // may own objects of the front end: destroyed with the handle, never by the thread
  std::atomic<bool> interrupt_{false};
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  RunPhase phase_ = RunPhase::tuning;
  std::map<RunPhase, double> times_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::vector<double> shares_;  // by chain
  bool ended_ = false;
  std::shared_ptr<RunResult> result_;
  std::exception_ptr failure_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace sgmcmc
