// Evenly thinned draws: which are kept, and a restored chain keeps the same ones.
#include "draws/thinned_draws.hpp"

#include "base/state_bytes.hpp"
#include "draws/folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace sgmcmc {
namespace {

using testing::TestFolder;

void write(ThinnedDraws& to, std::size_t chain, std::size_t from, std::size_t until) {
  for (std::size_t k = from; k < until; ++k) {
    const auto x = static_cast<double>(k);
    to.write(chain, std::array{x, -x}, 1.0 + x);
  }
}

TEST(ThinnedDraws, LongChains_KeepOneInEachStride) {
  TestFolder folder;
  for (const std::size_t draws : {0u, 3u, 10u, 11u, 20u, 21u, 1'000u}) {
    ThinnedDraws thinned(folder.path());
    thinned.begin({"x", "y"}, 2, 10);
    write(thinned, 0, 0, draws);
    write(thinned, 1, 0, 4);
    const MemoryDraws view = thinned.view();
    const std::size_t stride = thinned.stride();
    EXPECT_EQ(stride == 1, draws <= 10) << draws;
    EXPECT_EQ(view.draws(1), 4u);
    ASSERT_EQ(view.draws(0), (draws + stride - 1) / stride) << draws;
    EXPECT_LE(view.draws(0), 10u);
    EXPECT_GE(view.draws(0), std::min<std::size_t>(draws, 5));
    for (std::size_t k = 0; k < view.draws(0); ++k) {
      EXPECT_EQ(view(0, k, 0), static_cast<double>(k * stride));
      EXPECT_EQ(view(0, k, 1), -static_cast<double>(k * stride));
      EXPECT_EQ(view.weights(0)[k], 1.0 + static_cast<double>(k * stride));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "its files have no names";
}

TEST(ThinnedDraws, WideDraws_GoToDiskAndComeBack) {
  TestFolder folder;
  ThinnedDraws thinned(folder.path());
  thinned.begin(std::vector<std::string>(3'000, "x"), 1, 40);
  std::vector<double> values(3'000);
  for (int k = 0; k < 100; ++k) {
    std::fill(values.begin(), values.end(), k);
    thinned.write(0, values, 1.0);
  }
  const MemoryDraws view = thinned.view();
  ASSERT_EQ(view.draws(0), 25u);
  for (std::size_t k = 0; k < 25; ++k) EXPECT_EQ(view(0, k, 2'999), 4.0 * static_cast<double>(k));
}

TEST(ThinnedDraws, SavedAndRestored_KeepsTheSameDraws) {
  TestFolder folder;
  for (const std::size_t at : {0u, 7u, 123u}) {
    ThinnedDraws before(folder.path()), after(folder.path()), undisturbed(folder.path());
    for (ThinnedDraws* one : {&before, &after, &undisturbed}) one->begin({"x", "y"}, 1, 10);
    write(before, 0, 0, at);
    StateWriter writer;
    before.save_state(0, writer);
    const std::string bytes = writer.take();
    StateReader reader(bytes);
    after.restore_state(0, reader);
    reader.finish();
    write(after, 0, at, 300);
    write(undisturbed, 0, 0, 300);
    const MemoryDraws found = after.view(), expected = undisturbed.view();
    ASSERT_EQ(found.draws(0), expected.draws(0));
    for (std::size_t k = 0; k < found.draws(0); ++k) EXPECT_EQ(found(0, k, 1), expected(0, k, 1));
  }
}

}  // namespace
}  // namespace sgmcmc
