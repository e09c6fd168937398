// The types in which numbers are stored, in memory and in row files, and reading integers of any width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sgmcmc {

/// Row files hold the numbers of these types: new ones go to the end.
enum class StorageType : std::uint8_t { float64, float32, int32, sparse, int8, uint8, int16 };

constexpr bool is_integer(StorageType type) {
  return type == StorageType::int32 || type == StorageType::int8 || type == StorageType::uint8 ||
         type == StorageType::int16;
}

/// Bytes of one number; not for sparse columns.
constexpr std::size_t storage_bytes(StorageType type) {
  switch (type) {
    case StorageType::float64: return 8;
    case StorageType::int16: return 2;
    case StorageType::int8:
    case StorageType::uint8: return 1;
    default: return 4;
  }
}

constexpr const char* storage_name(StorageType type) {
  switch (type) {
    case StorageType::float64: return "float64";
    case StorageType::float32: return "float32";
    case StorageType::int32: return "int32";
    case StorageType::sparse: return "sparse";
    case StorageType::int8: return "int8";
    case StorageType::uint8: return "uint8";
    case StorageType::int16: return "int16";
  }
  return "";
}

/// Calls visit with a zero of the C++ type of an integer type.
template <class Visit>
constexpr decltype(auto) visit_integer_type(StorageType type, Visit&& visit) {
  switch (type) {
    case StorageType::int8: return visit(std::int8_t{0});
    case StorageType::uint8: return visit(std::uint8_t{0});
    case StorageType::int16: return visit(std::int16_t{0});
    default: return visit(std::int32_t{0});
  }
}

/// Element of a row of an integer column.
inline std::int32_t integer_at(StorageType type, const std::byte* row, std::int64_t element) {
  if (type == StorageType::int32) [[likely]]
    return reinterpret_cast<const std::int32_t*>(row)[element];
  return visit_integer_type(
      type, [&](auto zero) -> std::int32_t { return reinterpret_cast<const decltype(zero)*>(row)[element]; });
}

/// The least and the greatest of some integers.
struct IntegerRange {
  std::int64_t least = 0, most = -1;  ///< of none

  bool is_empty() const { return most < least; }
  template <class Integer>
  void add(std::span<const Integer> values) {
    if (values.empty()) return;
    Integer low = values[0], high = values[0];
    for (const Integer value : values) {
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    const bool first = is_empty();
    least = first || low < least ? low : least;
    most = first || high > most ? high : most;
  }
  /// The smallest type that holds them all; int32 where none does.
  StorageType narrowest() const {
    if (is_empty() || (least >= -128 && most <= 127)) return StorageType::int8;
    if (least >= 0 && most <= 255) return StorageType::uint8;
    return least >= -32768 && most <= 32767 ? StorageType::int16 : StorageType::int32;
  }
};

}  // namespace sgmcmc
