// A step allocates nothing: after the first run, no run of any program allocates memory.
#include "allocations/allocation_count.hpp"
#include "plan/executor_backend.hpp"
#include "plan/models.hpp"

#include <gtest/gtest.h>
#include <Eigen/Core>

namespace sgmcmc::testing {
namespace {

class Summing final : public RowConsumer {
 public:
  void consume(std::uint32_t, std::uint32_t count, const double* values, std::int64_t) override {
    for (std::uint32_t i = 0; i < count; ++i) total += values[i];
  }
  double total = 0;
};

void expect_no_allocations(const TestModel& model, Precision precision, ThreadPool* pool, bool all_rows) {
  ExecutorOptions options;
  options.precision = precision;
  options.pool = pool;
  std::vector<std::uint32_t> indices, next;
  for (const double x : scattered(2 * 500, 0.7))
    (indices.size() < 500 ? indices : next)
        .push_back(static_cast<std::uint32_t>((x + 1) / 2 * static_cast<double>(model.data.rows())));
  RowBatch batch;
  batch.count = all_rows ? static_cast<std::uint32_t>(model.data.rows()) : 500;
  batch.indices = all_rows ? nullptr : indices.data();
  batch.next_indices = all_rows ? nullptr : next.data();
  batch.next_count = all_rows ? 0 : 500;

  const auto program = std::make_shared<const Program>(compile_program(model.outputs(), {}));
  const auto executor = make_executor(program, model.data, model.dimension(), options);
  const auto row_program = std::make_shared<const Program>(compile_program({model.row, exp(model.row)}, {}));
  const auto row_executor = make_executor(row_program, model.data, model.dimension(), options);
  std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
  Summing consumer;
  std::uint64_t first = 0;
  for (int step = 0; step < 4; ++step) {
    executor->set_point(Point::current, model.theta);
    executor->set_point(Point::centre, model.theta);
    executor->run(batch, outputs);
    row_executor->set_point(Point::current, model.theta);
    row_executor->run_rows(batch, consumer);
    if (step == 0) first = allocation_count();
  }
  EXPECT_EQ(allocation_count(), first) << model.name << (precision == Precision::float64 ? " in double" : " in float")
                                       << (all_rows ? ", all rows" : ", a batch") << (pool ? ", threads" : "");
  EXPECT_TRUE(std::isfinite(outputs[0]) && std::isfinite(consumer.total));
}

TEST(Allocations, Counter_SeesNewAndMalloc) {
  if (!counts_malloc()) GTEST_SKIP() << "the allocator cannot be watched here";
  auto before = allocation_count();
  const auto one = std::make_unique<std::vector<double>>(10);
  EXPECT_EQ(allocation_count(), before + 2);
  before = allocation_count();
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(400, 400);
  const Eigen::MatrixXd b = a * a;
  EXPECT_GT(allocation_count(), before + 2) << "the product itself allocates: that is why plans do not use it";
  EXPECT_TRUE(std::isfinite(b.sum()) && one->size() == 10);
}

TEST(Allocations, AfterTheFirstRun_None) {
  if (!counts_malloc()) GTEST_SKIP() << "the allocator cannot be watched here";
  ThreadPool pool(2);
  const std::vector<TestModel> models{logistic_regression(6'000),
                                      network(3'000),
                                      network(1'200, 784, 100, 10),  // blocks beyond what fits on the stack
                                      random_effects(6'000),
                                      sparse_regression(6'000),
                                      mixture(6'000),
                                      multivariate_normal(1'000, 150)};
  for (const auto& model : models) {
    for (const auto precision : {Precision::float64, Precision::float32}) {
      expect_no_allocations(model, precision, nullptr, false);
      expect_no_allocations(model, precision, &pool, true);
    }
  }
}

}  // namespace
}  // namespace sgmcmc::testing
