// Models with a long parameter array: groups over it complete sums over rows, take sums of arrays and write outputs on
// the way. Values are compared with plain loops; sums have the same bits for every number of threads. Planted mistakes
// found: sums that take whole packs at the end of an array, and kernels that read sums over rows before they are
// complete.
#include "plan/long_arrays.hpp"
#include "plan/executor_backend.hpp"
#include "plan/models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace sgmcmc::testing {
namespace {

constexpr std::int64_t elements = long_array + 619;  // not whole packs, nor whole strips
constexpr double scale = 1.7;
constexpr std::uint32_t rows = 2'100;

/// Rows select elements of w; the prior of w has its scale after it in memory, where whole packs would read it.
struct LongModel {
  explicit LongModel(bool with_others) {
    ModelMaker make("long", rows, Precision::float64);
    const auto w = make.parameter(Shape{elements});
    const auto s = make.parameter(Shape{});
    const auto of_row = gather(w, make.integer("g", static_cast<int>(elements))) * make.real("x", Shape{});
    const auto likelihood = row_sum(row_weight() * of_row);
    const auto value = likelihood - 0.5 * sum(square(w / s)) - sum(abs(w));
    outputs = differentiate(value, {w, s});
    outputs.insert(outputs.begin(), value);
    const auto sums = differentiate(likelihood, {w}).front();
    if (with_others) {
      outputs.push_back(sums);
      outputs.push_back(cumulative_sum(sums));
    }
    model = make.finish(of_row);
    model.theta.back() = scale;
  }
  TestModel model;
  std::vector<Expression> outputs;
};

std::vector<double> outputs_of(const LongModel& made, std::uint32_t count, const ExecutorOptions& options,
                               const PlanOptions& plan = {}) {
  const auto program = std::make_shared<const Program>(compile_program(made.outputs, plan));
  const auto executor = make_executor(program, made.model.data, made.model.dimension(), options);
  executor->set_point(Point::current, made.model.theta);
  std::vector<double> outputs(static_cast<std::size_t>(executor->output_size()));
  RowBatch batch;
  batch.count = count;
  for (const double weight : {5.0, 3.0}) {  // what a run leaves behind must not show in the next
    batch.uniform_weight = weight;
    std::fill(outputs.begin(), outputs.end(), -77.0);
    executor->run(batch, outputs);
  }
  return outputs;
}

std::vector<double> expected_of(const LongModel& made, std::uint32_t count, bool with_others) {
  const auto x = scattered(rows, 7.0 + 'x');
  const auto g = scattered_integers(rows, static_cast<int>(elements), 3.0 + 'g');
  const std::span<const double> w(made.model.theta.data(), static_cast<std::size_t>(elements));
  std::vector<double> sums(w.size());
  double value = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto j = static_cast<std::size_t>(g[i]);
    sums[j] += 3 * x[i];
    value += 3 * x[i] * w[j];
  }
  std::vector<double> all{0.0};
  for (std::size_t j = 0; j < w.size(); ++j) {
    squares += w[j] * w[j];
    value -= std::abs(w[j]);
    all.push_back(sums[j] - w[j] / (scale * scale) - (w[j] > 0 ? 1 : -1));
  }
  all[0] = value - 0.5 * squares / (scale * scale);
  all.push_back(squares / (scale * scale * scale));
  if (with_others) {
    all.insert(all.end(), sums.begin(), sums.end());
    std::partial_sum(sums.begin(), sums.end(), std::back_inserter(all));
  }
  return all;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
}

TEST(LongArrays, ValuesAndGradients_AreThoseOfPlainLoops) {
  for (const bool with_others : {false, true}) {  // other kernels read the sums over rows, before the group or after it
    const LongModel made(with_others);
    for (const std::uint32_t count : {100U, 600U, rows}) {  // sums of one chunk, of few and of many
      const auto expected = expected_of(made, count, with_others);
      expect_near(outputs_of(made, count, {}), expected, 1e-11);
      PlanOptions plan;
      plan.disabled_passes.insert("elementwise_fusion");
      expect_near(outputs_of(made, count, {}, plan), expected, 1e-11);
      ExecutorOptions options;
      options.precision = Precision::float32;
      expect_near(outputs_of(made, count, options), expected, 2e-5);
    }
  }
}

TEST(LongArrays, Threads_LeaveEveryBitAsItIs) {
  const LongModel made(true);
  ThreadPool two(2), five(5);
  for (const auto precision : {Precision::float64, Precision::float32}) {
    ExecutorOptions options;
    options.precision = precision;
    const auto expected = outputs_of(made, rows, options);
    for (ThreadPool* pool : {&two, &five}) {
      options.pool = pool;
      EXPECT_EQ(outputs_of(made, rows, options), expected) << pool->threads() << " threads";
    }
  }
}

TEST(LongArrays, PriorTerms_AreComputedAfterTheRowsInOneGroupWithTheirSums) {
  const LongModel made(false);
  const auto program = compile_program(made.outputs, {});
  const auto long_values = [&](const std::vector<Instruction>& instructions) {
    return std::count_if(instructions.begin(), instructions.end(), [&](const Instruction& instruction) {
      const Value& first = program.values[static_cast<std::size_t>(instruction.values[0])];
      return first.size >= long_array || is_long_sum(first);
    });
  };
  EXPECT_EQ(long_values(program.before), 0);
  EXPECT_EQ(long_values(program.after), 1);
}

}  // namespace
}  // namespace sgmcmc::testing
