// Maps ids as written in files, integers or strings, to dense numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sgmcmc {

class IdTable {
 public:
  /// digits: texts of digits, once an id begins with a zero: 7, 07 and 007 differ.
  enum class Kind : std::uint8_t { none, numbers, digits, texts };

  /// Ids are the numbers below count themselves.
  static IdTable identity(std::uint32_t count);

  /// complaint: why the id is invalid, for messages; empty if it is valid.
  struct Found {
    std::uint32_t dense = 0;
    std::string complaint;
  };
  /// The dense number of an id; a new number for a new id. The first id determines whether ids are integers.
  Found add(std::string_view text);
  std::optional<std::uint32_t> find(std::string_view text) const;

  std::uint32_t size() const { return count_; }
  std::string name(std::uint32_t dense) const;

 private:
  std::uint32_t add_number(std::uint64_t id);
  void turn_into_texts();
  std::size_t slot_of(std::uint64_t id) const;
  void grow();

  Kind kind_ = Kind::none;
  bool is_identity_ = false;
  std::uint32_t count_ = 0;
  std::vector<std::uint64_t> numbers_;  // by dense number
  std::vector<std::uint32_t> slots_;    // dense number + 1; open addressing, a power of two
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

}  // namespace sgmcmc
