// The bytes of a message: numbers, strings and arrays, one after another, in their memory representation.
#pragma once

#include "ranks/communicator.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sgmcmc {

class MessageWriter {
 public:
  template <class T>
  MessageWriter& put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class T>
  MessageWriter& put_all(std::span<const T> values) {
    put<std::uint64_t>(values.size());
    if (!values.empty()) bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  MessageWriter& put_text(std::string_view text) {
    put<std::uint64_t>(text.size());
    bytes_.append(text);
    return *this;
  }
  MessageWriter& put_bytes(std::string_view bytes) {  ///< without their number
    bytes_.append(bytes);
    return *this;
  }
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Throws RankError if the message ends too early: the other rank runs another version of the program.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, front(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    const auto count = take<std::uint64_t>();
    if (count > rest_.size() / sizeof(T)) too_short();
    std::vector<T> values(count);
    const auto from = front(count * sizeof(T));
    if (count > 0) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  std::string_view take_text() { return front(take<std::uint64_t>()); }
  std::string_view take_bytes(std::uint64_t size) { return front(size); }
  std::string_view rest() const { return rest_; }

 private:
  [[noreturn]] static void too_short() {
    throw RankError("a message of another rank cannot be read: is it the same version of the program?");
  }
  std::string_view front(std::uint64_t size) {
    if (size > rest_.size()) too_short();
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace sgmcmc
