// Signal handlers. The only global state of the program, because handlers can reach no other.
#include "cli/interrupt.hpp"

#include <csignal>

namespace sgmcmc::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // required in a signal handler

void on_signal(int) { interrupted.store(true, std::memory_order_relaxed); }

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // Restores the default for a second signal, and restarts interrupted reads and writes.
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(number, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted.store(false, std::memory_order_relaxed);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is then a write error, like a full disk
}

InterruptWatch::~InterruptWatch() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

const std::atomic<bool>* InterruptWatch::flag() const { return &interrupted; }

}  // namespace sgmcmc::cli
