// Rows of one variable, converted to what a row file stores.
#pragma once

#include "data/row_files/row_source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

class RowConverter {
 public:
  /// words: where the variable comes from, for messages.
  RowConverter(StorageType type, std::size_t width, std::string words)
      : type_(type), width_(width), words_(std::move(words)) {}

  /// Valid until the next call. first: the number of the first of these rows. Throws DataError that names the row of a
  /// number that is not finite, or does not fit.
  const std::byte* convert(SourceType type, const std::byte* values, std::uint64_t first, std::uint64_t count);

 private:
  template <class Source>
  const std::byte* convert_from(const Source* values, std::uint64_t first, std::size_t numbers);
  template <class Target, class Source>
  const std::byte* as(const Source* values, std::uint64_t first, std::size_t numbers);
  template <class Number, class Source>
  void require_finite(const Number* numbers, const Source* values, std::uint64_t first, std::size_t count) const;
  [[noreturn]] void refuse(std::uint64_t first, std::size_t at, double value, const char* why) const;

  StorageType type_;
  std::size_t width_;
  std::string words_;
  std::vector<std::byte> converted_;
};

}  // namespace sgmcmc
