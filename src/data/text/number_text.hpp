// Numbers from their decimal text, exact to the last bit and fast in the common cases.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sgmcmc {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The powers of ten that a double holds exactly.
inline constexpr double exact_power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t whole_power_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// As parse_number, for any number.
const char* parse_hard_number(const char* text, double& value);

/// mantissa / 10^places for up to 19 digits and 22 places; false where this does not tell how to round. The quotient is
/// taken as the sum of two doubles, of which the second has a relative error below 2^-51: where the sums at both ends
/// of its range round to the same double, that is the one nearest to the exact quotient.
inline bool divide_exactly(std::uint64_t mantissa, int places, double& value) {
  const double divisor = exact_power_of_ten[places];
  const auto high = static_cast<double>(mantissa);
  const auto low = static_cast<double>(static_cast<std::int64_t>(mantissa - static_cast<std::uint64_t>(high)));
  const double quotient = high / divisor;
  const double rest = (std::fma(-quotient, divisor, high) + low) / divisor;
  value = quotient + rest * (1 - 0x1p-50);
  return value == quotient + rest * (1 + 0x1p-50);
}

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
  // One correctly rounded operation on two exact numbers is exact; most others take two, or are left to the slow way.
  if (count > 19 || mantissa > (std::uint64_t{1} << 53) || exponent < -22 || exponent > 22) {
    if (count <= 19 && exponent >= -22 && exponent <= 0 &&
        divide_exactly(mantissa, static_cast<int>(-exponent), value)) {
      value = is_negative ? -value : value;
      return p;
    }
    return parse_hard_number(text, value);
  }
  double magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa));
  magnitude = exponent < 0 ? magnitude / exact_power_of_ten[-exponent] : magnitude * exact_power_of_ten[exponent];
  value = is_negative ? -magnitude : magnitude;
  return p;
}

/// Eight bytes of text, the first one lowest, as digits: how many there are before the first byte that is none.
class EightDigits {
 public:
  explicit EightDigits(const char* text) {
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&digits_, text, sizeof digits_);
    digits_ ^= 0x3030303030303030U;
    constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fU;
    const std::uint64_t others = (((digits_ & low_bits) + 0x7676767676767676U) | digits_) & ~low_bits;
    count_ = std::countr_zero(others) / 8;
  }
  int count() const { return count_; }
  /// The number that these digits are.
  std::uint64_t value() const { return value_of(count_); }
  /// The number that the first `count` of them are.
  std::uint64_t value_of(int count) const {
    const int unused_bits = 8 * (8 - count);  // up to 64, which is too many for one shift
    std::uint64_t digits = digits_ << (unused_bits / 2) << (unused_bits / 2);
    digits = digits * 10 + (digits >> 8);  // pairs of digits
    constexpr std::uint64_t pairs = 0x000000ff000000ffU;
    return ((digits & pairs) * 0x000f424000000064U + ((digits >> 16) & pairs) * 0x0000271000000001U) >> 32;
  }

 private:
  std::uint64_t digits_ = 0;
  int count_ = 0;
};

/// As parse_number, without a branch for every digit: those are hard to predict. The 32 bytes from `text` on must be
/// readable, whatever they are.
inline const char* parse_padded_number(const char* text, double& value, bool& is_whole) {
  const bool is_negative = *text == '-';
  const char* p = text + is_negative;
  const auto set = [&](double magnitude) {
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | std::uint64_t{is_negative} << 63);
  };
  std::uint64_t mantissa;
  if (is_digit(*p) && p[1] == '.') {  // predicted well, and the fraction can then be read without waiting
    mantissa = static_cast<std::uint64_t>(*p - '0');
    p += 2;
  } else {
    const EightDigits whole(p);
    if (whole.count() == 0 || whole.count() == 8) return parse_number(text, value, is_whole);
    mantissa = whole.value();
    p += whole.count();
    if (*p != '.') {
      if ((*p | 0x20) == 'e') return parse_number(text, value, is_whole);
      is_whole = true;
      set(static_cast<double>(static_cast<std::int64_t>(mantissa)));
      return p;
    }
    ++p;
  }
  is_whole = false;
  const std::uint64_t before_point = mantissa;
  const EightDigits fraction(p);
  int places = fraction.count();
  mantissa = mantissa * whole_power_of_ten[places] + fraction.value();
  p += places;
  if (places == 8) {  // up to here at most fifteen digits, below 2^53
    if (before_point >= 1000) return parse_number(text, value, is_whole);
    const EightDigits more(p);
    mantissa = mantissa * whole_power_of_ten[more.count()] + more.value();
    p += more.count();
    places += more.count();
    for (; more.count() == 8 && is_digit(*p) && mantissa < 1'000'000'000'000'000'000U && places < 22; ++places)
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (is_digit(*p)) return parse_number(text, value, is_whole);
    if ((mantissa >> 53) != 0 && (*p | 0x20) != 'e') {
      if (!divide_exactly(mantissa, places, value)) return parse_number(text, value, is_whole);
      set(value);
      return p;
    }
  }
  if ((*p | 0x20) == 'e') return parse_number(text, value, is_whole);
  set(static_cast<double>(static_cast<std::int64_t>(mantissa)) / exact_power_of_ten[places]);
  return p;
}

/// Where `wanted` first occurs in the next sixteen bytes, all of which must be readable; behind them where it does not.
inline const char* find_within_sixteen(const char* text, char wanted) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  std::uint64_t words[2];
  std::memcpy(words, text, sizeof words);
  int bits[2];
  for (int k = 0; k < 2; ++k) {
    words[k] ^= static_cast<unsigned char>(wanted) * ones;
    bits[k] = std::countr_zero((words[k] - ones) & ~words[k] & (ones << 7));
  }
  return text + (bits[0] < 64 ? bits[0] : 64 + bits[1]) / 8;
}

/// Reads what nearly all fields of a table of reals are: a digit, a point and up to eight digits, with or without a
/// minus sign. False where it is anything else. Where the next field begins is known before this one is read, so that a
/// processor works on several at a time. The 16 bytes from `text` on must be readable.
inline bool read_short_decimal(const char* text, const char* end, double& value) {
  const bool is_negative = *text == '-';
  const char* const p = text + is_negative;
  const auto digit = static_cast<std::uint64_t>(static_cast<unsigned char>(*p)) - '0';
  const auto places = static_cast<int>(end - p) - 2;
  if (digit > 9 || p[1] != '.' || places < 0 || places > 8) return false;
  const EightDigits fraction(p + 2);
  if (fraction.count() < places) return false;
  const auto mantissa = static_cast<std::int64_t>(digit * whole_power_of_ten[places] + fraction.value_of(places));
  const double magnitude = static_cast<double>(mantissa) / exact_power_of_ten[places];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | std::uint64_t{is_negative} << 63);
  return true;
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
