// The hard cases: many digits, large exponents, words for infinity.
#include "data/text/number_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

namespace sgmcmc {

namespace {

/// Whether the number is above one: from_chars says "out of range" for the very large and the very small alike.
bool is_above_one(const char* begin, const char* end) {
  const char* const exponent_sign = std::find_if(begin, end, [](char c) { return (c | 0x20) == 'e'; });
  const char* const point = std::find(begin, exponent_sign, '.');
  const char* const first = std::find_if(begin, exponent_sign, [](char c) { return c >= '1' && c <= '9'; });
  if (first == exponent_sign) return false;
  // Digits before the point count upwards, zeros behind it downwards.
  std::int64_t magnitude = first < point ? point - first : point + 1 - first;
  if (exponent_sign != end) {
    const char* p = exponent_sign + 1;
    const bool is_small = *p == '-';
    if (is_small || *p == '+') ++p;
    std::int64_t written = 0;
    for (; p != end; ++p) written = std::min<std::int64_t>(written * 10 + (*p - '0'), std::int64_t{1} << 50);
    magnitude += is_small ? -written : written;
  }
  return magnitude > 0;
}

}  // namespace

const char* parse_hard_number(const char* text, double& value) {
  const char* const begin = *text == '+' ? text + 1 : text;
  const char* end = begin;
  if (*end == '-') ++end;
  while (is_digit(*end)) ++end;
  if (*end == '.') ++end;
  while (is_digit(*end)) ++end;
  if ((*end | 0x20) == 'e') {
    ++end;
    if (*end == '-' || *end == '+') ++end;
    while (is_digit(*end)) ++end;
  }
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem == std::errc::result_out_of_range) {
    if (is_above_one(begin, end)) return nullptr;
    value = *begin == '-' ? -0.0 : 0.0;
    return end;
  }
  if (problem != std::errc() || stop != end || std::isinf(value)) return nullptr;
  return end;
}

bool read_infinity(std::string_view text, double& value) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() != 3 && text.size() != 8) return false;
  std::string lowered(text);
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lowered != "inf" && lowered != "infinity") return false;
  value = is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return true;
}

bool read_number(std::string_view text, double& value, bool& is_whole) {
  const std::string ended(text);  // ends in a zero byte, which belongs to no number
  const char* const end = parse_number(ended.c_str(), value, is_whole);
  if (end == ended.c_str() + ended.size() && !text.empty()) return true;
  is_whole = false;
  return read_infinity(text, value);
}

std::string number_text(double value) {
  char text[32];
  const bool is_count = std::trunc(value) == value && std::abs(value) < 1e15;  // never 3e+09
  const auto end = is_count ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed)
                            : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

bool is_too_large(std::string_view text) {
  const std::string ended(text);
  double value;
  bool is_whole;
  if (parse_number(ended.c_str(), value, is_whole) != nullptr) return false;
  const char* p = ended.c_str();
  if (*p == '-' || *p == '+') ++p;
  const char* const begin = p;
  while (is_digit(*p)) ++p;
  if (*p == '.') ++p;
  while (is_digit(*p)) ++p;
  if (p == begin || !std::any_of(begin, p, is_digit)) return false;
  if ((*p | 0x20) == 'e') {
    ++p;
    if (*p == '-' || *p == '+') ++p;
    if (!is_digit(*p)) return false;
    while (is_digit(*p)) ++p;
  }
  return p == ended.c_str() + ended.size();
}

}  // namespace sgmcmc
