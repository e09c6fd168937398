// Random streams: exact identities (reference generator, splitting, no shared numbers), edges and errors.
#include <gtest/gtest.h>

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <vector>

#include "base/philox.hpp"

namespace sgmcmc {
namespace {

TEST(Philox, PublishedVectors_AreReproduced) {
  // The known answers distributed with the Random123 library.
  EXPECT_EQ(philox(PhiloxWords{0, 0, 0, 0}, {0, 0}), (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox(PhiloxWords{ones, ones, ones, ones}, {ones, ones}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(PhiloxWords{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, OneAndEightBlocks_EqualTheReferenceLibrary) {
  const StreamKey key{0x123456789abcdef0, 0xabcdef, 0xfedcba987654, static_cast<Purpose>(0xbeef)};
  const PhiloxStream stream(key);
  r123::Philox4x32 reference;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xfffffffc}, PhiloxStream::block_limit - 8}) {
    const PhiloxBlocks eight = stream.blocks(VectorPack<std::uint64_t>(first) + lane_numbers());
    for (int lane = 0; lane < 8; ++lane) {
      const std::uint64_t block = first + static_cast<std::uint64_t>(lane);
      const auto high = static_cast<std::uint32_t>(block >> 32);
      const r123::Philox4x32::ctr_type counter = {
          {static_cast<std::uint32_t>(block), high | 0xabcdef00, 0xba987654, 0xbeeffedc}};
      const auto expected = reference(counter, {{0x9abcdef0, 0x12345678}});
      const PhiloxWords one = stream.block(block);
      for (std::size_t w = 0; w < 4; ++w) {
        EXPECT_EQ(one[w], expected[w]);
        EXPECT_EQ(static_cast<std::uint32_t>(eight.word[w][lane]), expected[w]);
      }
    }
  }
}

constexpr StreamKey test_key{.seed = 20, .chain = 3, .iteration = 123456, .purpose = Purpose::noise};

/// All kinds of sequences, as doubles, so that one test covers them.
struct Kind {
  const char* name;
  std::function<std::vector<double>(const StreamKey&, std::size_t count, std::uint64_t first)> fill;
};

template <class Value, class Fill>
std::vector<double> as_doubles(std::size_t count, Fill fill) {
  std::vector<Value> values(count);
  fill(std::span<Value>(values));
  return {values.begin(), values.end()};
}

std::vector<double> parameters(std::size_t count, std::uint64_t first, double scale) {
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = scale * static_cast<double>(1 + (first + i) * 7 % 31);
  return result;
}

const std::vector<Kind>& kinds() {
  using K = const StreamKey&;
  using S = std::size_t;
  using F = std::uint64_t;
  static const std::vector<Kind> all = {
      {"uniform", [](K k, S n, F f) { return as_doubles<double>(n, [&](auto out) { fill_uniform(k, out, f); }); }},
      {"normal", [](K k, S n, F f) { return as_doubles<double>(n, [&](auto out) { fill_normal(k, out, f); }); }},
      {"float", [](K k, S n, F f) { return as_doubles<float>(n, [&](auto out) { fill_normal(k, out, f); }); }},
      {"exponential",
       [](K k, S n, F f) { return as_doubles<double>(n, [&](auto out) { fill_exponential(k, out, f); }); }},
      // Almost half of all words are rejected with this bound.
      {"below", [](K k, S n,
                   F f) { return as_doubles<std::uint32_t>(n, [&](auto out) { fill_below(k, 0x80000001, out, f); }); }},
      {"log_gamma",
       [](K k, S n, F f) {
         return as_doubles<double>(n, [&](auto out) { fill_log_gamma(k, parameters(n, f, 0.1), out, f); });
       }},
      {"poisson", [](K k, S n, F f) {
         return as_doubles<double>(n, [&](auto out) { fill_poisson(k, parameters(n, f, 1.0), out, f); });
       }}};
  return all;
}

TEST(RandomStream, AnySplit_GivesTheSameNumbers) {
  for (const Kind& kind : kinds()) {
    const auto whole = kind.fill(test_key, 300, 0);
    for (const std::size_t piece : {1U, 3U, 8U, 16U, 37U, 64U, 129U}) {
      for (std::size_t start = 0; start < 300; start += piece) {
        const std::size_t count = std::min<std::size_t>(piece, 300 - start);
        const auto part = kind.fill(test_key, count, start);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(part[i], whole[start + i]) << kind.name << ' ' << start + i;
      }
    }
  }
}

TEST(RandomStream, EveryPartOfTheName_ChangesTheNumbers) {
  for (const Kind& kind : kinds()) {
    std::set<std::vector<double>> seen;
    std::vector<StreamKey> keys(8, test_key);
    keys[1].seed += 1;
    keys[2].seed += std::uint64_t{1} << 32;
    keys[3].chain += 1;
    keys[4].iteration += 1;
    keys[5].iteration += std::uint64_t{1} << 32;
    keys[6].purpose = Purpose::momentum;
    for (std::size_t k = 0; k < 7; ++k) seen.insert(kind.fill(keys[k], 16, 0));
    seen.insert(kind.fill(test_key, 16, 1 << 20));
    EXPECT_EQ(seen.size(), 8U) << kind.name;
    EXPECT_EQ(kind.fill(test_key, 16, 0), kind.fill(test_key, 16, 0));
  }
}

TEST(RandomStream, NameOutOfRange_IsAnOptionError) {
  for (const Kind& kind : kinds()) {
    StreamKey key = test_key;
    key.iteration = std::uint64_t{1} << 48;
    EXPECT_THROW(kind.fill(key, 4, 0), OptionError) << kind.name;
    key = test_key;
    key.chain = 1U << 24;
    EXPECT_THROW(kind.fill(key, 4, 0), OptionError) << kind.name;
    EXPECT_THROW(kind.fill(test_key, 4, std::uint64_t{1} << 43), OptionError) << kind.name;
    EXPECT_THROW(kind.fill(test_key, 4, ~std::uint64_t{0}), OptionError) << kind.name;
    EXPECT_NO_THROW(kind.fill(test_key, 4, std::uint64_t{1} << 33)) << kind.name;
  }
}

TEST(RandomStream, WrongParameters_AreOptionErrors) {
  std::vector<double> out(3);
  std::vector<std::uint32_t> integers(3);
  EXPECT_THROW(fill_below(test_key, 0, integers), OptionError);
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(fill_gamma(test_key, std::vector{1.0, bad, 1.0}, out), OptionError);
    EXPECT_THROW(fill_poisson(test_key, std::vector{1.0, bad, 1.0}, out), OptionError);
  }
  EXPECT_THROW(fill_poisson(test_key, std::vector{1.0, 2e15, 1.0}, out), OptionError);
  EXPECT_THROW(fill_gamma(test_key, std::vector{1.0, 1.0}, out), OptionError);
}

TEST(RandomStream, Extremes_StayInTheirRange) {
  std::vector<double> u(100000);
  fill_uniform(test_key, u);
  for (const double value : u) ASSERT_TRUE(value > 0.0 && value < 1.0);
  std::vector<std::uint32_t> below(20000);
  for (const std::uint32_t bound : {1U, 2U, 7U, 581012U, 0xffffffffU}) {
    fill_below(test_key, bound, below);
    for (const std::uint32_t value : below) ASSERT_LT(value, bound);
  }
  std::vector<double> out(4);
  fill_poisson(test_key, std::vector{0.0, 1e-300, 1e15, 9.999999}, out);
  EXPECT_EQ(out[0], 0.0);
  EXPECT_EQ(out[1], 0.0);
  EXPECT_NEAR(out[2], 1e15, 8 * std::sqrt(1e15));
  fill_log_gamma(test_key, std::vector{0.0, 1e-3, 1e-12, 1e300}, out);
  EXPECT_EQ(out[0], -std::numeric_limits<double>::infinity());
  EXPECT_LT(out[1], 3.0);
  EXPECT_LT(out[2], -1e6);
  EXPECT_NEAR(out[3], std::log(1e300), 1e-9);
  fill_gamma(test_key, std::vector{1e20, 1e15, 1e10, 1e6}, out);
  EXPECT_NEAR(out[0] / 1e20, 1.0, 8e-10);
  EXPECT_NEAR(out[2] / 1e10, 1.0, 8e-5);
}

TEST(RandomStream, EmptyRequest_WritesNothing) {
  std::vector<double> none;
  EXPECT_NO_THROW(fill_normal(test_key, none, 5));
  EXPECT_NO_THROW(fill_gamma(test_key, none, none));
}

}  // namespace
}  // namespace sgmcmc
