// Tests of the random order: a permutation for every N, and uniform over orders, positions and pairs.
#include "base/permutation.hpp"
#include "minibatch/chi_square.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

namespace sgmcmc {
namespace {

using Order = std::vector<std::uint32_t>;
using MakeOrder = std::function<Order(std::uint32_t rows, std::uint64_t epoch)>;

StreamKey key_of(std::uint64_t epoch) { return {33, 1, epoch, Purpose::minibatch}; }

Order whole_order(std::uint32_t rows, std::uint64_t epoch) {
  Order order(rows);
  Permutation(rows, key_of(epoch)).fill(0, order);
  return order;
}

// Mutant: i -> a i + b modulo a prime. Every row is equally likely at every position, even in pairs; orders are not.
Order affine_order(std::uint32_t rows, std::uint64_t epoch) {
  Order draws(2), order(rows);
  fill_below(key_of(epoch), rows * (rows - 1), draws);
  const std::uint32_t factor = 1 + draws[0] % (rows - 1), shift = draws[1] % rows;
  for (std::uint32_t i = 0; i < rows; ++i) order[i] = (factor * i + shift) % rows;
  return order;
}

// Mutant: a random shift. Every row is equally likely at every position; pairs are not.
Order shifted_order(std::uint32_t rows, std::uint64_t epoch) {
  Order shift(1), order(rows);
  fill_below(key_of(epoch), rows, shift);
  for (std::uint32_t i = 0; i < rows; ++i) order[i] = (i + shift[0]) % rows;
  return order;
}

TEST(Permutation, AnySize_VisitsEveryRowOnce) {
  std::vector<std::uint32_t> sizes = {1000, 4096, 4097, 65'536, 65'537, 100'003};
  for (std::uint32_t rows = 1; rows <= 130; ++rows) sizes.push_back(rows);
  for (const std::uint32_t rows : sizes) {
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      Order order = whole_order(rows, epoch);
      std::sort(order.begin(), order.end());
      for (std::uint32_t i = 0; i < rows; ++i) ASSERT_EQ(order[i], i) << rows;
    }
  }
}

TEST(Permutation, LargestSize_StaysInRange) {
  constexpr std::uint32_t rows = 4'294'967'295u;
  Order end(1000);
  Permutation(rows, key_of(0)).fill(rows - 1000, end);
  Order sorted = end;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_GT(sorted.back(), rows / 2);
  EXPECT_LT(sorted.front(), rows / 2);
}

TEST(Permutation, Pieces_AreThoseOfTheWhole) {
  const Order whole = whole_order(1000, 5);
  const Permutation permutation(1000, key_of(5));
  for (const std::uint32_t first : {0u, 1u, 127u, 128u, 500u}) {
    for (const std::uint32_t count : {1u, 129u, 300u}) {
      Order piece(count);
      permutation.fill(first, piece);
      EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + first)) << first << " " << count;
    }
  }
}

TEST(Permutation, DifferentKeys_GiveDifferentOrders) {
  EXPECT_NE(whole_order(1000, 0), whole_order(1000, 1));
  Order other(1000);
  Permutation(1000, {34, 1, 0, Purpose::minibatch}).fill(0, other);
  EXPECT_NE(whole_order(1000, 0), other);
}

double orders_p_value(std::uint32_t rows, std::uint64_t epochs, const MakeOrder& make) {
  std::map<Order, std::uint64_t> seen;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) ++seen[make(rows, epoch)];
  std::size_t orders = 1;
  for (std::uint32_t k = 2; k <= rows; ++k) orders *= k;
  std::vector<std::uint64_t> counts(orders, 0);
  std::size_t cell = 0;
  for (const auto& entry : seen) counts.at(cell++) = entry.second;
  return uniform_p_value(counts);
}

TEST(Permutation, FewRows_MakeEveryOrderEquallyLikely) {
  EXPECT_GT(orders_p_value(2, 10'000, whole_order), false_alarm);
  EXPECT_GT(orders_p_value(3, 20'000, whole_order), false_alarm);
  EXPECT_GT(orders_p_value(5, 30'000, whole_order), false_alarm);
  EXPECT_LT(orders_p_value(5, 30'000, affine_order), false_alarm);
}

// Of (rows - 1)^2 degrees of freedom, because every row of the table of counts and every column has a fixed sum.
double positions_p_value(std::uint32_t rows, std::uint64_t epochs, const MakeOrder& make) {
  std::vector<std::uint64_t> counts(std::size_t{rows} * rows, 0);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const Order order = make(rows, epoch);
    for (std::uint32_t position = 0; position < rows; ++position)
      ++counts[std::size_t{position} * rows + order[position]];
  }
  const double drawn = static_cast<double>(epochs);
  double statistic = 0;
  for (const std::uint64_t count : counts) {
    const double deviation = static_cast<double>(count) - drawn / rows;
    statistic += deviation * deviation * (rows - 1.0) / drawn;
  }
  return chi_square_tail(statistic, (rows - 1.0) * (rows - 1.0));
}

TEST(Permutation, EveryPosition_HoldsEveryRowEquallyOften) {
  EXPECT_GT(positions_p_value(64, 20'000, whole_order), false_alarm);
  EXPECT_GT(positions_p_value(101, 20'000, whole_order), false_alarm);
  EXPECT_LT(positions_p_value(101, 20'000,
                              [](std::uint32_t rows, std::uint64_t epoch) {
                                Order order = whole_order(rows, epoch);  // mutant: a transposition now and then
                                if (epoch % 4 == 0) std::swap(order[0], *std::find(order.begin(), order.end(), 0u));
                                return order;
                              }),
            false_alarm);
}

double neighbours_p_value(std::uint32_t rows, std::uint64_t epochs, std::uint32_t position, const MakeOrder& make) {
  std::vector<std::uint64_t> counts(std::size_t{rows} * (rows - 1), 0);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const Order order = make(rows, epoch);
    const std::uint32_t here = order[position], next = order[position + 1];
    ++counts[std::size_t{here} * (rows - 1) + (next > here ? next - 1 : next)];
  }
  return uniform_p_value(counts);
}

TEST(Permutation, Neighbours_AreEveryPairEquallyOften) {
  for (const std::uint32_t position : {0u, 7u, 35u}) {
    EXPECT_GT(neighbours_p_value(37, 40'000, position, whole_order), false_alarm);
  }
  EXPECT_GT(positions_p_value(37, 40'000, shifted_order), false_alarm);  // seen only by pairs
  EXPECT_LT(neighbours_p_value(37, 40'000, 0, shifted_order), false_alarm);
}

}  // namespace
}  // namespace sgmcmc
