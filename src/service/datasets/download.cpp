// Runs curl or wget, and collects their error messages.
#include "service/datasets/download.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <vector>

extern char** environ;

namespace sgmcmc {
namespace {

struct Ended {
  int status = 0;     ///< 127: there is no such program
  std::string words;  ///< what it wrote to stderr
};

/// Reads the output of a child process until it closes the pipe; terminates the child once the flag is set.
std::string words_of(int pipe, pid_t child, const std::atomic<bool>* interrupt) {
  std::string words;
  std::array<char, 512> some;
  for (;;) {
    if (interrupt && interrupt->load()) ::kill(child, SIGTERM);
    pollfd wait{pipe, POLLIN, 0};
    if (::poll(&wait, 1, 100) == 0) continue;
    const auto count = ::read(pipe, some.data(), some.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return words;
    words.append(some.data(), static_cast<std::size_t>(count));
  }
}

Ended run_program(std::vector<std::string> words, const std::atomic<bool>* interrupt) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw FileError("no pipe: " + std::generic_category().message(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Ended ended{127, ""};
  if (code == 0) {
    ended.words = words_of(ends[0], child, interrupt);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  ::close(ends[0]);
  while (!ended.words.empty() && ended.words.back() == '\n') ended.words.pop_back();
  return ended;
}

}  // namespace

void download_file(const std::string& address, const std::filesystem::path& target,
                   const std::atomic<bool>* interrupt) {
  const std::string file = target.string();
  // Transfers that stall for a minute are aborted.
  const std::vector<std::vector<std::string>> programs = {
      {"curl", "-f", "-s", "-S", "-L", "-Y", "1", "-y", "60", "-o", file, address},
      {"wget", "-nv", "-T", "60", "-t", "1", "-O", file, address}};
  for (const auto& program : programs) {
    const Ended ended = run_program(program, interrupt);
    if (interrupt && interrupt->load()) throw InterruptedError();
    if (ended.status == 127) continue;
    if (ended.status == 0) return;
    throw FileError(ended.words.empty() ? program.front() + " ended with " + std::to_string(ended.status)
                                        : ended.words);
  }
  throw FileError("neither curl nor wget is installed");
}

}  // namespace sgmcmc
