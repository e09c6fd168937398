// Writes NPY and IDX content for tests, byte by byte from the description of the formats.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc::testing {

template <class T>
std::string bytes_of(T value, bool is_big_endian) {
  std::string bytes(sizeof(T), '\0');
  std::copy_n(reinterpret_cast<const char*>(&value), sizeof(T), bytes.begin());
  if (is_big_endian != (std::endian::native == std::endian::big)) std::ranges::reverse(bytes);
  return bytes;
}

template <class T>
std::string bytes_of_all(const std::vector<T>& values, bool is_big_endian) {
  std::string bytes;
  for (const T value : values) bytes += bytes_of(value, is_big_endian);
  return bytes;
}

inline std::string npy_header(const std::string& type, const std::string& order, const std::string& shape,
                              int version = 1) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  while ((text.size() + 11 + (version > 1 ? 2 : 0)) % 64 != 0) text += ' ';
  text += '\n';
  std::string head = "\x93NUMPY";
  head += static_cast<char>(version);
  head += '\0';
  head += version == 1 ? bytes_of(static_cast<std::uint16_t>(text.size()), false)
                       : bytes_of(static_cast<std::uint32_t>(text.size()), false);
  return head + text;
}

inline std::string idx_header(int type, const std::vector<std::uint32_t>& dims) {
  std::string head{'\0', '\0', static_cast<char>(type), static_cast<char>(dims.size())};
  return head + bytes_of_all(dims, true);
}

}  // namespace sgmcmc::testing
