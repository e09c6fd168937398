// Tests that numbers are read exactly, to the last bit, by the fast and the slow path.
#include "data/text/number_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

/// The bits of strtod's answer (correctly rounded in glibc) and of ours must be the same.
void expect_exact(const std::string& text) {
  const auto expected = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
  double value = 0;
  bool is_whole = false;
  ASSERT_TRUE(read_number(text, value, is_whole)) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(value), expected) << text;
  const bool was_whole = is_whole;
  for (const char* const behind : {",", "\n", ".", "-1", "\x80", ",1234567890123456789012345678901"}) {
    if (*behind == '.' && text.find('.') == std::string::npos) continue;
    const std::string padded = text + behind + std::string(32, '7');
    const char* const end = parse_padded_number(padded.c_str(), value, is_whole);
    EXPECT_EQ(end, padded.c_str() + text.size()) << padded;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), expected) << padded;
    EXPECT_EQ(is_whole, was_whole) << padded;
    // If the fast path accepts a field, its value and its end must be right.
    const char* const found = find_within_sixteen(padded.c_str(), *behind);
    EXPECT_EQ(found, padded.c_str() + std::min<std::size_t>(padded.find(*behind), 16)) << padded;
    if (read_short_decimal(padded.c_str(), found, value)) {
      EXPECT_EQ(found, padded.c_str() + text.size()) << padded;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(value), expected) << padded;
    }
  }
}

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

TEST(Numbers, HardCases_AreExact) {
  for (const char* text :
       {"0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "+1",
        "1.",
        ".5",
        "-.5",
        "1e0",
        "1E+5",
        "1e-5",
        "123456789012345678",
        "1234567890123456789",
        "9999999999999999999",
        "18446744073709551616",
        "99999999999999999999999999",
        "9007199254740993",
        "9007199254740992",
        "9007199254740991e22",
        "9007199254740993e-22",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "8.5e22",
        "0.1",
        "0.3",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "5e-324",
        "2e-324",
        "1e-400",
        "-1e-400",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "179769313486231570000e288",
        "0.000000000000000000000000000000000000000000000000000000000000012345678901234567890123456789",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "0e99999",
        "0.0e-99999",
        "1e-99999999999999999999",
        "000000000000000000000000000000123",
        "0.00000000000000000000001",
        "123456.7890123456789"}) {
    expect_exact(text);
  }
}

TEST(Numbers, RandomDoublesInAllForms_AreExact) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    expect_exact(printed("%.17g", value));
    expect_exact(printed("%.16e", value));
    expect_exact(printed("%.6g", value));
  }
}

TEST(Numbers, ShortDecimals_AreExact) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 20'000; ++i) {
    const double value = (uniform(random) - 0.5) * std::pow(10.0, 12 * uniform(random));
    for (const char* format : {"%.0f", "%.1f", "%.4f", "%.9f", "%.15f", "%.17f"}) expect_exact(printed(format, value));
  }
}

TEST(Numbers, HalfwayBetweenDoublesAndBesideIt_AreExact) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t odd = (std::uint64_t{1} << 53) + (random() >> 12) % (std::uint64_t{1} << 53) / 2 * 2 + 1;
    expect_exact(std::to_string(odd) + ".0");
    expect_exact(std::to_string(odd / 2) + ".5");
    expect_exact(std::to_string(odd / 2) + ".49");
    expect_exact(std::to_string(odd / 2) + ".51");
    expect_exact(std::to_string(odd / 4) + (odd % 4 == 1 ? ".25" : ".75"));
    const std::string digits = std::to_string(odd * 1000 + random() % 1000);  // nineteen, with the point anywhere
    for (std::size_t at = 1; at < digits.size(); ++at) expect_exact(digits.substr(0, at) + "." + digits.substr(at));
    for (const char* const zeros : {"0.", "0.0", "-0.00", "0.0000"}) expect_exact(zeros + digits);
  }
}

TEST(Numbers, ShortDecimals_AreTakenTheFastWayAndNothingElseIs) {
  const auto is_taken = [](const std::string& text) {
    const std::string padded = text + "," + std::string(32, '7');
    double value = 0;
    return read_short_decimal(padded.c_str(), find_within_sixteen(padded.c_str(), ','), value);
  };
  for (const char* text : {"0.5", "-0.25", "1.", "-9.12345678", "3.0"}) EXPECT_TRUE(is_taken(text)) << text;
  for (const char* text :
       {"", "-", "1", "12.5", "+1.5", "1.5e3", "1.5\r", "1.5\n2", "--1.5", ".5", "1.123456789", "a.5"})
    EXPECT_FALSE(is_taken(text)) << text;
}

TEST(Numbers, Whole_MeansAnIntegerWithin32Bits) {
  const auto is_whole = [](const std::string& text) {
    double value;
    bool whole = false;
    EXPECT_TRUE(read_number(text, value, whole)) << text;
    return whole;
  };
  for (const char* text : {"0", "-0", "7", "-2147483648", "2147483647", "+5", "0000000001"})
    EXPECT_TRUE(is_whole(text)) << text;
  for (const char* text : {"1.0", "1e2", "2147483648", "-2147483649", "99999999999999999999", "inf"}) {
    EXPECT_FALSE(is_whole(text)) << text;
  }
}

TEST(Numbers, WhatIsNone_IsRefused) {
  double value;
  bool is_whole;
  for (const char* text : {"",   "-",    "+",   ".",  "-.", "e5",    "1e",  "1e+",     "1e-",   "1.2.3",  "1,5",  "abc",
                           "1x", "0x10", "--1", "1 ", " 1", "1e5.5", "nan", "infinit", "1e309", "-1e309", "2e308"}) {
    EXPECT_FALSE(read_number(text, value, is_whole)) << text;
  }
}

TEST(Numbers, WordsForInfinity_AreRead) {
  double value;
  bool is_whole;
  for (const char* text : {"inf", "Inf", "INF", "infinity", "Infinity", "+inf"}) {
    ASSERT_TRUE(read_number(text, value, is_whole)) << text;
    EXPECT_EQ(value, std::numeric_limits<double>::infinity());
  }
  for (const char* text : {"-inf", "-Inf", "-INF", "-infinity", "-Infinity"}) {
    ASSERT_TRUE(read_number(text, value, is_whole)) << text;
    EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
  }
}

TEST(Numbers, TooLarge_IsToldFromNonsense) {
  for (const char* text : {"1e309", "-1e309", "1e99999999999", "9999999999999999999e300"})
    EXPECT_TRUE(is_too_large(text)) << text;
  for (const char* text : {"1e308", "1e", "abc", "", "1e309x", "."}) EXPECT_FALSE(is_too_large(text)) << text;
}

}  // namespace
}  // namespace sgmcmc
