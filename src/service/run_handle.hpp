// A run on its own thread, so that the caller can check for signals and show progress while waiting.
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
  void abort() { interrupt_ = true; }            ///< ends the run, which keeps its draws so far
  std::pair<std::string, double> state() const;  ///< phase, and the completed fraction of its work
  /// Wall-clock seconds of each phase that has ended.
  std::map<std::string, double> times() const;
  /// Waits for the end of the run. Rethrows its exception.
  std::shared_ptr<RunResult> result();

 private:
  void begin(RunPhase phase);
  void note(const Progress& progress);
  void add_time();  ///< to the present phase

  std::size_t chains_;
  Work work_;  // may own objects of the front end: destroyed with the handle, never on the thread
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
  std::thread thread_;  // declared last: it uses the other members
};

}  // namespace sgmcmc
