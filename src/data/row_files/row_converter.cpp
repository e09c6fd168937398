// Loops without a branch for each number; where one is refused, it is looked for again.
#include "data/row_files/row_converter.hpp"

#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace sgmcmc {

const std::byte* RowConverter::convert(SourceType type, const std::byte* values, std::uint64_t first,
                                       std::uint64_t count) {
  const std::size_t numbers = static_cast<std::size_t>(count) * width_;
  const auto from = [&](auto zero) {
    return convert_from(reinterpret_cast<const decltype(zero)*>(values), first, numbers);
  };
  switch (type) {
    case SourceType::float64: return from(double{0});
    case SourceType::float32: return from(float{0});
    case SourceType::int64: return from(std::int64_t{0});
    case SourceType::int8: return from(std::int8_t{0});
    case SourceType::uint8: return from(std::uint8_t{0});
    case SourceType::int16: return from(std::int16_t{0});
    default: return from(std::int32_t{0});
  }
}

template <class Source>
const std::byte* RowConverter::convert_from(const Source* values, std::uint64_t first, std::size_t numbers) {
  if constexpr (std::is_floating_point_v<Source>) require_finite(values, values, first, numbers);
  switch (type_) {
    case StorageType::float64: return as<double>(values, first, numbers);
    case StorageType::float32: return as<float>(values, first, numbers);
    default: return as<std::int32_t>(values, first, numbers);
  }
}

template <class Target, class Source>
const std::byte* RowConverter::as(const Source* values, std::uint64_t first, std::size_t numbers) {
  if constexpr (std::is_same_v<Target, Source>) {
    return reinterpret_cast<const std::byte*>(values);
  } else {
    converted_.resize(numbers * sizeof(Target));
    auto* to = reinterpret_cast<Target*>(converted_.data());
    if constexpr (std::is_same_v<Target, std::int32_t> && (sizeof(Source) > 4 || std::is_floating_point_v<Source>)) {
      for (std::size_t k = 0; k < numbers; ++k) {
        const bool fits = values[k] >= Source(std::numeric_limits<std::int32_t>::min()) &&
                          static_cast<double>(values[k]) <= double{std::numeric_limits<std::int32_t>::max()};
        to[k] = fits ? static_cast<std::int32_t>(values[k]) : 0;
        if (!fits || static_cast<Source>(to[k]) != values[k])
          refuse(first, k, static_cast<double>(values[k]), "; integers are whole numbers within 32 bits");
      }
    } else {
      for (std::size_t k = 0; k < numbers; ++k) to[k] = static_cast<Target>(values[k]);
      if constexpr (std::is_same_v<Target, float>) require_finite(to, values, first, numbers);
    }
    return converted_.data();
  }
}

/// values: in which refused elements are shown.
template <class Number, class Source>
void RowConverter::require_finite(const Number* numbers, const Source* values, std::uint64_t first,
                                  std::size_t count) const {
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  constexpr auto exponent = std::bit_cast<Bits>(std::numeric_limits<Number>::infinity());
  Bits any = 0;
  for (std::size_t k = 0; k < count; ++k) any |= (std::bit_cast<Bits>(numbers[k]) & exponent) == exponent;
  if (any == 0) return;
  for (std::size_t k = 0; k < count; ++k) {
    const auto value = static_cast<double>(values[k]);
    if (!std::isfinite(numbers[k]))
      refuse(first, k, value,
             std::isfinite(value) ? ", too large for single precision: store the column in double"
                                  : "; a row file holds finite numbers: remove the row or replace the value");
  }
}

void RowConverter::refuse(std::uint64_t first, std::size_t at, double value, const char* why) const {
  throw DataError(words_ + ": row " + std::to_string(first + at / width_ + 1) +
                  (width_ > 1 ? ", element " + std::to_string(at % width_ + 1) : "") + " is " + number_text(value) +
                  why);
}

}  // namespace sgmcmc
