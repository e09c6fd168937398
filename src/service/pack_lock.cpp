// Locks by flock(), on a file that still has its name once it is locked.
#include "service/pack_lock.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace sgmcmc {
namespace {

/// False if the process that held the lock has removed the file meanwhile: others would lock another one.
bool has_name(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/// Removes the file unless it has contents: then it is not one of ours, which are empty.
void remove_if_empty(int descriptor, const std::string& path) {
  struct stat opened {};
  if (::fstat(descriptor, &opened) == 0 && opened.st_size == 0) ::unlink(path.c_str());
}

}  // namespace

PackLock::PackLock(const std::string& file) : path_(file + ".lock") {
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return;
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const bool held = errno == EWOULDBLOCK;
      if (!held) remove_if_empty(descriptor_, path_);  // a file system without locks
      ::close(descriptor_);
      descriptor_ = -1;
      if (held) throw FileError("'" + file + "' is being written by another process; wait for it, or end it first");
      return;
    }
    if (has_name(descriptor_, path_)) return;
    ::close(descriptor_);
  }
}

PackLock::~PackLock() {
  if (descriptor_ < 0) return;
  remove_if_empty(descriptor_, path_);
  ::close(descriptor_);
}

}  // namespace sgmcmc
