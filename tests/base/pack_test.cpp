// Packs behave as arrays of numbers worked on lane by lane, and sums of lanes do not depend on the machine.
#include "base/pack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

template <class Real>
class PackOf : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(PackOf, Reals);

template <class Real>
std::vector<Real> numbers(int count, Real start) {
  std::vector<Real> result(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    result[static_cast<std::size_t>(i)] = start + Real(0.37) * static_cast<Real>(i * i % 11) - Real(0.5) * Real(i);
  }
  return result;
}

TYPED_TEST(PackOf, Arithmetic_EqualsPlainNumbers) {
  using Real = TypeParam;
  constexpr int width = pack_width<Real>;
  EXPECT_EQ(sizeof(Pack<Real>), 64U);
  const auto a = numbers<Real>(width, Real(2.5)), b = numbers<Real>(width, Real(-1.25));
  const auto x = load(a.data()), y = load(b.data());
  for (int i = 0; i < width; ++i) {
    const Real p = a[static_cast<std::size_t>(i)], q = b[static_cast<std::size_t>(i)];
    EXPECT_EQ((x + y)[i], p + q);
    EXPECT_EQ((x - y)[i], p - q);
    EXPECT_EQ((x * y)[i], p * q);
    EXPECT_EQ((x / y)[i], p / q);
    EXPECT_EQ((x * Real(3))[i], p * Real(3));
    EXPECT_EQ((Real(3) - x)[i], Real(3) - p);
    EXPECT_EQ((-x)[i], -p);
    EXPECT_EQ(min(x, y)[i], std::min(p, q));
    EXPECT_EQ(max(x, y)[i], std::max(p, q));
    EXPECT_EQ(abs(x)[i], std::abs(p));
    EXPECT_EQ(copy_sign(x, y)[i], std::copysign(p, q));
    EXPECT_EQ(sqrt(abs(x))[i], std::sqrt(std::abs(p)));
    EXPECT_NEAR(fma(x, y, x)[i], std::fma(p, q, p), 1e-5);
    EXPECT_EQ(select(x < y, x, y)[i], p < q ? p : q);
    EXPECT_EQ((x < y)[i], p < q ? -1 : 0);
    EXPECT_EQ((x >= y)[i], p >= q ? -1 : 0);
    EXPECT_EQ((x & (x < y))[i], p < q ? p : Real(0));
  }
}

TYPED_TEST(PackOf, BroadcastOfNegativeZero_KeepsItsSign) {
  using Real = TypeParam;
  EXPECT_TRUE(std::signbit(broadcast(Real(-0.0))[3]));
  EXPECT_FALSE(std::signbit(Pack<Real>{}[3]));
}

TYPED_TEST(PackOf, NaN_GivesSecondArgumentOfMinAndMax) {
  using Real = TypeParam;
  const Pack<Real> nan = std::numeric_limits<Real>::quiet_NaN(), one = Real(1);
  EXPECT_EQ(min(nan, one)[0], Real(1));
  EXPECT_EQ(max(nan, one)[0], Real(1));
  EXPECT_TRUE(std::isnan(min(one, nan)[0]));
  EXPECT_TRUE(std::isnan(max(one, nan)[0]));
}

TYPED_TEST(PackOf, TailMask_KeepsTheFirstLanes) {
  using Real = TypeParam;
  constexpr int width = pack_width<Real>;
  for (int count = -1; count <= width + 2; ++count) {
    const auto mask = tail_mask<Real>(count);
    for (int i = 0; i < width; ++i) EXPECT_EQ(mask[i], i < count ? -1 : 0) << count;
    EXPECT_EQ(any(mask), count > 0);
    EXPECT_EQ(all(mask), count >= width);
  }
}

TYPED_TEST(PackOf, PartialLoadAndStore_TouchOnlyTheirElements) {
  using Real = TypeParam;
  constexpr int width = pack_width<Real>;
  for (int count = 0; count <= width; ++count) {
    // Exactly count elements: a sanitizer sees any read beyond.
    const auto from = numbers<Real>(count, Real(1.5));
    const auto pack = load_first(from.data(), count);
    std::vector<Real> to(static_cast<std::size_t>(width) + 1, Real(-7));
    store_first(to.data(), pack, count);
    for (int i = 0; i <= width; ++i) {
      const auto place = static_cast<std::size_t>(i);
      EXPECT_EQ(to[place], i < count ? from[place] : Real(-7));
      if (i < width) {
        EXPECT_EQ(pack[i], i < count ? from[place] : Real(0));
      }
    }
  }
}

TYPED_TEST(PackOf, OtherPrecision_ConvertsOnLoadAndStore) {
  using Real = TypeParam;
  constexpr int width = pack_width<Real>;
  const auto doubles = numbers<double>(width, 0.123456789);
  const auto floats = numbers<float>(width, 0.123456789F);
  const auto from_doubles = load_as<Real>(doubles.data());
  const auto from_floats = load_as<Real>(floats.data());
  std::vector<double> wide(static_cast<std::size_t>(width));
  std::vector<float> narrow(static_cast<std::size_t>(width));
  store_as(wide.data(), from_doubles);
  store_as(narrow.data(), from_doubles);
  for (int i = 0; i < width; ++i) {
    const auto place = static_cast<std::size_t>(i);
    EXPECT_EQ(from_doubles[i], static_cast<Real>(doubles[place]));
    EXPECT_EQ(from_floats[i], static_cast<Real>(floats[place]));
    EXPECT_EQ(wide[place], static_cast<double>(static_cast<Real>(doubles[place])));
    EXPECT_EQ(narrow[place], static_cast<float>(doubles[place]));
  }
}

TYPED_TEST(PackOf, HorizontalSum_AddsUpperHalfOntoLowerHalf) {
  using Real = TypeParam;
  constexpr int width = pack_width<Real>;
  // Sizes far apart, so that any other order of adding gives another result.
  std::vector<Real> values(static_cast<std::size_t>(width));
  for (int i = 0; i < width; ++i) {
    values[static_cast<std::size_t>(i)] = std::ldexp(Real(1) / Real(3 + i), (i * 7) % 23) * (i % 3 == 0 ? -1 : 1);
  }
  std::vector<Real> halves = values;
  for (int half = width / 2; half >= 1; half /= 2) {
    for (int i = 0; i < half; ++i) halves[static_cast<std::size_t>(i)] += halves[static_cast<std::size_t>(i + half)];
  }
  EXPECT_EQ(horizontal_sum(load(values.data())), halves[0]);
  EXPECT_EQ(horizontal_max(load(values.data())), *std::max_element(values.begin(), values.end()));
}

TYPED_TEST(PackOf, HorizontalSums_EqualThoseOfEachPackToTheLastBit) {
  using Real = TypeParam;
  constexpr int width = pack_width<Real>;
  Pack<Real> packs[width];
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) packs[j].set(i, std::ldexp(Real(1) / Real(3 + i + 5 * j), (i * 7 + j * 3) % 23));
  typename Pack<Real>::Part parts[width];
  for (int j = 0; j < width; ++j) parts[j] = sum_of_parts(packs[j]);
  const auto sums = horizontal_sums<Real>(parts);
  for (int j = 0; j < width; ++j) EXPECT_EQ(sums[j], horizontal_sum(packs[j])) << j;
}

TYPED_TEST(PackOf, AnyLaneSet_IsSeenWhereverItIs) {
  using Real = TypeParam;
  for (int lane = 0; lane < pack_width<Real>; ++lane) {
    auto mask = tail_mask<Real>(0);
    mask.set(lane, -1);
    EXPECT_TRUE(any(mask));
    EXPECT_FALSE(all(mask));
    EXPECT_FALSE(all(~mask));
  }
}

TEST(IntegerPacks, LowHalves_MultiplyToFullProducts) {
  const std::uint64_t garbage = 0xdeadbeef00000000;
  const VectorPack<std::uint64_t> a(garbage | 0xfffffff1), b(garbage | 0xD2511F53);
  EXPECT_EQ(multiply_low_halves(a, b)[5], std::uint64_t{0xfffffff1} * 0xD2511F53);
}

TEST(IntegerPacks, ShiftsAndConversions_EqualPlainNumbers) {
  const VectorPack<std::int64_t> a(std::int64_t{-12345});
  EXPECT_EQ((a >> 3)[2], std::int64_t{-12345} >> 3);
  EXPECT_EQ((a << 3)[2], std::int64_t{-12345} * 8);
  EXPECT_EQ(convert<double>(a)[7], -12345.0);
  EXPECT_EQ(convert<std::int32_t>(broadcast(-3.75F))[9], -3);
  EXPECT_EQ(bits_as<std::int64_t>(broadcast(1.0))[0], 0x3ff0000000000000);
}

}  // namespace
}  // namespace sgmcmc
