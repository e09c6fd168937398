// The report of a run while it goes on, served to a browser on this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace sgmcmc {

struct WatchOptions {
  std::uint16_t port = 0;                        ///< of 127.0.0.1; 0: any that is free
  double linger = 30;                            ///< seconds without a request, after the run has ended
  const std::atomic<bool>* interrupt = nullptr;  ///< ends the watch
};

/// Serves the report of a run folder, made anew as draws are added, but so rarely that the run is hardly slowed.
/// Returns when the run has ended and nobody looks any more, or when interrupted. ready: told the address. The folder
/// is only read. Throws FileError where there is no run.
void watch_run(const std::filesystem::path& folder, const WatchOptions& options,
               const std::function<void(const std::string& address)>& ready);

}  // namespace sgmcmc
