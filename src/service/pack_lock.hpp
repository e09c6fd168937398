// A lock beside a file that is being packed, so that two processes never write the same one.
#pragma once

#include <string>

namespace sgmcmc {

/// Locks FILE.lock until it is destroyed, and then removes it unless it has contents, which are of someone else; the
/// system unlocks it if the process is killed. Throws FileError if another process holds it. Does nothing in folders
/// without locks, or that cannot be written.
class PackLock {
 public:
  explicit PackLock(const std::string& file);
  ~PackLock();
  PackLock(const PackLock&) = delete;
  PackLock& operator=(const PackLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace sgmcmc
