// UTF-8 text, one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sgmcmc::stan {

struct Character {
  std::uint32_t code = 0;  ///< 0xFFFD for bytes that are not UTF-8
  std::uint32_t length = 1;
};

inline constexpr std::uint32_t replacement_character = 0xFFFD;
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The character that begins at this byte; offset must be inside the text.
inline Character character_at(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t first = byte(offset);
  if (first < 0x80) return {first, 1};
  const std::uint32_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - offset < length) return {replacement_character, 1};
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t k = offset + 1; k < offset + length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {replacement_character, 1};
    code = (code << 6) | (byte(k) & 0x3F);
  }
  // Overlong encodings, UTF-16 surrogates and codes beyond the last character are invalid.
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {replacement_character, 1};
  return {code, length};
}

/// Control characters, and those that change the display of others: always escaped.
inline bool is_invisible(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF ||
         code == replacement_character;
}

}  // namespace sgmcmc::stan
