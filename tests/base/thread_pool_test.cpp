// The thread pool runs every index exactly once, passes exceptions to the caller, and starts no thread if it has only
// one.
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <sgmcmc/error.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sgmcmc {
namespace {

class ThreadPoolOf : public ::testing::TestWithParam<int> {};

TEST_P(ThreadPoolOf, EveryIndex_RunsOnceByAWorkerInRange) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
    std::vector<std::atomic<int>> runs(count);
    std::atomic<bool> in_range{true};
    pool.for_each(count, [&](std::size_t index, int worker) {
      runs[index].fetch_add(1);
      if (worker < 0 || worker >= pool.threads()) in_range = false;
    });
    for (auto& run : runs) EXPECT_EQ(run.load(), 1);
    EXPECT_TRUE(in_range);
  }
}

TEST_P(ThreadPoolOf, ManyShortLoops_NeverMixTheirResults) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> results(16);
  for (std::size_t loop = 0; loop < 20000; ++loop) {
    // Plain writes: a lost or late iteration shows as a wrong sum, and as a race to the thread sanitizer.
    pool.for_each(results.size(), [&](std::size_t index, int) { results[index] = loop + index; });
    std::size_t sum = 0;
    for (const std::size_t result : results) sum += result;
    ASSERT_EQ(sum, 16 * loop + 120);
  }
}

TEST_P(ThreadPoolOf, Workers_NeverOverlapThemselves) {
  ThreadPool pool(GetParam());
  std::vector<long> sums(static_cast<std::size_t>(pool.threads()));
  for (int loop = 0; loop < 50; ++loop) {
    pool.for_each(500, [&](std::size_t index, int worker) { sums[static_cast<std::size_t>(worker)] += long(index); });
  }
  long total = 0;
  for (const long sum : sums) total += sum;
  EXPECT_EQ(total, 50L * 499 * 500 / 2);
}

TEST_P(ThreadPoolOf, Exception_ReachesTheCallerAndThePoolLivesOn) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(pool.for_each(64,
                               [&](std::size_t index, int) {
                                 if (index % 16 == 5) throw std::runtime_error("body");
                               }),
                 std::runtime_error);
    std::atomic<int> runs{0};
    pool.for_each(64, [&](std::size_t, int) { runs.fetch_add(1); });
    EXPECT_EQ(runs.load(), 64);
  }
}

TEST_P(ThreadPoolOf, SeveralCallers_TakeTurns) {
  ThreadPool pool(GetParam());
  std::vector<std::thread> callers;
  std::vector<long> totals(3);
  for (std::size_t caller = 0; caller < totals.size(); ++caller) {
    callers.emplace_back([&, caller] {
      std::vector<long> cells(64);
      for (int loop = 0; loop < 200; ++loop)
        pool.for_each(cells.size(), [&](std::size_t i, int) { cells[i] += long(i); });
      for (const long cell : cells) totals[caller] += cell;
    });
  }
  for (auto& caller : callers) caller.join();
  for (const long total : totals) EXPECT_EQ(total, 200L * 63 * 64 / 2);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, ::testing::Values(1, 2, 3, 7));

TEST(ThreadPool, OneThread_RunsInOrderInTheCaller) {
  ThreadPool pool(1);
  std::vector<std::size_t> order;
  pool.for_each(5, [&, caller = std::this_thread::get_id()](std::size_t index, int worker) {
    EXPECT_EQ(worker, 0);
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, ThreadsOutOfRange_IsAnOptionError) {
  EXPECT_THROW(ThreadPool(-1), OptionError);
  EXPECT_THROW(ThreadPool(100000), OptionError);
  EXPECT_EQ(ThreadPool(0).threads(), hardware_threads());
  EXPECT_GE(hardware_threads(), 1);
}

}  // namespace
}  // namespace sgmcmc
