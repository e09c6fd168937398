// Numbers from their decimal text, exact to the last bit and fast in the common cases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sgmcmc {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The powers of ten that a double holds exactly.
inline constexpr double exact_power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// As parse_number, for any number.
const char* parse_hard_number(const char* text, double& value);

/// Reads digits with optional sign, point and exponent, and returns what follows them; null when there is no number, or
/// one beyond the largest double. is_whole: written without point and exponent, and within 32 bits. The text must go on
/// with a byte that belongs to no number.
inline const char* parse_number(const char* text, double& value, bool& is_whole) {
  const char* p = text;
  const bool is_negative = *p == '-';
  if (is_negative || *p == '+') ++p;
  const char* const digits = p;
  std::uint64_t mantissa = 0;
  const auto read_digits = [&] {
    for (unsigned digit; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) <= 9; ++p) {
      mantissa = mantissa * 10 + digit;  // may wrap: seen from the number of digits below
    }
  };
  read_digits();
  auto count = p - digits;
  if (*p != '.' && (*p | 0x20) != 'e') {
    if (count == 0) return nullptr;
    if (count > 18) {
      is_whole = false;
      return parse_hard_number(text, value);
    }
    is_whole = mantissa <= (is_negative ? std::uint64_t{1} << 31 : (std::uint64_t{1} << 31) - 1);
    const auto magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa));
    value = is_negative ? -magnitude : magnitude;
    return p;
  }
  is_whole = false;
  std::int64_t exponent = 0;
  if (*p == '.') {
    ++p;
    const char* const fraction = p;
    read_digits();
    exponent = fraction - p;
    count -= exponent;
  }
  if (count == 0) return nullptr;
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool is_small = *p == '-';
    if (is_small || *p == '+') ++p;
    const char* const exponent_digits = p;
    std::int64_t written = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) <= 9; ++p) {
      if (written < 100000) written = written * 10 + digit;
    }
    if (p == exponent_digits) return nullptr;
    exponent += is_small ? -written : written;
  }
  // One correctly rounded operation on two exact numbers is exact; anything else is left to the slow way.
  if (count > 19 || mantissa > (std::uint64_t{1} << 53) || exponent < -22 || exponent > 22) {
    return parse_hard_number(text, value);
  }
  double magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa));
  magnitude = exponent < 0 ? magnitude / exact_power_of_ten[-exponent] : magnitude * exact_power_of_ten[exponent];
  value = is_negative ? -magnitude : magnitude;
  return p;
}

/// Whether the whole text is a number, or one of the words for infinity (inf, infinity, with any sign and letter case).
bool read_number(std::string_view text, double& value, bool& is_whole);
/// As read_number, only for the words.
bool read_infinity(std::string_view text, double& value);
/// The shortest text that reads as this number.
std::string number_text(double value);
/// Digits that form a number too large for a double.
bool is_too_large(std::string_view text);

}  // namespace sgmcmc
