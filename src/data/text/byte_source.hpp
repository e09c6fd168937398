// Sources of bytes: a file, memory, or the decompressed content of either; read sequentially, once, in constant memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Writes the next bytes to target and returns their number: at least one, unless the end is reached.
  virtual std::size_t read(std::span<char> target) = 0;
  /// The number of bytes left, if known.
  virtual std::optional<std::uint64_t> remaining() const { return std::nullopt; }
};

/// Throws DataError when the file cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::string& path);
/// text must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::span<const char> text);

/// A source with a name for messages, and with look-ahead.
class Input {
 public:
  /// Decompresses content compressed by gzip, zstd or xz, which is detected from the first bytes.
  Input(std::string name, std::unique_ptr<ByteSource> source);
  Input(std::string name, std::span<const char> text) : Input(std::move(name), memory_source(text)) {}

  const std::string& name() const { return name_; }

  /// The next `count` bytes, or fewer at the end, without consuming them. Valid until the next call.
  std::string_view peek(std::size_t count);
  /// Fills target, except at the end.
  std::size_t read(std::span<char> target);
  void skip(std::size_t count);  ///< bytes that were peeked
  std::optional<std::uint64_t> remaining() const;

 private:
  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> head_;  // from head_begin_ on: bytes taken from the source but not yet consumed
  std::size_t head_begin_ = 0;
};

/// Text of a file as a message shows it: in quotes, shortened, with control characters made visible.
std::string shown(std::string_view text);

}  // namespace sgmcmc
