// Model declaration, with the checks that need the data.
#include "base/text.hpp"
#include "data/store.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "graph/stable_forms.hpp"
#include "model/gather_check.hpp"
#include "plan/executor.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace sgmcmc {

Model::Model(Dataset data) : data_(std::move(data)) {}

void Model::set_data(Dataset data) {
  const auto same = [&](const auto& known) {
    const std::string& name = known.first;
    return data.has_column(name) && data.column_kind(name) == data_.column_kind(name) &&
           data.row_shape(name) == data_.row_shape(name);
  };
  if (row_log_likelihood_ || !std::all_of(rows_.begin(), rows_.end(), same))
    throw ModelError("set_data: the model reads columns of other data already");
  data_ = std::move(data);
}

namespace {

/// The shape with its last two axes exchanged.
Shape transposed(const Shape& shape) {
  auto dims = shape.dims();
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return Shape(std::move(dims));
}

/// For each element of `shape`, in order, its position in an array of the transposed shape.
std::vector<std::int64_t> transposed_positions(const Shape& shape) {
  const auto rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(shape.size()));
  for (std::int64_t flat = 0; flat < shape.size(); ++flat) {
    const auto matrix = flat / (rows * columns), row = flat / columns % rows, column = flat % columns;
    positions[static_cast<std::size_t>(flat)] = matrix * rows * columns + column * rows + row;
  }
  return positions;
}

/// The same constraint with its bounds in the order of the transposed shape.
Constraint transposed(const Constraint& constraint, const Shape& shape) {
  std::vector<Expression> bounds;
  for (const auto& bound : constraint.bounds())
    bounds.push_back(bound.shape() == shape ? take(bound, transposed_positions(transposed(shape)), transposed(shape))
                                            : bound);
  return constraint.with_bounds(std::move(bounds));
}

}  // namespace

Expression Model::parameter(const std::string& name, const Shape& shape, const Constraint& constraint,
                            MatrixOrder order) {
  if (name.empty()) throw ModelError("a parameter needs a name");
  for (const auto& known : parameters_)
    if (known.name == name) throw ModelError("parameter '" + name + "' is declared twice");
  for (auto dim : shape.dims())
    if (dim < 1)
      throw ModelError("parameter '" + name + "' has shape " + shape.to_string() + "; sizes must be at least 1");
  for (const auto& bound : constraint.bounds())
    if (bound.per_row()) throw ModelError("parameter '" + name + "': bounds cannot differ by row");
  ParameterInfo info;
  info.name = name;
  info.shape = shape;
  info.constraint = constraint;
  info.offset = dimension_;
  info.unconstrained_size = constraint.unconstrained_size(shape);
  info.order = shape.rank() >= 2 ? order : MatrixOrder::by_row;
  const bool by_column = info.order == MatrixOrder::by_column;
  if (by_column && info.unconstrained_size != shape.size())
    throw ModelError("parameter '" + name + "': a matrix constraint has an order of its own");
  const Shape leaf_shape = by_column ? transposed(shape) : shape;
  auto natural = [&](const Expression& x) { return by_column ? take(x, transposed_positions(shape), shape) : x; };
  if (constraint.is_unconstrained()) {
    leaves_.push_back(parameter_leaf(name, leaf_shape, info.offset));
    info.value = natural(leaves_.back());
  } else if (info.unconstrained_size > 0) {
    leaves_.push_back(parameter_leaf(name, Shape{info.unconstrained_size}, info.offset));
    auto made = (by_column ? transposed(constraint, shape) : constraint).apply(leaves_.back(), leaf_shape);
    info.value = natural(made.value);
    log_jacobian_ = log_jacobian_ ? log_jacobian_ + made.log_jacobian : made.log_jacobian;
  } else {
    info.value = constraint.apply(Expression(), shape).value;
  }
  dimension_ += info.unconstrained_size;
  parameters_.push_back(info);
  return info.value;
}

Expression Model::row(const std::string& column) {
  auto known = rows_.find(column);
  if (known != rows_.end()) return known->second;
  if (!data_) throw ModelError("the model has no data, so there is no column '" + column + "'; give Model a Dataset");
  const Shape& shape = data_.row_shape(column);
  Expression made;
  switch (data_.column_kind(column)) {
    case ColumnKind::real: made = row_real(column, shape); break;
    case ColumnKind::integer: made = row_integer(column, shape); break;
    case ColumnKind::sparse: made = row_sparse(column, shape[0]); break;
  }
  rows_[column] = made;
  return made;
}

void Model::prior(const Expression& log_density) {
  if (!log_density) throw ModelError("prior: the expression is empty");
  check_leaves("prior", log_density);
  if (log_density.per_row())
    throw ModelError("prior: the expression depends on row data (" + log_density.describe() +
                     "); put it into likelihood(), which is summed over rows");
  auto term = with_stable_forms(sum(log_density));
  log_prior_ = log_prior_ ? log_prior_ + term : term;
}

void Model::likelihood(const Expression& log_density_of_one_row) {
  const auto& x = log_density_of_one_row;
  if (given_) throw ModelError("likelihood: the model has one by code of the caller already");
  if (!x) throw ModelError("likelihood: the expression is empty");
  if (!x.per_row())
    throw ModelError("likelihood: the expression does not depend on any column of the data (" + x.describe() +
                     "); put it into prior(), or use row(\"...\") to bring in data");
  check_leaves("likelihood", x);
  check_gather_indices(x, data_);
  auto term = with_stable_forms(sum(x));
  row_log_likelihood_ = row_log_likelihood_ ? row_log_likelihood_ + term : term;
}

void Model::likelihood(std::shared_ptr<const GivenLikelihood> given, std::int64_t rows) {
  if (!given) throw ModelError("likelihood: there is no code of the caller");
  if (row_log_likelihood_) throw ModelError("likelihood: the model has one already");
  if (rows < 1 || rows > std::numeric_limits<std::uint32_t>::max())
    throw ModelError("likelihood: the number of rows must be from 1 to 2^32 - 1; found " + std::to_string(rows));
  given_ = std::move(given);
  given_rows_ = rows;
  row_log_likelihood_ = Expression(0.0);
}

Model Model::without_jacobian() const {
  Model other = *this;
  other.log_jacobian_ = Expression();
  return other;
}

Model Model::with_densities(Expression log_prior, Expression row_log_likelihood) const {
  Model other = *this;
  other.log_prior_ = std::move(log_prior);
  other.row_log_likelihood_ = std::move(row_log_likelihood);
  return other;
}

namespace {

/// Whether a row leaf that was not made by Model::row() can read the column of its name.
bool fits(const Dataset& data, const Node& leaf) {
  const std::string& name = leaf.attributes.name;
  if (!data) return true;
  if (!data.has_column(name) || data.row_shape(name) != leaf.shape) return false;
  switch (data.column_kind(name)) {
    case ColumnKind::real: return leaf.op == Op::row_real;
    case ColumnKind::integer: return leaf.op == Op::row_integer;
    case ColumnKind::sparse: return leaf.op == Op::row_sparse;
  }
  return false;
}

}  // namespace

void Model::check_leaves(const char* what, const Expression& expression) const {
  for (const auto& x : topological_order({expression})) {
    const Node& node = x.node();
    const auto refuse = [&](const char* why) {
      throw ModelError(std::string(what) + ": '" + node.attributes.name + "' " + why);
    };
    const auto is_it = [&](const Expression& leaf) { return &leaf.node() == &node; };
    if (node.op == Op::parameter) {
      if (std::none_of(leaves_.begin(), leaves_.end(), is_it)) refuse("is not a parameter of this model");
    } else if (node.op == Op::row_real || node.op == Op::row_integer || node.op == Op::row_sparse) {
      const auto known = rows_.find(node.attributes.name);
      if (known == rows_.end() ? !fits(data_, node) : !is_it(known->second))
        refuse("is a column of the data of another model");
    }
  }
}

namespace {

/// name[1,2]: indices counted from 1, last axis fastest.
void append_names(std::vector<std::string>& names, const std::string& name, const Shape& shape) {
  for (std::int64_t flat = 0; flat < shape.size(); ++flat) {
    std::string index;
    std::int64_t rest = flat;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      index = std::to_string(rest % shape[axis] + 1) + (index.empty() ? "" : "," + index);
      rest /= shape[axis];
    }
    names.push_back(index.empty() ? name : name + "[" + index + "]");
  }
}

}  // namespace

std::vector<std::string> Model::constrained_names() const {
  std::vector<std::string> names;
  for (const auto& info : parameters_) append_names(names, info.name, info.shape);
  return names;
}

std::vector<std::string> Model::unconstrained_names() const {
  std::vector<std::string> names;
  for (const auto& info : parameters_) {
    if (info.unconstrained_size == info.shape.size()) {
      std::vector<std::string> own;
      append_names(own, info.name, info.shape);
      if (info.order == MatrixOrder::by_column) {
        const auto positions = transposed_positions(transposed(info.shape));
        for (auto at : positions) names.push_back(own[static_cast<std::size_t>(at)]);
      } else {
        names.insert(names.end(), own.begin(), own.end());
      }
      continue;
    }
    for (std::int64_t i = 1; i <= info.unconstrained_size; ++i)
      names.push_back(info.name + " (unconstrained " + std::to_string(i) + ")");
  }
  return names;
}

namespace {

/// Values of the bounds at theta, since bounds may depend on other parameters. Empty if all bounds are constants.
std::vector<std::vector<double>> bound_values(const std::vector<Expression>& bounds, const std::vector<double>& theta) {
  auto is_fixed = [](const Expression& x) { return x.node().op == Op::constant; };
  if (std::all_of(bounds.begin(), bounds.end(), is_fixed)) return {};
  auto program = std::make_shared<const Program>(compile_program(bounds, {}));
  auto executor = make_executor(program, {}, static_cast<std::int64_t>(theta.size()));
  executor->set_point(Point::current, theta);
  std::vector<double> flat(static_cast<std::size_t>(executor->output_size()));
  executor->run({}, flat);
  std::vector<std::vector<double>> values;
  auto at = flat.begin();
  for (const auto& bound : bounds) {
    values.emplace_back(at, at + bound.shape().size());
    at += bound.shape().size();
  }
  return values;
}

}  // namespace

std::vector<double> Model::unconstrain(const std::map<std::string, std::vector<double>>& values) const {
  for (const auto& [name, given] : values) {
    auto is_it = [&wanted = name](const auto& info) { return info.name == wanted; };
    if (std::any_of(parameters_.begin(), parameters_.end(), is_it)) continue;
    std::vector<std::string> known;
    for (const auto& info : parameters_) known.push_back(info.name);
    auto near = nearest_name(name, known);
    throw DataError("initial values: there is no parameter '" + name + "'" +
                    (near.empty() ? std::string() : "; did you mean '" + near + "'?"));
  }
  // In the order of declaration: bounds may depend on parameters declared before.
  std::vector<double> theta(static_cast<std::size_t>(dimension_), 0.0);
  for (const auto& info : parameters_) {
    auto found = values.find(info.name);
    if (found == values.end()) continue;
    const auto& given = found->second;
    if (static_cast<std::int64_t>(given.size()) != info.shape.size())
      throw DataError("initial values: parameter '" + info.name + "' has shape " + info.shape.to_string() + ", " +
                      std::to_string(given.size()) + " numbers were given");
    try {
      auto coordinates = info.constraint.unconstrain(given, info.shape, bound_values(info.constraint.bounds(), theta));
      if (info.order == MatrixOrder::by_column) {
        const auto positions = transposed_positions(transposed(info.shape));
        for (std::size_t i = 0; i < positions.size(); ++i)
          theta[static_cast<std::size_t>(info.offset) + i] = coordinates[static_cast<std::size_t>(positions[i])];
      } else {
        std::copy(coordinates.begin(), coordinates.end(), theta.begin() + info.offset);
      }
    } catch (const DataError& error) {
      throw DataError("initial values: parameter '" + info.name + "': " + error.what());
    }
  }
  return theta;
}

}  // namespace sgmcmc
