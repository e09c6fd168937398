// Tests that integers of 8 and 16 bits give the values of the same integers in 32 bits, to the bit.
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t rows = 777;

/// Counts, group indices and a vector of integers in each row, in a type of integers.
template <class Integer>
struct Columns {
  std::vector<Integer> count, group, vector;

  Columns() {
    for (std::size_t i = 0; i < rows; ++i) {
      count.push_back(static_cast<Integer>(i * i % 7));
      group.push_back(static_cast<Integer>(i * 5 % 9));
      for (std::size_t k = 0; k < 3; ++k) vector.push_back(static_cast<Integer>((i + 11 * k) % 100));
    }
  }
  std::vector<double> draws() const {
    Model model(Dataset::Builder()
                    .borrow_integer("count", std::span<const Integer>(count))
                    .borrow_integer("group", std::span<const Integer>(group))
                    .borrow_integer("vector", std::span<const Integer>(vector), {3})
                    .build());
    const Expression effect = model.parameter("effect", {9});
    const Expression slope = model.parameter("slope", {3});
    model.prior(sum(normal_lpdf(effect, 0, 1)) + sum(normal_lpdf(slope, 0, 1)));
    model.likelihood(poisson_log_lpmf(model.row("count"),
                                      gather(effect, model.row("group")) + 0.01 * dot(model.row("vector"), slope)));
    SampleOptions options;
    options.method("sgld").step_size(1e-4);
    options.iterations = 50;
    options.chains = 1;
    const SampleResult result = sample(model, options);
    std::vector<double> all;
    for (std::size_t k = 0; k < result.draws.draws(0); ++k)
      all.insert(all.end(), result.draws.draw(0, k).begin(), result.draws.draw(0, k).end());
    EXPECT_EQ(all.size(), 50u * 12);
    return all;
  }
};

TEST(NarrowIntegers, Draws_AreThoseOf32Bits) {
  const std::vector<double> wide = Columns<std::int32_t>().draws();
  EXPECT_EQ(Columns<std::int8_t>().draws(), wide);
  EXPECT_EQ(Columns<std::uint8_t>().draws(), wide);
  EXPECT_EQ(Columns<std::int16_t>().draws(), wide);
}

}  // namespace
}  // namespace sgmcmc
