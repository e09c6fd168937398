// Lowers likelihood and prior, makes integer columns for indices, packs the columns that are used, and builds the
// model.
#include "traced/traced_model.hpp"

#include "data/row_packing.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "graph/node.hpp"
#include "plan/executor.hpp"
#include "traced/lowering.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace sgmcmc::traced {
namespace {

struct IndexColumn {
  std::string name;
  std::vector<std::int32_t> values;
  Shape row_shape;
};

std::set<std::string> columns_of(const Expression& x) {
  std::set<std::string> names;
  for (const auto& one : topological_order({x}))
    if (one.node().op == Op::row_real || one.node().op == Op::row_integer) names.insert(one.node().attributes.name);
  return names;
}

Dataset dataset_of(const std::vector<TracedColumn>& columns, const std::vector<IndexColumn>& indices,
                   const std::set<std::string>& wanted) {
  Dataset::Builder builder;
  for (const auto& one : columns)
    if (!wanted.contains(one.name))
      continue;
    else if (one.by_column)
      builder.real_by_column(one.name, one.values, one.row_shape);
    else
      builder.real(one.name, one.values, one.row_shape);
  for (const auto& one : indices)
    if (wanted.contains(one.name)) builder.integer(one.name, std::span<const std::int32_t>(one.values), one.row_shape);
  return builder.build();
}

/// Collects the components of one output, row after row.
class RowArrays final : public RowConsumer {
 public:
  RowArrays(std::vector<double>& to, std::int64_t size) : to_(to), size_(size) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (std::uint32_t row = 0; row < count; ++row)
      for (std::int64_t k = 0; k < size_; ++k)
        to_[static_cast<std::size_t>((position + row) * size_ + k)] = values[k * stride + row];
  }

 private:
  std::vector<double>& to_;
  std::int64_t size_;
};

class IndexColumns {
 public:
  IndexColumns(const std::vector<TracedColumn>& columns) : columns_(columns) {}

  Expression column(const Expression& index, std::int64_t extent, const std::string& call) {
    for (const auto& x : topological_order({index}))
      if (x.node().op == Op::parameter)
        refuse(call, "an index must come from the data; this one depends on parameters");
    const auto known = std::find_if(known_.begin(), known_.end(),
                                    [&](const auto& one) { return one.first.pointer() == index.pointer(); });
    const std::size_t at =
        known != known_.end() ? static_cast<std::size_t>(known - known_.begin()) : evaluate(index, call);
    for (std::size_t k = 0; k < made_[at].values.size(); ++k)
      if (made_[at].values[k] < 0 || made_[at].values[k] >= extent)
        throw DataError(
            call + ": the index " + std::to_string(made_[at].values[k]) + " of row " +
            std::to_string(k / static_cast<std::size_t>(std::max<std::int64_t>(1, index.shape().size())) + 1) +
            " is not one of 0 to " + std::to_string(extent - 1) + "; indices count from 0");
    return row_integer(made_[at].name, made_[at].row_shape);
  }

  const std::vector<IndexColumn>& made() const { return made_; }

 private:
  std::size_t evaluate(const Expression& index, const std::string& call) {
    const Dataset data = dataset_of(columns_, {}, columns_of(index));
    const std::int64_t size = index.shape().size();
    std::vector<double> values(static_cast<std::size_t>(data.rows() * size));
    auto executor = make_executor(std::make_shared<const Program>(compile_program({index}, {})), data, 0);
    RowArrays rows(values, size);
    RowBatch batch;
    batch.count = static_cast<std::uint32_t>(data.rows());
    executor->run_rows(batch, rows);
    IndexColumn made{"index " + std::to_string(made_.size() + 1), {}, index.shape()};
    for (const double value : values) {
      if (value != std::floor(value) || std::abs(value) > 2147483647.0)
        throw DataError(call + ": the index " + std::to_string(value) + " is not a whole number");
      made.values.push_back(static_cast<std::int32_t>(value));
    }
    made_.push_back(std::move(made));
    known_.emplace_back(index, made_.size() - 1);
    return made_.size() - 1;
  }

  const std::vector<TracedColumn>& columns_;
  std::vector<IndexColumn> made_;
  std::vector<std::pair<Expression, std::size_t>> known_;
};

std::vector<double> by_row(const TracedColumn& column) {
  if (!column.by_column) return {column.values.begin(), column.values.end()};
  const auto size = static_cast<std::size_t>(column.row_shape.size());
  const std::size_t rows = column.values.size() / std::max<std::size_t>(1, size);
  const auto slices = column_slices(column.row_shape, rows);
  std::vector<double> values(column.values.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < size; ++k) values[row * size + k] = column.values[slices[k] + row];
  return values;
}

Leaves parameter_leaves(Model& model, const std::vector<TracedParameter>& parameters) {
  Leaves leaves;
  for (const auto& one : parameters) leaves.parameters[one.name] = model.parameter(one.name, one.shape);
  return leaves;
}

void add_prior(Model& model, Lowering& lowering, const std::optional<std::size_t>& prior) {
  if (!prior) return;
  const Value& value = lowering.value(*prior);
  if (!value.is_global()) throw ModelError("logPrior depends on the data; it may depend on the parameters only");
  model.prior(value.global);
}

}  // namespace

TracedModel traced_model(const TracedGraph& graph, const std::vector<TracedParameter>& parameters,
                         const std::vector<TracedColumn>& columns, std::size_t likelihood,
                         std::optional<std::size_t> prior) {
  Model model;
  IndexColumns indices(columns);
  Leaves leaves = parameter_leaves(model, parameters);
  for (const auto& one : columns) leaves.columns[one.name] = Value::of_row(row_real(one.name, one.row_shape), 0);
  leaves.index_column = [&](const Expression& index, std::int64_t extent, const std::string& call) {
    return indices.column(index, extent, call);
  };
  Lowering lowering(graph, std::move(leaves));
  const Value result = lowering.value(likelihood);
  const TracedNode& node = graph.nodes[likelihood];
  if (result.is_global())
    throw ModelError("logLik does not depend on the data; what depends on parameters only belongs into logPrior");
  if (result.is_per_row())
    lowering.warn(node, "logLik gives a value for each row; their sum is used. tf$reduce_sum makes it one number");
  Expression row = sum(result.row);
  if (result.is_summed() && result.global) {
    lowering.warn(node,
                  "logLik adds something that depends on no data; it counts once for each minibatch, N / n times in "
                  "all. If it is a prior, move it to logPrior");
    row = row + sum(result.global) / static_cast<double>(graph.batch_rows);
  }
  if (!row.per_row()) throw ModelError("logLik does not depend on the data");
  model.set_data(dataset_of(columns, indices.made(), columns_of(row)));
  add_prior(model, lowering, prior);
  model.likelihood(row);
  return {std::move(model), lowering.warnings()};
}

TracedModel whole_traced_model(const TracedGraph& graph, const std::vector<TracedParameter>& parameters,
                               const std::vector<TracedColumn>& columns, std::size_t likelihood,
                               std::optional<std::size_t> prior) {
  Model model;
  Leaves leaves = parameter_leaves(model, parameters);
  for (const auto& one : columns)
    leaves.columns[one.name] = Value::of_all(constant(by_row(one), with_axis(one.row_shape, 0, graph.batch_rows)));
  Lowering lowering(graph, std::move(leaves));
  const Value result = lowering.value(likelihood);
  model.prior(result.global);
  add_prior(model, lowering, prior);
  return {std::move(model), lowering.warnings()};
}

}  // namespace sgmcmc::traced
