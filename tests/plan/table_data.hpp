// Tables of rows for the reference evaluator, of any length, and the same rows as data sets for the executor.
#pragma once

#include "graph/node.hpp"
#include "minibatch/row_batch.hpp"
#include "reference/check_gradient.hpp"
#include "reference/row_table.hpp"

#include <sgmcmc/dataset.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc::testing {

using reference::ParameterVectors;
using reference::RowTable;

/// The columns of the shared gradient cases, in the same ranges, with as many rows as wanted.
inline RowTable table_of(std::int64_t rows) {
  RowTable table;
  table.rows = rows;
  const auto count = [rows](std::int64_t width) { return static_cast<std::size_t>(rows * width); };
  const auto wave = [&](std::int64_t width, double phase) {
    std::vector<double> values(count(width));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(phase + 1.9 * static_cast<double>(i));
    return values;
  };
  const auto cycle = [&](std::int64_t width, std::int64_t least, std::int64_t choices, std::int64_t step) {
    std::vector<std::int64_t> values(count(width));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      values[i] = least + (at * step + at * at / 7) % choices;
    }
    return values;
  };
  table.reals = {{"x", wave(1, 0.4)}, {"z", wave(3, 1.1)}, {"d", wave(6, 2.3)}};
  table.integers = {{"y", cycle(1, 0, 2, 1)},
                    {"group", cycle(1, 1, 4, 3)},
                    {"pair", cycle(2, 0, 4, 3)},
                    {"counts", cycle(3, 0, 6, 5)}};
  table.sparse["u"] = wave(4, 0.2);
  for (std::size_t i = 0; i < count(4); ++i) {
    if ((i * i / 3) % 3 != 0) table.sparse["u"][i] = 0;
  }
  table.weights = wave(1, 5.0);
  for (double& weight : table.weights) weight = 1.3 + weight;
  return table;
}

/// Where row i of a table lies in the data set, and how a batch of all rows of the table is asked for.
enum class RowOrder { consecutive, after_others, by_indices };

/// A data set made of the columns that the expressions read, and the batch that visits the table's rows in order.
class TableData {
 public:
  TableData(const RowTable& table, const std::vector<Expression>& outputs, RowOrder order = RowOrder::consecutive,
            Precision storage = Precision::float64)
      : weights_(table.weights) {
    const std::int64_t others = order == RowOrder::after_others ? 3 : 0;
    std::vector<std::int64_t> source;  // row of the data set -> row of the table
    for (std::int64_t i = 0; i < others; ++i) source.push_back(table.rows - 1);
    for (std::int64_t i = 0; i < table.rows; ++i) source.push_back(i);
    if (order == RowOrder::by_indices) {
      // Backwards with a twist: a permutation without runs.
      for (std::int64_t i = 0; i < table.rows; ++i) source[static_cast<std::size_t>(i)] = table.rows - 1 - (i ^ 1);
      for (auto& row : source) row = row < 0 ? 0 : row;
      indices_.resize(static_cast<std::size_t>(table.rows));
      for (std::size_t i = 0; i < source.size(); ++i)
        indices_[static_cast<std::size_t>(source[i])] = static_cast<std::uint32_t>(i);
    }
    build(table, outputs, source, storage);
    batch_.first = static_cast<std::uint32_t>(others);
    batch_.count = static_cast<std::uint32_t>(table.rows);
    batch_.indices = order == RowOrder::by_indices ? indices_.data() : nullptr;
    batch_.weights = weights_.empty() ? nullptr : weights_.data();
  }
  TableData(const TableData&) = delete;
  TableData& operator=(const TableData&) = delete;

  const Dataset& data() const { return data_; }
  const RowBatch& batch() const { return batch_; }

 private:
  template <class Value>
  static std::vector<Value> arranged(const std::vector<Value>& values, const std::vector<std::int64_t>& source,
                                     std::int64_t width) {
    std::vector<Value> result;
    for (const auto row : source)
      result.insert(result.end(), values.begin() + row * width, values.begin() + (row + 1) * width);
    return result;
  }

  void build(const RowTable& table, const std::vector<Expression>& outputs, const std::vector<std::int64_t>& source,
             Precision storage) {
    std::map<std::string, Expression> leaves;
    for (const auto& x : reference::nodes_of(outputs)) {
      const Op op = x.node().op;
      if (op == Op::row_real || op == Op::row_integer || op == Op::row_sparse) leaves[x.node().attributes.name] = x;
    }
    if (leaves.empty()) return;
    Dataset::Builder builder(storage);
    std::map<std::string, std::vector<double>> reals;
    std::map<std::string, std::vector<std::int64_t>> integers;
    std::vector<std::int64_t> row_start{0};
    std::vector<std::int32_t> column;
    std::vector<double> value;
    for (const auto& [name, leaf] : leaves) {
      const Shape& shape = leaf.node().shape;
      if (leaf.node().op == Op::row_real) {
        reals[name] = arranged(table.reals.at(name), source, shape.size());
        builder.real(name, reals[name], shape);
      } else if (leaf.node().op == Op::row_integer) {
        integers[name] = arranged(table.integers.at(name), source, shape.size());
        builder.integer(name, integers[name], shape);
      } else {
        const auto dense = arranged(table.sparse.at(name), source, shape.size());
        for (std::size_t i = 0; i < dense.size(); ++i) {
          const auto columns = static_cast<std::size_t>(shape.size());
          if (dense[i] != 0) {
            column.push_back(static_cast<std::int32_t>(i % columns));
            value.push_back(dense[i]);
          }
          if ((i + 1) % columns == 0) row_start.push_back(static_cast<std::int64_t>(value.size()));
        }
        builder.sparse(name, {row_start, column, value, shape.size()});
      }
    }
    data_ = builder.build();
  }

  Dataset data_;
  RowBatch batch_;
  std::vector<std::uint32_t> indices_;
  std::vector<double> weights_;
};

}  // namespace sgmcmc::testing
