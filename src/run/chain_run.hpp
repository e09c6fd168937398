// Runs one chain and returns its results other than draws.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/sample.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The results of one chain other than its draws.
struct ChainOutcome {
  RunningMoments moments;
  ZeroVariance zero_variance;
  std::vector<StepReduction> reductions;
  ChainWarmup warmup;
  bool interrupted = false;
  double earlier_seconds = 0;  ///< time spent before the run was resumed
};

/// The sinks that store draws.
std::vector<DrawsSink*> stores_of(const SampleOptions& options, SampleResult& result);

/// Passes the draws of one chain to the moments and to every sink.
struct DrawsOut {
  const SampleOptions& options;
  std::uint32_t number;
  SampleResult& result;
  RunningMoments& moments;

  void operator()(std::span<const double> values, double weight, double step_size,
                  std::span<const double> statistics = {});
  /// The same without updating the moments.
  void hand_on(std::span<const double> values, double weight, double step_size, std::span<const double> statistics);
};

/// Runs a chain and writes its draws to `result`. Stops early if another chain has failed.
ChainOutcome run_chain(const std::shared_ptr<RunSetup>& setup, std::uint32_t number, SampleResult& result,
                       const std::atomic<bool>& another_failed);

}  // namespace sgmcmc
