// Signal handlers: the one place of the program with state of its own, because signals leave no other.
#include "cli/interrupt.hpp"

#include <csignal>

namespace sgmcmc::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler must not touch it

void on_signal(int) { interrupted.store(true, std::memory_order_relaxed); }

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // A second signal finds the default again. Reads and writes in progress go on.
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(number, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted.store(false, std::memory_order_relaxed);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, as a full disk is
}

InterruptWatch::~InterruptWatch() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

const std::atomic<bool>* InterruptWatch::flag() const { return &interrupted; }

}  // namespace sgmcmc::cli
