// Write, fsync, rename, fsync of the folder.
#include "base/atomic_file.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace sgmcmc {
namespace {

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto now = ::write(descriptor, bytes.data(), bytes.size());
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return now < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(now));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

int write_new(const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  int code = write_all(descriptor, bytes);
  if (::close(descriptor) != 0 && code == 0) code = errno;
  return code;
}

/// A rename is durable only after fsync of the folder. Some file systems do not support that: ignored.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::string partial = path.string() + ".partial";
  int code = write_new(partial, bytes);
  if (code == 0 && ::rename(partial.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(partial.c_str());
    throw FileError("cannot write '" + path.string() + "': " + std::generic_category().message(code));
  }
  sync_folder(path.parent_path());
}

}  // namespace sgmcmc
