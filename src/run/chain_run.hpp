// One chain of a run: what it needs, and what it leaves beside its draws.
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

/// What one chain gives: its moments, and whether it ran to the end.
struct ChainOutcome {
  RunningMoments moments;
  ZeroVariance zero_variance;
  std::vector<StepReduction> reductions;
  ChainWarmup warmup;
  bool interrupted = false;
  double earlier_seconds = 0;  ///< before it was resumed
};

/// Where draws are kept.
std::vector<DrawsSink*> stores_of(const SampleOptions& options, SampleResult& result);

/// Draws of one chain, to wherever they go.
struct DrawsOut {
  const SampleOptions& options;
  std::uint32_t number;
  SampleResult& result;
  RunningMoments& moments;

  void operator()(std::span<const double> values, double weight, double step_size,
                  std::span<const double> statistics = {});
  /// Without the moments.
  void hand_on(std::span<const double> values, double weight, double step_size, std::span<const double> statistics);
};

/// Runs a chain, and stops early where another one has failed. result: where its draws go.
ChainOutcome run_chain(const std::shared_ptr<RunSetup>& setup, std::uint32_t number, SampleResult& result,
                       const std::atomic<bool>& another_failed);

}  // namespace sgmcmc
