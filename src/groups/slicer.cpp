// One rule per kind of operation: which positions of its operands given positions of the result need.
#include "groups/slicer.hpp"

#include "graph/build.hpp"
#include "graph/leaves.hpp"

#include <algorithm>
#include <utility>

namespace sgmcmc {
namespace {

constexpr int most_depth = 2000;

Shape vector_of(std::int64_t width) { return width == 1 ? Shape{} : Shape{width}; }

std::string operation(const Node& node) { return std::string("operation '") + op_name(node.op) + "'"; }

bool same_attributes(const Attributes& a, const Attributes& b) {
  return a.axis == b.axis && a.transpose_a == b.transpose_a && a.transpose_b == b.transpose_b &&
         a.reverse == b.reverse && a.offset == b.offset && a.point == b.point && a.name == b.name;
}

}  // namespace

GroupPositionsPointer make_positions(std::int64_t width, std::vector<std::int64_t> at) {
  auto made = std::make_shared<GroupPositions>();
  made->width = width;
  made->at = std::move(at);
  const auto& all = made->at;
  made->same_for_all = true;
  for (std::size_t i = static_cast<std::size_t>(width); i < all.size(); ++i)
    if (all[i] != all[i - static_cast<std::size_t>(width)]) {
      made->same_for_all = false;
      break;
    }
  return made;
}

std::string Slicer::local_name(std::size_t slot) { return "(local " + std::to_string(slot + 1) + ")"; }

Expression Slicer::slice(const Expression& x, const GroupPositionsPointer& positions) {
  const auto key = std::make_pair(&x.node(), positions.get());
  if (const auto known = sliced_.find(key); known != sliced_.end()) return known->second;
  if (++depth_ > most_depth) throw NotByGroup{"the expression is too deep"};
  Expression made = slice_inner(x, positions);
  --depth_;
  kept_.push_back(positions);
  kept_expressions_.push_back(x);
  sliced_[key] = made;
  return made;
}

Expression Slicer::slice_inner(const Expression& x, const GroupPositionsPointer& positions) {
  const Node& node = x.node();
  const GroupPositions& wanted = *positions;
  if (wanted.same_for_all) {
    if (x.shape().size() == 1 && wanted.width == 1) return reshape(x, Shape{});
    const auto first = wanted.at.begin();
    return take(x, std::vector<std::int64_t>(first, first + wanted.width), vector_of(wanted.width));
  }
  if (is_elementwise(node.op)) {
    std::vector<Expression> inputs;
    for (const auto& input : node.inputs) {
      if (input.shape().size() == 1)
        inputs.push_back(reshape(input, Shape{}));
      else
        inputs.push_back(slice(input, positions));
    }
    return build::node(node.op, std::move(inputs), vector_of(wanted.width), node.attributes);
  }
  switch (node.op) {
    case Op::constant: {
      std::vector<double> values(wanted.at.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = (*node.attributes.values)[static_cast<std::size_t>(wanted.at[i])];
      return group_column(wanted.width, std::move(values), vector_of(wanted.width));
    }
    case Op::parameter: return slice_parameter(node, wanted);
    case Op::reshape: return slice(node.inputs[0], positions);
    case Op::take: {
      auto& inner = composed_[{&node, positions.get()}];
      if (!inner) {
        std::vector<std::int64_t> at(wanted.at.size());
        for (std::size_t i = 0; i < at.size(); ++i) {
          at[i] = (*node.attributes.positions)[static_cast<std::size_t>(wanted.at[i])];
          if (at[i] < 0) throw NotByGroup{"an array is padded with zeros"};
        }
        inner = make_positions(wanted.width, std::move(at));
      }
      return slice(node.inputs[0], inner);
    }
    case Op::sum:
    case Op::reduce_max:
    case Op::log_sum_exp: return slice_reduction(node, wanted);
    case Op::softmax:
    case Op::log_softmax:
    case Op::cumulative_sum: return slice_along(node, wanted);
    case Op::matvec:
    case Op::matmul:
    case Op::outer: return slice_product(node, wanted);
    case Op::solve_triangular: return slice_triangular(node, wanted);
    case Op::concat: return slice_concat(node, wanted);
    default: throw NotByGroup{operation(node) + " mixes groups"};
  }
}

Expression Slicer::group_column(std::int64_t width, std::vector<double> values, const Shape& shape, bool integer) {
  GroupColumn column;
  column.integer = integer;
  column.name = "(group data " + std::to_string(columns_.size() + 1) + ")";
  column.width = width;
  column.values = std::move(values);
  columns_.push_back(std::move(column));
  return integer ? row_integer(columns_.back().name, shape) : row_real(columns_.back().name, shape);
}

Expression Slicer::local(std::vector<std::int64_t> coordinates) {
  const auto known = slot_of_first_.find(coordinates[0]);
  if (known != slot_of_first_.end()) {
    if (coordinates_[known->second] != coordinates)
      throw NotByGroup{"an element belongs to different groups in different places"};
    return locals_[known->second];
  }
  slot_of_first_[coordinates[0]] = coordinates_.size();
  locals_.push_back(row_real(local_name(coordinates_.size()), Shape{}));
  coordinates_.push_back(std::move(coordinates));
  return locals_.back();
}

Expression Slicer::slice_parameter(const Node& node, const GroupPositions& wanted) {
  const auto leaf = parameter_leaf(node.attributes.name, node.shape, node.attributes.offset, node.attributes.point);
  std::vector<Expression> parts;
  for (std::int64_t k = 0; k < wanted.width; ++k) {
    std::vector<std::int64_t> coordinates(static_cast<std::size_t>(groups_));
    bool fixed = true;
    for (std::int64_t j = 0; j < groups_; ++j) {
      coordinates[static_cast<std::size_t>(j)] =
          node.attributes.offset + wanted.at[static_cast<std::size_t>(j * wanted.width + k)];
      fixed = fixed && coordinates[static_cast<std::size_t>(j)] == coordinates[0];
    }
    auto sorted = coordinates;
    std::sort(sorted.begin(), sorted.end());
    if (fixed) {
      parts.push_back(take(leaf, {coordinates[0] - node.attributes.offset}, Shape{}));
    } else if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) {
      parts.push_back(local(std::move(coordinates)));
    } else {  // groups share elements: a parameter of a higher level
      std::vector<double> at(coordinates.size());
      for (std::size_t j = 0; j < at.size(); ++j) at[j] = static_cast<double>(coordinates[j] - node.attributes.offset);
      parts.push_back(
          gather(reshape(leaf, Shape{node.shape.size()}), group_column(1, std::move(at), Shape{}, true), 0));
    }
  }
  return wanted.width == 1 ? parts[0] : concatenate(parts);
}

Expression Slicer::slice_reduction(const Node& node, const GroupPositions& wanted) {
  const AxisView& axis = node.attributes.axis;
  std::vector<std::int64_t> at;
  at.reserve(wanted.at.size() * static_cast<std::size_t>(axis.length));
  for (const auto flat : wanted.at) {
    const std::int64_t outer = flat / axis.inner, inner = flat % axis.inner;
    for (std::int64_t l = 0; l < axis.length; ++l) at.push_back((outer * axis.length + l) * axis.inner + inner);
  }
  const auto elements = slice(node.inputs[0], make_positions(wanted.width * axis.length, std::move(at)));
  if (wanted.width * axis.length == 1) return elements;
  return build::along_axis(node.op, reshape(elements, Shape{wanted.width, axis.length}),
                           AxisView{wanted.width, axis.length, 1}, vector_of(wanted.width));
}

Expression Slicer::slice_along(const Node& node, const GroupPositions& wanted) {
  const AxisView& axis = node.attributes.axis;
  std::vector<std::int64_t> at, within;
  for (std::size_t i = 0; i < wanted.at.size(); ++i) {
    const std::int64_t flat = wanted.at[i];
    const std::int64_t outer = flat / (axis.length * axis.inner), place = flat / axis.inner % axis.length,
                       inner = flat % axis.inner;
    const auto k = static_cast<std::int64_t>(i) % wanted.width;
    if (static_cast<std::int64_t>(i) < wanted.width)
      within.push_back(k * axis.length + place);
    else if (within[static_cast<std::size_t>(k)] != k * axis.length + place)
      throw NotByGroup{operation(node) + " mixes groups"};
    for (std::int64_t l = 0; l < axis.length; ++l) at.push_back((outer * axis.length + l) * axis.inner + inner);
  }
  const auto elements = slice(node.inputs[0], make_positions(wanted.width * axis.length, std::move(at)));
  if (wanted.width * axis.length == 1) return elements;
  const Shape both{wanted.width, axis.length};
  Attributes attributes = node.attributes;
  attributes.axis = AxisView{wanted.width, axis.length, 1};
  const auto made = build::node(node.op, {reshape(elements, both)}, both, attributes);
  return take(made, within, vector_of(wanted.width));
}

/// Every element of a product is a sum of products of elements: sum over l of A[r, l] B[l, c].
Expression Slicer::slice_product(const Node& node, const GroupPositions& wanted) {
  const Expression& a = node.inputs[0];
  const Expression& b = node.inputs[1];
  const bool is_outer = node.op == Op::outer, is_vector = node.op == Op::matvec;
  const std::int64_t columns = is_vector ? 1 : is_outer ? b.shape().size() : node.shape[1];
  const std::int64_t length = is_outer ? 1 : node.attributes.transpose_a ? a.shape()[0] : a.shape()[1];
  std::vector<std::int64_t> of_a, of_b;
  for (const auto flat : wanted.at) {
    const std::int64_t r = flat / columns, c = flat % columns;
    for (std::int64_t l = 0; l < length; ++l) {
      of_a.push_back(is_outer ? r : node.attributes.transpose_a ? l * a.shape()[1] + r : r * a.shape()[1] + l);
      of_b.push_back(is_outer                      ? c
                     : is_vector                   ? l
                     : node.attributes.transpose_b ? c * b.shape()[1] + l
                                                   : l * columns + c);
    }
  }
  const std::int64_t width = wanted.width * length;
  const auto left = slice(a, make_positions(width, std::move(of_a)));
  const auto right = slice(b, make_positions(width, std::move(of_b)));
  if (wanted.width == 1 && length > 1) return dot(left, right);
  const auto products = left * right;
  if (length == 1) return products;
  return build::along_axis(Op::sum, reshape(products, Shape{wanted.width, length}), AxisView{wanted.width, length, 1},
                           vector_of(wanted.width));
}

/// L^-1 B with one column of B per group.
Expression Slicer::slice_triangular(const Node& node, const GroupPositions& wanted) {
  const Expression& lower = node.inputs[0];
  const Expression& b = node.inputs[1];
  if (b.shape().rank() != 2) throw NotByGroup{operation(node) + " mixes groups"};
  const std::int64_t size = b.shape()[0], columns = b.shape()[1];
  std::vector<std::int64_t> at, rows;
  for (std::int64_t j = 0; j < groups_; ++j) {
    const std::int64_t* own = wanted.at.data() + j * wanted.width;
    for (std::int64_t k = 0; k < wanted.width; ++k) {
      if (own[k] % columns != own[0] % columns) throw NotByGroup{operation(node) + " mixes groups"};
      if (j == 0)
        rows.push_back(own[k] / columns);
      else if (rows[static_cast<std::size_t>(k)] != own[k] / columns)
        throw NotByGroup{operation(node) + " mixes groups"};
    }
    for (std::int64_t l = 0; l < size; ++l) at.push_back(l * columns + own[0] % columns);
  }
  const auto column = slice(b, make_positions(size, std::move(at)));
  const auto solved =
      build::node(Op::solve_triangular, {lower, reshape(column, Shape{size})}, Shape{size}, node.attributes);
  return take(solved, rows, vector_of(wanted.width));
}

Expression Slicer::slice_concat(const Node& node, const GroupPositions& wanted) {
  std::vector<std::int64_t> starts;
  std::int64_t total = 0;
  for (const auto& input : node.inputs) {
    starts.push_back(total);
    total += input.shape().size();
  }
  auto part_of = [&](std::int64_t flat) {
    return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), flat) - starts.begin() - 1);
  };
  std::vector<Expression> parts;
  for (std::int64_t k = 0; k < wanted.width; ++k) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(groups_));
    const std::size_t first = part_of(wanted.at[static_cast<std::size_t>(k)]);
    bool same_part = true;
    for (std::int64_t j = 0; j < groups_; ++j) {
      const std::int64_t flat = wanted.at[static_cast<std::size_t>(j * wanted.width + k)];
      const std::size_t part = part_of(flat);
      same_part = same_part && part == first;
      at[static_cast<std::size_t>(j)] = flat - starts[part];
    }
    if (same_part) {
      parts.push_back(slice(node.inputs[first], make_positions(1, std::move(at))));
    } else {  // assigned element by element in a loop over the groups
      std::vector<Expression> each;
      for (std::int64_t j = 0; j < groups_; ++j) {
        const std::int64_t flat = wanted.at[static_cast<std::size_t>(j * wanted.width + k)];
        const Expression& part = node.inputs[part_of(flat)];
        each.push_back(part.shape().size() == 1 ? reshape(part, Shape{})
                                                : take(part, {at[static_cast<std::size_t>(j)]}, Shape{}));
      }
      parts.push_back(merge(each));
    }
  }
  return wanted.width == 1 ? parts[0] : concatenate(parts);
}

Expression Slicer::merge(const std::vector<Expression>& each) {
  const Node& first = each.front().node();
  const auto key = std::make_pair(&first, &each.back().node());
  if (const auto known = merged_.find(key); known != merged_.end()) return known->second;
  if (std::all_of(each.begin(), each.end(), [&](const Expression& x) { return &x.node() == &first; }))
    return each.front();
  if (++depth_ > most_depth) throw NotByGroup{"the expression is too deep"};
  for (const auto& x : each) {
    const Node& node = x.node();
    if (node.op != first.op || node.shape != first.shape || node.inputs.size() != first.inputs.size() ||
        !same_attributes(node.attributes, first.attributes))
      throw NotByGroup{"the statements of a loop over the groups differ from group to group"};
  }
  Expression made;
  if (first.op == Op::constant) {
    std::vector<double> values;
    for (const auto& x : each)
      values.insert(values.end(), x.node().attributes.values->begin(), x.node().attributes.values->end());
    made = group_column(first.shape.size(), std::move(values), first.shape);
  } else if (first.op == Op::take) {
    std::vector<std::int64_t> at;
    std::vector<Expression> tables;
    for (const auto& x : each) {
      const auto& own = *x.node().attributes.positions;
      at.insert(at.end(), own.begin(), own.end());
      tables.push_back(x.node().inputs[0]);
    }
    if (std::any_of(at.begin(), at.end(), [](std::int64_t p) { return p < 0; }))
      throw NotByGroup{"an array is padded with zeros"};
    const bool one_table =
        std::all_of(tables.begin(), tables.end(), [&](const Expression& x) { return &x.node() == &tables[0].node(); });
    const auto positions = make_positions(first.shape.size(), std::move(at));
    if (one_table)
      made = reshape(slice(tables[0], positions), first.shape);
    else if (positions->same_for_all)
      made = take(merge(tables), *first.attributes.positions, first.shape);
    else
      throw NotByGroup{"the statements of a loop over the groups differ from group to group"};
  } else if (first.inputs.empty()) {
    throw NotByGroup{"the statements of a loop over the groups read different parameters"};
  } else {
    std::vector<Expression> inputs;
    for (std::size_t i = 0; i < first.inputs.size(); ++i) {
      std::vector<Expression> operands;
      for (const auto& x : each) operands.push_back(x.node().inputs[i]);
      inputs.push_back(merge(operands));
    }
    made = build::node(first.op, std::move(inputs), first.shape, first.attributes);
  }
  --depth_;
  kept_expressions_.push_back(each.front());
  kept_expressions_.push_back(each.back());
  merged_[key] = made;
  return made;
}

}  // namespace sgmcmc
