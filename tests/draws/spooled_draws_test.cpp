// Draws on disk: small sets that stay in memory, and larger ones, are read back as written.
#include "draws/spooled_draws.hpp"
#include "draws/folders.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <thread>

namespace sgmcmc {
namespace {

using testing::TestFolder;

std::vector<double> record(std::size_t chain, std::size_t draw) {
  const double value = static_cast<double>(draw) + 0.25 * static_cast<double>(chain);
  return {1.0 + value, -value, 10.0 * value, 100.0 * value};  // weight, a statistic, two parameters
}

TEST(SpooledDraws, FewAndMany_AreReadBackAsWritten) {
  TestFolder folder;
  SpooledDraws spool(folder.path());
  const std::size_t lengths[] = {3, 50'000, 0};
  spool.begin(4, 3);
  std::vector<std::thread> threads;
  for (std::size_t chain = 0; chain < 3; ++chain)
    threads.emplace_back([&spool, &lengths, chain] {
      for (std::size_t k = 0; k < lengths[chain]; ++k) spool.write(chain, record(chain, k));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "its files have no names";

  const MemoryDraws sampler = spool.view({"s__"}, 1), draws = spool.view({"a", "b"}, 2);
  ASSERT_EQ(draws.chains(), 3u);
  for (std::size_t chain = 0; chain < 3; ++chain) {
    ASSERT_EQ(spool.records(chain), lengths[chain]);
    ASSERT_EQ(draws.draws(chain), lengths[chain]);
    for (std::size_t k = 0; k < lengths[chain]; ++k) {
      const auto expected = record(chain, k);
      ASSERT_EQ(draws.weights(chain)[k], expected[0]);
      ASSERT_EQ(sampler(chain, k, 0), expected[1]);
      ASSERT_EQ(draws(chain, k, 0), expected[2]);
      ASSERT_EQ(draws.draw(chain, k)[1], expected[3]);
    }
  }
}

TEST(SpooledDraws, ViewOutlivesTheSpool_AndItsCopies) {
  TestFolder folder;
  MemoryDraws kept;
  {
    SpooledDraws spool(folder.path());
    spool.begin(2, 1);
    for (int k = 0; k < 30'000; ++k) spool.write(0, std::vector<double>{1.0, k * 0.5});
    const MemoryDraws view = spool.view({"x"}, 1);
    kept = view;
  }
  EXPECT_EQ(kept(0, 29'999, 0), 14'999.5);
  EXPECT_EQ(kept.mean(0), 0.25 * 29'999);
}

TEST(SpooledDraws, FolderThatCannotBeWritten_IsSaid) {
  SpooledDraws spool("/nowhere");
  spool.begin(2, 1);
  EXPECT_THROW(for (int k = 0; k < 100'000; ++k) spool.write(0, std::vector<double>{1.0, 2.0}), FileError);
}

TEST(SpooledDraws, FileThatMayNotGrow_IsSaid) {
  TestFolder folder;
  SpooledDraws spool(folder.path());
  spool.begin(2, 1);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{300'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(for (int k = 0; k < 100'000; ++k) spool.write(0, std::vector<double>{1.0, 2.0}), FileError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
}

}  // namespace
}  // namespace sgmcmc
