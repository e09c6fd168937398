// Results are bit-identical for every tile size and number of threads.
#include "plan/executor_backend.hpp"
#include "plan/models.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace sgmcmc::testing {
namespace {

struct Batches {
  explicit Batches(std::int64_t rows) {
    all.count = static_cast<std::uint32_t>(rows);
    // About 90 % of the rows, some of them twice, in random order, with different weights.
    for (const double x : scattered(rows * 9 / 10, 0.7))
      indices.push_back(static_cast<std::uint32_t>((x + 1) / 2 * static_cast<double>(rows)));
    weights = scattered(static_cast<std::int64_t>(indices.size()), 0.1);
    picked.count = static_cast<std::uint32_t>(indices.size());
    picked.indices = indices.data();
    picked.weights = weights.data();
  }
  RowBatch all, picked;
  std::vector<std::uint32_t> indices;
  std::vector<double> weights;
};

std::vector<double> results(const TestModel& model, const std::shared_ptr<const Program>& program,
                            const RowBatch& batch, const ExecutorOptions& options) {
  const auto executor = make_executor(program, model.data, model.dimension(), options);
  executor->set_point(Point::current, model.theta);
  std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
  executor->run(batch, outputs);
  const auto first = outputs;
  executor->run(batch, outputs);
  EXPECT_EQ(first, outputs) << "a second run differs from the first";
  return outputs;
}

void expect_same_bits(const TestModel& model) {
  const auto program = std::make_shared<const Program>(compile_program(model.outputs(), {}));
  const Batches batches(model.data.rows());
  ThreadPool one(1), two(2), seven(7);
  for (const auto precision : {Precision::float64, Precision::float32}) {
    for (const RowBatch* batch : {&batches.all, &batches.picked}) {
      ExecutorOptions options;
      options.precision = precision;
      const auto expected = results(model, program, *batch, options);
      for (const double value : expected) ASSERT_TRUE(std::isfinite(value));
      for (const int tile_rows : {16, 48, 64, 256, 1000, 5000}) {
        for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &one, &two, &seven}) {
          options.tile_rows = tile_rows;
          options.pool = pool;
          const auto got = results(model, program, *batch, options);
          EXPECT_EQ(got, expected) << model.name << ", tiles of " << tile_rows << " rows, "
                                   << (pool ? pool->threads() : 0) << " threads, "
                                   << (precision == Precision::float64 ? "double" : "float");
        }
      }
    }
  }
}

TEST(IdenticalResults, LogisticRegression_ForAnyTileAndThreads) { expect_same_bits(logistic_regression(10'000)); }
TEST(IdenticalResults, NetworkWithProducts_ForAnyTileAndThreads) {
  const auto model = network(3'000);
  EXPECT_TRUE(compile_program(model.outputs(), {}).has_products);
  expect_same_bits(model);
}
TEST(IdenticalResults, ProductsWithOneColumn_ForAnyTileAndThreads) {
  // One output of 200 inputs, for which a library may use a different code path for vectors.
  expect_same_bits(network(1'500, 200, 1, 70));
}
TEST(IdenticalResults, RandomEffects_ForAnyTileAndThreads) { expect_same_bits(random_effects(10'000)); }
TEST(IdenticalResults, SparseRegression_ForAnyTileAndThreads) { expect_same_bits(sparse_regression(5'000)); }
TEST(IdenticalResults, Mixture_ForAnyTileAndThreads) { expect_same_bits(mixture(10'000)); }
TEST(IdenticalResults, FloatStorage_ForAnyTileAndThreads) {
  expect_same_bits(logistic_regression(5'000, Precision::float32));
  expect_same_bits(network(1'500, 20, 12, 8, Precision::float32));
}

TEST(IdenticalResults, PerRowOutputs_ForAnyTile) {
  for (const auto& model :
       {logistic_regression(300), network(600), random_effects(300), sparse_regression(300), mixture(300)}) {
    const auto outputs = model.row_outputs();
    const auto program = std::make_shared<const Program>(compile_program(outputs, {}));
    const Batches batches(model.data.rows());
    std::vector<std::int64_t> sizes;
    for (const auto& output : outputs) sizes.push_back(output.shape().size());
    for (const RowBatch* batch : {&batches.all, &batches.picked}) {
      std::optional<std::vector<std::vector<double>>> expected;
      for (const int tile_rows : {0, 16, 48, 256, 1000}) {
        ExecutorOptions options;
        options.tile_rows = tile_rows;
        const auto executor = make_executor(program, model.data, model.dimension(), options);
        executor->set_point(Point::current, model.theta);
        RowCollector collector(sizes, batch->count);
        executor->run_rows(*batch, collector);
        ASSERT_EQ(collector.seen(), batch->count);
        if (!expected) expected = collector.collected();
        EXPECT_EQ(collector.collected(), *expected) << model.name << ", tiles of " << tile_rows << " rows";
      }
    }
  }
}

TEST(Executor, TileRows_AreWholeRowBlocks) {
  const auto plain = std::make_shared<const Program>(compile_program(logistic_regression(100).outputs(), {}));
  const auto products = std::make_shared<const Program>(compile_program(network(100).outputs(), {}));
  const auto data = logistic_regression(100), network_data = network(100);
  for (const auto& [wanted, rounded] : {std::pair{1, 16}, {16, 16}, {17, 32}, {1000, 1008}}) {
    ExecutorOptions options;
    options.tile_rows = wanted;
    EXPECT_EQ(make_executor(plain, data.data, data.dimension(), options)->tile_rows(), rounded);
  }
  ExecutorOptions options;
  options.tile_rows = 300;
  EXPECT_EQ(make_executor(products, network_data.data, network_data.dimension(), options)->tile_rows(), 512);
}

}  // namespace
}  // namespace sgmcmc::testing
