// Buffers are aligned, zeroed, readable one pack past their end, and move without copying.
#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <utility>

namespace sgmcmc {
namespace {

class BufferOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BufferOf, Memory_IsAlignedZeroedAndPadded) {
  const std::size_t count = GetParam();
  AlignedBuffer<double> buffer(count);
  ASSERT_EQ(buffer.size(), count);
  const bool is_huge = count * sizeof(double) >= (std::size_t{4} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (is_huge ? huge_page_bytes : 64), 0U);
  double sum = 0.0;
  for (std::size_t i = 0; i < count + 8; ++i) sum += buffer.data()[i];  // 64 bytes past the end on purpose
  EXPECT_EQ(sum, 0.0);
  for (std::size_t i = 0; i < count; ++i) buffer[i] = 1.0;
  for (const double value : std::as_const(buffer)) sum += value;
  EXPECT_EQ(sum, static_cast<double>(count));
}

INSTANTIATE_TEST_SUITE_P(Sizes, BufferOf, ::testing::Values(1, 7, 8, 1000, 524287, 524288, 1500000));

TEST(AlignedBuffer, Move_HandsOverTheMemory) {
  AlignedBuffer<int> first(100);
  first[42] = 7;
  const int* const data = first.data();
  AlignedBuffer<int> second(std::move(first));
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second[42], 7);
  AlignedBuffer<int> third(3);
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.span().size(), 100U);
}

TEST(AlignedBuffer, NoElements_OwnsNothing) {
  AlignedBuffer<float> buffer(0);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.begin(), buffer.end());
}

TEST(AlignedBuffer, MoreThanTheAddressSpace_IsBadAlloc) {
  EXPECT_THROW(AlignedBuffer<double>(std::size_t{1} << 62), std::bad_alloc);
}

}  // namespace
}  // namespace sgmcmc
