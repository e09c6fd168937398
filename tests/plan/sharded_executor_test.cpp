// Sums over the rows of shards: the same bits for every number of ranks, near those of sums in one part.
#include "data/store.hpp"
#include "plan/executor_backend.hpp"
#include "plan/models.hpp"
#include "plan/program_bytes.hpp"
#include "plan/shard_parts.hpp"
#include "plan/shard_ranks.hpp"
#include "ranks/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace sgmcmc::testing {
namespace {

/// Weighted rows in no order, and a stretch of rows in the middle.
struct SomeRows {
  explicit SomeRows(std::int64_t rows) {
    for (const double x : scattered(rows / 20, 0.4))
      indices.push_back(static_cast<std::uint32_t>((x + 1) / 2 * static_cast<double>(rows)));
    weights = scattered(static_cast<std::int64_t>(indices.size()), 0.2);
    RowBatch picked, stretch, all;
    picked.count = static_cast<std::uint32_t>(indices.size());
    picked.indices = indices.data();
    picked.weights = weights.data();
    stretch.first = static_cast<std::uint32_t>(rows / 3);
    stretch.count = static_cast<std::uint32_t>(rows / 5);
    stretch.uniform_weight = 2.5;
    all.count = static_cast<std::uint32_t>(rows);
    batches = {all, picked, stretch, RowBatch{}};
  }
  std::vector<std::uint32_t> indices;
  std::vector<double> weights;
  std::vector<RowBatch> batches;
};

std::vector<double> outputs_of(const TestModel& model, const ExecutorOptions& options) {
  const auto program = std::make_shared<const Program>(compile_program(model.outputs(), {}));
  const auto executor = make_executor(program, model.data, model.dimension(), options);
  const SomeRows rows(model.data.rows());
  std::vector<double> all;
  for (const double scale : {1.0, 0.5}) {
    auto theta = model.theta;
    for (double& x : theta) x *= scale;
    executor->set_point(Point::current, theta);
    for (const RowBatch& batch : rows.batches) {
      std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
      executor->run(batch, outputs);
      all.insert(all.end(), outputs.begin(), outputs.end());
    }
  }
  return all;
}

/// Each rank has data of its own, as processes do; rank 0 sums with the help of the others.
template <class Make>
std::vector<double> outputs_over_ranks(const Make& make, int ranks, int shards, const ExecutorOptions& options) {
  std::vector<double> found;
  run_as_ranks(ranks, [&](Communicator& communicator) {
    const TestModel model = make();
    const std::string order = "sums ";
    if (communicator.rank() == 0) {
      auto cut = std::make_shared<RowShards>(RowShards{model.data.rows(), shards, nullptr});
      if (ranks > 1) cut->others = std::make_shared<ShardRanks>(communicator, order, shards);
      model.data.store().set_shards(cut);
      found = outputs_of(model, options);
      for (int rank = 1; rank < ranks; ++rank) communicator.send(rank, channel::control, "");
      return;
    }
    ShardServer server(communicator, model.data, shards, 1 + communicator.rank() % 2);
    for (;;) {
      const std::string message = communicator.receive(0, channel::control);
      if (message.empty()) return;
      server.serve(std::string_view(message).substr(order.size()));
    }
  });
  return found;
}

template <class Make>
void expect_same_bits(const Make& make) {
  for (const auto precision : {Precision::float64, Precision::float32}) {
    ExecutorOptions options;
    options.precision = precision;
    for (const int shards : {5, 64}) {
      const auto serial = outputs_over_ranks(make, 1, shards, options);
      for (const int ranks : {2, 3, 5}) EXPECT_EQ(outputs_over_ranks(make, ranks, shards, options), serial) << ranks;
      const auto plain = outputs_of(make(), options);  // without shards
      ASSERT_EQ(plain.size(), serial.size());
      const double close = precision == Precision::float64 ? 1e-9 : 2e-3;
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_NEAR(serial[i], plain[i], close * (1 + std::abs(plain[i]))) << i;
    }
  }
}

TEST(ShardedExecutor, LogisticRegression_SameBitsForAnyNumberOfRanks) {
  expect_same_bits([] { return logistic_regression(3'000); });
}
TEST(ShardedExecutor, NetworkWithProducts_SameBitsForAnyNumberOfRanks) {
  expect_same_bits([] { return network(1'200); });
}
TEST(ShardedExecutor, RandomEffects_SameBitsForAnyNumberOfRanks) {
  expect_same_bits([] { return random_effects(2'000); });
}
TEST(ShardedExecutor, SparseRegression_SameBitsForAnyNumberOfRanks) {
  expect_same_bits([] { return sparse_regression(1'000); });
}
TEST(ShardedExecutor, FewerRowsThanShards_SameBitsForAnyNumberOfRanks) {
  expect_same_bits([] { return mixture(30); });
}

TEST(ShardedExecutor, OtherDataOnARank_GiveOtherNumbers) {  // the sums of other ranks count
  const ExecutorOptions options;
  const auto same = [] { return logistic_regression(3'000); };
  const auto serial = outputs_over_ranks(same, 1, 8, options);
  std::atomic<int> made{0};
  const auto mixed = outputs_over_ranks(
      [&] { return logistic_regression(3'000, made++ == 0 ? Precision::float64 : Precision::float32); }, 2, 8, options);
  EXPECT_NE(mixed, serial);
  EXPECT_NE(outputs_over_ranks(same, 1, 16, options), serial) << "the number of shards decides the last digits";
}

TEST(ShardParts, PartsOfABatch_KeepItsOrderAndLoseNothing) {
  const SomeRows rows(1'000);
  const RowShards cut{1'000, 7, nullptr};
  ShardParts parts(cut);
  for (const RowBatch& batch : rows.batches) {
    parts.divide(batch);
    std::uint32_t seen = 0;
    for (int shard = 0; shard < 7; ++shard) {
      const RowBatch part = parts.part(shard);
      std::uint32_t position = 0;  // in the batch, of the row before
      for (std::uint32_t i = 0; i < part.count; ++i, ++seen) {
        EXPECT_EQ(cut.shard_of(part.row(i)), shard);
        const auto matches = [&](std::uint32_t at) {
          return batch.row(at) == part.row(i) && (!batch.weights || batch.weights[at] == part.weights[i]);
        };
        while (position < batch.count && !matches(position)) ++position;
        EXPECT_LT(position++, batch.count);
      }
      EXPECT_EQ(part.uniform_weight, batch.uniform_weight);
    }
    EXPECT_EQ(seen, batch.count);
  }
}

TEST(ProgramBytes, AProgramThatWasSent_IsTheSame) {
  for (const auto& model : {logistic_regression(300), network(300), random_effects(300), sparse_regression(300)}) {
    const Program program = compile_program(model.outputs(), {});
    const std::string bytes = bytes_of_program(program);
    EXPECT_EQ(bytes_of_program(program_of_bytes(bytes)), bytes);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50)
      EXPECT_THROW(program_of_bytes(std::string_view(bytes).substr(0, size)), RankError);
  }
}

}  // namespace
}  // namespace sgmcmc::testing
