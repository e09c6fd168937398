// Messages between ranks, simulated by threads: order, waiting, ends of ranks, and collective functions.
#include "ranks/communicator.hpp"
#include "ranks/message.hpp"
#include "ranks/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

namespace sgmcmc {
namespace {

TEST(ThreadRanks, MessagesOfOneChannel_ArriveInOrder) {
  run_as_ranks(3, [](Communicator& ranks) {
    constexpr int messages = 200;
    if (ranks.rank() > 0) {
      for (int i = 0; i < messages; ++i) {
        ranks.send(0, 20, std::to_string(i));
        ranks.send(0, 21, "other " + std::to_string(i));
      }
      return;
    }
    for (int from = 2; from >= 1; --from)
      for (int i = 0; i < messages; ++i) EXPECT_EQ(ranks.receive(from, 20), std::to_string(i));
    for (int from = 1; from <= 2; ++from)
      for (int i = 0; i < messages; ++i) EXPECT_EQ(ranks.receive(from, 21), "other " + std::to_string(i));
    EXPECT_FALSE(std::string(ranks.name_of(1)).empty());
  });
}

TEST(ThreadRanks, RankThatEnds_IsAnErrorForThoseThatWait) {
  EXPECT_THROW(run_as_ranks(2,
                            [](Communicator& ranks) {
                              if (ranks.rank() == 0) ranks.receive(1, 20);
                            }),
               RankError);
  EXPECT_THROW(run_as_ranks(3,
                            [](Communicator& ranks) {
                              if (ranks.rank() == 1) throw DataError("its own mistake");
                              ranks.receive(1, 20);
                            }),
               DataError);
}

TEST(Broadcast, AnyNumberOfRanks_AllHaveWhatRankZeroHas) {
  for (int size = 1; size <= 9; ++size)
    run_as_ranks(size, [&](Communicator& ranks) {
      for (int round = 0; round < 3; ++round) {
        const std::string text = "round " + std::to_string(round);
        EXPECT_EQ(broadcast(ranks, ranks.rank() == 0 ? text : "nothing"), text);
      }
    });
}

TEST(Barrier, AllHaveArrived_BeforeAnyGoesOn) {
  std::atomic<int> arrived{0};
  run_as_ranks(5, [&](Communicator& ranks) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      barrier(ranks);
      EXPECT_GE(arrived.load(), 5 * round);
      barrier(ranks);
    }
  });
}

TEST(Exchange, MessagesOfAnySize_GoEachToItsRank) {
  run_as_ranks(4, [](Communicator& ranks) {
    std::vector<std::string> texts;
    std::vector<Posting> messages;
    std::vector<int> others;
    for (int other = 0; other < ranks.size(); ++other)
      texts.push_back(std::string(static_cast<std::size_t>(100000 * other), 'x') + std::to_string(ranks.rank()));
    for (int other = ranks.size() - 1; other >= 0; --other) {
      if (other == ranks.rank()) continue;
      messages.push_back({other, texts[static_cast<std::size_t>(other)]});
      others.push_back(other);
    }
    const auto received = ranks.exchange(20, messages, others);
    ASSERT_EQ(received.size(), others.size());
    for (std::size_t i = 0; i < others.size(); ++i) {
      EXPECT_EQ(received[i].size(), static_cast<std::size_t>(100000 * ranks.rank() + 1));
      EXPECT_EQ(received[i].substr(received[i].size() - 1), std::to_string(others[i]));
    }
  });
}

TEST(Ring, SizeSteps_BringEveryBlockHome) {
  run_as_ranks(4, [](Communicator& ranks) {
    std::string block = std::to_string(ranks.rank());
    std::set<std::string> seen;
    for (int step = 0; step < ranks.size(); ++step) {
      seen.insert(block);
      block = exchange_around_ring(ranks, block);
    }
    EXPECT_EQ(block, std::to_string(ranks.rank()));
    EXPECT_EQ(seen.size(), 4u);
  });
}

TEST(Message, WhatWasPut_IsTaken) {
  MessageWriter writer;
  const std::vector<double> numbers = {1.5, -0.0, 3e300};
  writer.put(7).put_text("a text").put_all(std::span<const double>(numbers)).put_all(std::span<const double>());
  MessageReader reader(writer.bytes());
  EXPECT_EQ(reader.take<int>(), 7);
  EXPECT_EQ(reader.take_text(), "a text");
  EXPECT_EQ(reader.take_all<double>(), numbers);
  EXPECT_TRUE(reader.take_all<double>().empty());
  EXPECT_THROW(reader.take<char>(), RankError);
}

TEST(Message, TruncatedAnywhere_IsRefused) {
  MessageWriter writer;
  const std::vector<double> numbers(5, 1.0);
  writer.put_text("name").put_all(std::span<const double>(numbers));
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    MessageReader reader(std::string_view(writer.bytes()).substr(0, size));
    EXPECT_THROW(
        {
          reader.take_text();
          reader.take_all<double>();
        },
        RankError)
        << size;
  }
}

}  // namespace
}  // namespace sgmcmc
