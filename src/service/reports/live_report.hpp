// Serves the report of a run to a browser on this machine, while the run goes on.
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

/// Serves the report of a run folder. Regenerates it as draws are added, but rarely enough not to slow down the run.
/// Returns when the run has ended and no browser asks for the page any more, or when interrupted. ready: called with
/// the address. Only reads the folder. Throws FileError if it holds no run.
void watch_run(const std::filesystem::path& folder, const WatchOptions& options,
               const std::function<void(const std::string& address)>& ready);

}  // namespace sgmcmc
