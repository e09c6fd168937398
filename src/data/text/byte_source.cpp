// Reads bytes from files and memory, with look-ahead.
#include "data/text/byte_source.hpp"

#include "data/text/unpack.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sgmcmc {

namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, std::string path, std::optional<std::uint64_t> size)
      : descriptor_(descriptor), path_(std::move(path)), remaining_(size) {}
  ~FileSource() override { ::close(descriptor_); }

  std::size_t read(std::span<char> target) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, target.data(), target.size());
      if (count >= 0) {
        const auto bytes = static_cast<std::size_t>(count);
        if (remaining_) *remaining_ -= std::min<std::uint64_t>(*remaining_, bytes);
        return bytes;
      }
      if (errno != EINTR) throw DataError(path_ + ": cannot be read: " + std::strerror(errno));
    }
  }
  std::optional<std::uint64_t> remaining() const override { return remaining_; }

 private:
  int descriptor_;
  std::string path_;
  std::optional<std::uint64_t> remaining_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const char> text) : text_(text) {}
  std::size_t read(std::span<char> target) override {
    const std::size_t count = std::min(target.size(), text_.size());
    std::copy_n(text_.data(), count, target.data());
    text_ = text_.subspan(count);
    return count;
  }
  std::optional<std::uint64_t> remaining() const override { return text_.size(); }

 private:
  std::span<const char> text_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw DataError(path + ": cannot be opened: " + std::strerror(errno) +
                    ". Give the path of a data file that exists");
  }
  struct stat status {};
  std::optional<std::uint64_t> size;
  if (::fstat(descriptor, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      ::close(descriptor);
      throw DataError(path + ": is a folder. Give the path of a data file");
    }
    if (S_ISREG(status.st_mode)) size = static_cast<std::uint64_t>(status.st_size);
  }
#if defined(POSIX_FADV_SEQUENTIAL)
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  return std::make_unique<FileSource>(descriptor, path, size);
}

std::unique_ptr<ByteSource> memory_source(std::span<const char> text) { return std::make_unique<MemorySource>(text); }

Input::Input(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)) {
  const std::string_view magic = peek(6);
  if (is_packed(magic)) {
    source_ = unpacked(name_, std::move(source_), magic);
    head_.clear();
  }
}

std::string_view Input::peek(std::size_t count) {
  std::size_t held = head_.size() - head_begin_;
  if (held < count) {
    head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(head_begin_));
    head_begin_ = 0;
    head_.resize(count);
    while (held < count) {
      const std::size_t more = source_->read(std::span(head_).subspan(held));
      if (more == 0) break;
      held += more;
    }
    head_.resize(held);
  }
  return {head_.data() + head_begin_, std::min(count, held)};
}

std::size_t Input::read(std::span<char> target) {
  std::size_t count = std::min(target.size(), head_.size() - head_begin_);
  std::copy_n(head_.data() + head_begin_, count, target.data());
  skip(count);
  while (count < target.size()) {
    const std::size_t more = source_->read(target.subspan(count));
    if (more == 0) break;
    count += more;
  }
  return count;
}

void Input::skip(std::size_t count) {
  head_begin_ += count;
  if (head_begin_ == head_.size()) {
    head_ = {};
    head_begin_ = 0;
  }
}

std::optional<std::uint64_t> Input::remaining() const {
  const auto beyond = source_->remaining();
  if (!beyond) return std::nullopt;
  return *beyond + (head_.size() - head_begin_);
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "'";
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 32 || byte == 127) {
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      result += c;
    }
  }
  return result + (text.size() > most ? "...'" : "'");
}

}  // namespace sgmcmc
