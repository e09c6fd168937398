// Saves and restores one chain of a run with its draws and elapsed time.
#pragma once

#include "base/checkpoint.hpp"

#include <sgmcmc/draws.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace sgmcmc {

class ChainSaver {
 public:
  /// visit: visits the state of the chain and everything derived from it except its draws, which are in `stores`.
  /// Restores the saved state if the run is resumed.
  ChainSaver(const CheckpointOptions& options, std::uint32_t chain, std::vector<DrawsSink*> stores,
             std::function<void(StateVisitor& visitor)> visit)
      : checkpoint_(options, chain), chain_(chain), stores_(std::move(stores)), visit_(std::move(visit)) {
    checkpoint_.restore([this](StateVisitor& reader) { show(reader, &DrawsSink::restore_state); });
  }

  void save_if_due(std::uint64_t iteration) {
    checkpoint_.save_if_due(iteration, [this](StateVisitor& writer) { show(writer, &DrawsSink::save_state); });
  }
  void save(std::uint64_t iteration) {
    checkpoint_.save(iteration, [this](StateVisitor& writer) { show(writer, &DrawsSink::save_state); });
  }
  /// Seconds of the runs that this one continues.
  double earlier_seconds() const { return earlier_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  void show(StateVisitor& visitor, void (DrawsSink::*way)(std::size_t, StateVisitor&)) {
    const double now = std::chrono::duration<double>(Clock::now() - start_).count();
    double seconds = earlier_seconds_ + now;
    visitor.visit("seconds", seconds);
    earlier_seconds_ = seconds - now;
    visit_(visitor);
    for (DrawsSink* store : stores_) (store->*way)(chain_, visitor);
  }

  ChainCheckpoint checkpoint_;
  std::uint32_t chain_;
  std::vector<DrawsSink*> stores_;
  std::function<void(StateVisitor&)> visit_;
  Clock::time_point start_ = Clock::now();
  double earlier_seconds_ = 0;
};

}  // namespace sgmcmc
