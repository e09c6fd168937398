// Converts Python models to plain numbers and strings and back: their data, and the nodes of their expressions.
#include "arrays.hpp"
#include "data/store.hpp"
#include "graph/differentiate.hpp"
#include "graph/node.hpp"
#include "module.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace sgmcmc::python {
namespace {

template <class Number>
nb::object array_of(std::vector<Number> numbers, const std::vector<std::size_t>& shape) {
  auto* owned = new std::vector<Number>(std::move(numbers));
  nb::capsule owner(owned, [](void* held) noexcept { delete static_cast<std::vector<Number>*>(held); });
  return nb::ndarray<nb::numpy, Number>(owned->data(), shape.size(), shape.data(), owner).cast();
}

template <class Number>
nb::object dense_column(const ColumnView& column, std::int64_t rows) {
  const auto size = static_cast<std::size_t>(column.row_shape.size());
  std::vector<Number> numbers(static_cast<std::size_t>(rows) * size);
  for (std::int64_t i = 0; i < rows; ++i)
    std::memcpy(numbers.data() + static_cast<std::size_t>(i) * size, column.row(static_cast<std::uint32_t>(i)),
                size * sizeof(Number));
  std::vector<std::size_t> shape{static_cast<std::size_t>(rows)};
  for (const auto extent : column.row_shape.dims()) shape.push_back(static_cast<std::size_t>(extent));
  return array_of(std::move(numbers), shape);
}

/// Integers of any width, as 32 bits.
nb::object integer_column(const ColumnView& column, std::int64_t rows) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(static_cast<std::size_t>(rows * column.row_shape.size()));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < column.row_shape.size(); ++k)
      numbers.push_back(column.integer(static_cast<std::uint32_t>(i), k));
  std::vector<std::size_t> shape{static_cast<std::size_t>(rows)};
  for (const auto extent : column.row_shape.dims()) shape.push_back(static_cast<std::size_t>(extent));
  return array_of(std::move(numbers), shape);
}

template <class Number>
nb::object copy_of(const Number* begin, std::size_t size) {
  return array_of(std::vector<Number>(begin, begin + size), {size});
}

/// Name and array of each column; for a sparse one, the number of columns, row starts, column indices and values.
nb::list columns_of(const Model& model) {
  nb::list all;
  if (!model.data()) return all;
  const auto& store = model.data().store();
  for (const auto& column : store.columns()) {
    switch (column.type) {
      case StorageType::float64:
        all.append(nb::make_tuple(column.name, dense_column<double>(column, store.rows())));
        break;
      case StorageType::float32:
        all.append(nb::make_tuple(column.name, dense_column<float>(column, store.rows())));
        break;
      case StorageType::int32:
      case StorageType::int8:
      case StorageType::uint8:
      case StorageType::int16: all.append(nb::make_tuple(column.name, integer_column(column, store.rows()))); break;
      case StorageType::sparse: {
        const auto rows = static_cast<std::size_t>(store.rows());
        const auto entries = static_cast<std::size_t>(column.row_start[rows]);
        all.append(nb::make_tuple(column.name, column.row_shape[0], copy_of(column.row_start, rows + 1),
                                  copy_of(column.sparse_column, entries), copy_of(column.sparse_value, entries)));
      }
    }
  }
  return all;
}

/// A node: operation, indices of its operands, shape, whether it is per row, whether it is integer, name, offset, axis,
/// flags, constant, positions.
using Flags = std::tuple<bool, bool, bool>;
using NodeParts = std::tuple<std::string, std::vector<std::size_t>, std::vector<std::int64_t>, bool, bool, std::string,
                             std::int64_t, std::tuple<std::int64_t, std::int64_t, std::int64_t>, Flags,
                             std::vector<double>, std::vector<std::int64_t>>;

/// Operands come before the nodes that use them. Also returns the index of each expression.
std::pair<std::vector<NodeParts>, std::vector<std::size_t>> nodes_of(const std::vector<Expression>& expressions) {
  std::vector<NodeParts> nodes;
  std::unordered_map<const Node*, std::size_t> places;
  std::vector<std::size_t> roots;
  for (const auto& root : expressions) {  // one after another: a parameter is declared before it is used
    for (const auto& x : topological_order({root})) {
      const Node& node = x.node();
      if (!places.emplace(&node, nodes.size()).second) continue;
      std::vector<std::size_t> inputs;
      for (const auto& input : node.inputs) inputs.push_back(places.at(&input.node()));
      const Attributes& has = node.attributes;
      nodes.emplace_back(
          op_name(node.op), std::move(inputs), node.shape.dims(), node.per_row, node.type == ElementType::integer,
          has.name, has.offset, std::tuple(has.axis.outer, has.axis.length, has.axis.inner),
          Flags(has.transpose_a, has.transpose_b, has.reverse), has.values ? *has.values : std::vector<double>(),
          has.positions ? *has.positions : std::vector<std::int64_t>());
    }
    roots.push_back(places.at(&root.node()));
  }
  return {std::move(nodes), std::move(roots)};
}

/// The nodes of another model's expressions, with the parameters and rows of this one.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::vector<NodeParts> nodes) : nodes_(std::move(nodes)) {}

  Expression at(Model& model, std::size_t place) {
    if (place >= nodes_.size()) throw ModelError("the pickle of the model is damaged");
    while (made_.size() <= place) add(make(model, nodes_[made_.size()]));
    return made_[place];
  }

  /// The value of the redeclared parameter replaces the node at that index, and its operands replace those of that
  /// node, because the log-Jacobian shares them.
  void adopt(const Expression& value, std::size_t place) {
    for (const auto& x : topological_order({value})) {
      if (known_.contains(&x.node())) continue;
      if (made_.size() >= nodes_.size() || std::get<0>(nodes_[made_.size()]) != op_name(x.node().op))
        throw ModelError("the pickle of the model does not fit this version");
      add(x);
    }
    if (made_.size() != place + 1) throw ModelError("the pickle of the model does not fit this version");
  }

 private:
  void add(const Expression& x) {
    made_.push_back(x);
    known_.insert(&x.node());
  }

  static Op op_called(const std::string& name) {
    for (int k = 0; k <= static_cast<int>(Op::row_sum_sparse_outer); ++k)  // the last
      if (op_name(static_cast<Op>(k)) == name) return static_cast<Op>(k);
    throw ModelError("the pickle of the model has an operation '" + name + "', which this version does not know");
  }

  Expression make(Model& model, const NodeParts& parts) const {
    const auto& [name, inputs, dims, per_row, integer, label, offset, axis, flags, values, positions] = parts;
    const Op op = op_called(name);
    if (op == Op::parameter) throw ModelError("the pickle of the model is damaged: a parameter is not declared");
    if (op == Op::row_real || op == Op::row_integer || op == Op::row_sparse) return model.row(label);
    auto node = std::make_shared<Node>();
    node->op = op;
    for (const auto input : inputs) node->inputs.push_back(made_.at(input));
    node->shape = Shape(dims);
    node->per_row = per_row;
    node->type = integer ? ElementType::integer : ElementType::real;
    Attributes& has = node->attributes;
    has.name = label;
    has.offset = offset;
    std::tie(has.axis.outer, has.axis.length, has.axis.inner) = axis;
    std::tie(has.transpose_a, has.transpose_b, has.reverse) = flags;
    if (op == Op::constant) has.values = std::make_shared<const std::vector<double>>(values);
    if (!positions.empty()) has.positions = std::make_shared<const std::vector<std::int64_t>>(positions);
    return Expression(std::shared_ptr<const Node>(std::move(node)));
  }

  std::vector<NodeParts> nodes_;
  std::vector<Expression> made_;
  std::unordered_set<const Node*> known_;
};

}  // namespace

void add_pickled_models(nb::module_& m) {
  m.def("columns_of", &columns_of);
  m.def("nodes_of", &nodes_of);
  nb::class_<ExpressionReader>(m, "ExpressionReader")
      .def(nb::init<std::vector<NodeParts>>())
      .def("at", &ExpressionReader::at)
      .def("adopt", &ExpressionReader::adopt);
}

}  // namespace sgmcmc::python
