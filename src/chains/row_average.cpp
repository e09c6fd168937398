// Averages of per-row expressions over any data set with the right columns.
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "graph/node.hpp"
#include "model/gather_check.hpp"
#include "plan/executor.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/sample.hpp>

namespace sgmcmc {
namespace {

/// Checks that the data have the columns of the expression, with the same shapes and with indices in range.
void check_columns(const Expression& expression, const Dataset& data) {
  for (const auto& x : topological_order({expression})) {
    const Node& node = x.node();
    ColumnKind wanted = ColumnKind::real;
    if (node.op == Op::row_integer)
      wanted = ColumnKind::integer;
    else if (node.op == Op::row_sparse)
      wanted = ColumnKind::sparse;
    else if (node.op != Op::row_real)
      continue;
    const std::string& name = node.attributes.name;
    if (data.column_kind(name) != wanted)
      throw DataError("RowAverage: column '" + name + "' has another type of numbers than in the data of the model");
    if (!(data.row_shape(name) == node.shape))
      throw DataError("RowAverage: column '" + name + "' has row shape " + data.row_shape(name).to_string() +
                      "; the model's has " + node.shape.to_string());
  }
  check_gather_indices(expression, data);
}

}  // namespace

struct RowAverage::Parts {
  Dataset data;
  std::unique_ptr<Executor> executor;
};

RowAverage::RowAverage(const Model& model, const Expression& per_row, const Dataset& data)
    : parts_(std::make_unique<Parts>()) {
  if (!per_row || !per_row.per_row()) throw ModelError("RowAverage: the expression must depend on row data");
  if (data.rows() == 0) throw DataError("RowAverage: the data set has no rows");
  if (!per_row.shape().is_scalar())
    throw ShapeError("RowAverage: the expression must be a scalar per row: " + per_row.describe());
  check_columns(per_row, data);
  parts_->data = data;
  auto program = std::make_shared<const Program>(compile_program({row_sum(row_weight() * per_row)}, {}));
  parts_->executor = make_executor(program, data, model.dimension());
}

RowAverage::~RowAverage() = default;

double RowAverage::at(std::span<const double> position) {
  RowBatch all;
  all.count = static_cast<std::uint32_t>(parts_->data.rows());
  all.uniform_weight = 1.0 / static_cast<double>(parts_->data.rows());
  double total = 0;
  parts_->executor->set_point(Point::current, position);
  parts_->executor->run(all, {&total, 1});
  return total;
}

}  // namespace sgmcmc
