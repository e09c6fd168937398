// The SIGBUS handler, and the list of mapped files.
#include "data/lost_file.hpp"

#include "data/mapped_file.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace sgmcmc {
namespace {

std::array<std::atomic<const MappedFile*>, 64> mapped_files{};
static_assert(std::atomic<const MappedFile*>::is_always_lock_free);  // required in a signal handler

std::atomic<bool> ends_program = false;  // may be set while threads read files
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic_flag is_ending;
struct sigaction earlier {};

void write_text(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t now = ::write(STDERR_FILENO, text, left);
    if (now <= 0) return;
    text += now;
    left -= static_cast<std::size_t>(now);
  }
}

/// Ends the program if it is one that ends here.
void name_lost_file(const MappedFile& file) {
  if (ends_program && is_ending.test_and_set())
    while (true) ::pause();  // another thread writes the message and ends the program
  write_text(::isatty(STDERR_FILENO) ? "\r\033[Ksgmcmc: " : "sgmcmc: ");
  write_text(file.path().c_str());
  write_text(
      ": the file was cut, or its disk failed, while it was read. What was written before stays: put the whole file "
      "back and resume the run, or start it again\n");
  if (ends_program) ::_exit(1);
}

void on_bus_error(int number, siginfo_t* information, void*) {
  const auto* const address = static_cast<const std::byte*>(information->si_addr);
  for (const auto& entry : mapped_files) {
    const MappedFile* const file = entry.load();
    if (!file || address < file->bytes().data() || address >= file->bytes().data() + file->bytes().size()) continue;
    name_lost_file(*file);
    break;
  }
  sigaction(number, &earlier, nullptr);  // which gets the signal, because the same access raises it again
}

void handle_bus_errors() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  struct sigaction before {};
  sigaction(SIGBUS, &action, &before);
  if (before.sa_sigaction != on_bus_error) earlier = before;
}

}  // namespace

void add_mapped_file(const MappedFile& file) {
  for (auto& entry : mapped_files) {
    const MappedFile* none = nullptr;
    if (entry.compare_exchange_strong(none, &file)) return;
  }
}

void remove_mapped_file(const MappedFile& file) {
  for (auto& entry : mapped_files) {
    const MappedFile* known = &file;
    if (entry.compare_exchange_strong(known, nullptr)) return;
  }
}

void end_with_lost_file(const MappedFile& file) {
  struct sigaction now {};
  sigaction(SIGBUS, nullptr, &now);
  if (now.sa_sigaction == on_bus_error) {
    name_lost_file(file);
    sigaction(SIGBUS, &earlier, nullptr);
  }
  ::raise(SIGBUS);
  std::abort();  // the signal was ignored
}

void end_when_a_file_is_lost() {
  ends_program = true;
  handle_bus_errors();
}

void name_files_that_are_lost() { handle_bus_errors(); }

}  // namespace sgmcmc
