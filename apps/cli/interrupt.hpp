// Sets a flag on Ctrl-C or SIGTERM, which runs poll.
#pragma once

#include <atomic>

namespace sgmcmc::cli {

/// During its lifetime, the first SIGINT or SIGTERM sets the flag, and a second one ends the program at once.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  const std::atomic<bool>* flag() const;
};

constexpr int interrupted_status = 130;

}  // namespace sgmcmc::cli
