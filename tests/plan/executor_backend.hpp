// The executor with the interface of the reference evaluator: takes expressions, a table and points, and returns
// numbers.
#pragma once

#include "plan/executor.hpp"
#include "plan/program.hpp"
#include "plan/table_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace sgmcmc::testing {

struct BackendOptions {
  RowOrder order = RowOrder::consecutive;
  Precision storage = Precision::float64;
  ExecutorOptions executor;
  PlanOptions plan;
};

/// Collects per-row outputs: for each output its rows one after another.
class RowCollector final : public RowConsumer {
 public:
  RowCollector(std::vector<std::int64_t> sizes, std::int64_t rows) : sizes_(std::move(sizes)) {
    for (const auto size : sizes_) collected_.emplace_back(static_cast<std::size_t>(size * rows));
  }
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    EXPECT_EQ(position, seen_) << "tiles come in the order of the batch";
    seen_ += count;
    std::int64_t component = 0;
    for (std::size_t output = 0; output < sizes_.size(); ++output) {
      for (std::int64_t c = 0; c < sizes_[output]; ++c, ++component) {
        for (std::uint32_t i = 0; i < count; ++i)
          collected_[output][static_cast<std::size_t>((position + i) * sizes_[output] + c)] =
              values[component * stride + i];
      }
    }
  }
  std::uint32_t seen() const { return seen_; }
  const std::vector<std::vector<double>>& collected() const { return collected_; }

 private:
  std::vector<std::int64_t> sizes_;
  std::vector<std::vector<double>> collected_;
  std::uint32_t seen_ = 0;
};

inline void set_points(Executor& executor, const ParameterVectors<double>& point) {
  executor.set_point(Point::current, point.current);
  executor.set_point(Point::centre, point.centre);
  executor.set_point(Point::direction, point.direction);
}

inline std::unique_ptr<Executor> executor_for(const std::vector<Expression>& outputs, const TableData& table,
                                              const ParameterVectors<double>& point, const BackendOptions& options) {
  auto program = std::make_shared<const Program>(compile_program(outputs, options.plan));
  const auto dimension = static_cast<std::int64_t>(point.current.size());
  auto executor = make_executor(std::move(program), table.data(), dimension, options.executor);
  set_points(*executor, point);
  return executor;
}

/// Computes global outputs by run and per-row outputs by run_rows, as reference::Backend requires.
inline std::vector<std::vector<double>> evaluate_planned(const std::vector<Expression>& outputs, const RowTable& rows,
                                                         const ParameterVectors<double>& point,
                                                         const BackendOptions& options = {}) {
  const TableData table(rows, outputs, options.order, options.storage);
  std::vector<Expression> global, per_row;
  for (const auto& output : outputs) (output.per_row() ? per_row : global).push_back(output);
  std::vector<std::vector<double>> global_values, row_values;
  if (!global.empty()) {
    const auto executor = executor_for(global, table, point, options);
    std::vector<double> flat(static_cast<std::size_t>(executor->output_size()));
    executor->run(table.batch(), flat);
    auto at = flat.begin();
    for (const auto& output : global) {
      global_values.emplace_back(at, at + output.shape().size());
      at += output.shape().size();
    }
    EXPECT_EQ(at, flat.end());
  }
  if (!per_row.empty()) {
    const auto executor = executor_for(per_row, table, point, options);
    std::vector<std::int64_t> sizes;
    for (const auto& output : per_row) sizes.push_back(output.shape().size());
    RowCollector collector(sizes, rows.rows);
    executor->run_rows(table.batch(), collector);
    EXPECT_EQ(collector.seen(), rows.rows);
    row_values = collector.collected();
  }
  std::vector<std::vector<double>> values;
  auto next_global = global_values.begin(), next_row = row_values.begin();
  for (const auto& output : outputs) values.push_back(output.per_row() ? *next_row++ : *next_global++);
  return values;
}

/// Whether a per-row value or a sum over rows depends on another sum over rows, so that one pass is not enough.
inline bool needs_two_passes(const std::vector<Expression>& outputs) {
  std::unordered_map<const Node*, bool> after_rows;
  for (const auto& x : topological_order(outputs)) {
    bool operand = false;
    for (const auto& input : x.node().inputs) operand = operand || after_rows.at(&input.node());
    if (operand && (x.per_row() || is_row_sum(x.node().op))) return true;
    after_rows[&x.node()] = operand || is_row_sum(x.node().op);
  }
  return false;
}

/// The largest difference of two results, relative to the largest element of each output, or to `least` if that is
/// larger.
inline double worst_difference(const std::vector<std::vector<double>>& got,
                               const std::vector<std::vector<double>>& expected, double least = 1.0) {
  EXPECT_EQ(got.size(), expected.size());
  double worst = 0;
  for (std::size_t output = 0; output < expected.size(); ++output) {
    EXPECT_EQ(got[output].size(), expected[output].size());
    double scale = least;
    for (const double value : expected[output])
      if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
    for (std::size_t i = 0; i < expected[output].size(); ++i) {
      const double g = got[output][i], e = expected[output][i];
      if (g == e || (std::isnan(g) && std::isnan(e))) continue;
      const double difference = std::abs(g - e) / scale;
      worst = std::max(worst, std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
    }
  }
  return worst;
}

}  // namespace sgmcmc::testing
