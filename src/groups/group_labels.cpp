// Propagates labels from parameters through the operations that use them.
#include "groups/group_labels.hpp"

#include "graph/differentiate.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

std::int32_t joined(std::int32_t a, std::int32_t b) {
  if (a == no_group || a == b) return b;
  return b == no_group ? a : several_groups;
}

}  // namespace

std::shared_ptr<const std::vector<std::int32_t>> GroupLabels::of(const Expression& x) {
  if (!known_.contains(&x.node()))
    for (const auto& each : topological_order({x})) {
      if (known_.contains(&each.node())) continue;
      known_[&each.node()] = compute(each.node());
      kept_.push_back(each);
    }
  return known_.at(&x.node());
}

std::shared_ptr<const std::vector<std::int32_t>> GroupLabels::compute(const Node& node) {
  const auto size = static_cast<std::size_t>(node.shape.size());
  if (node.op == Op::parameter) {
    const auto first = owner_.begin() + node.attributes.offset;
    if (std::all_of(first, first + node.shape.size(), [](std::int32_t group) { return group == no_group; }))
      return nullptr;
    return std::make_shared<const Labels>(first, first + node.shape.size());
  }
  std::vector<std::shared_ptr<const Labels>> inputs;
  bool any = false;
  for (const auto& input : node.inputs) {
    inputs.push_back(known_.at(&input.node()));
    any = any || inputs.back();
  }
  if (!any) return nullptr;
  auto made = std::make_shared<Labels>(size, no_group);
  Labels& out = *made;
  auto join_all = [](const Labels& labels) {
    std::int32_t all = no_group;
    for (const auto label : labels) all = joined(all, label);
    return all;
  };
  if (is_elementwise(node.op)) {
    for (const auto& labels : inputs) {
      if (!labels) continue;
      for (std::size_t i = 0; i < size; ++i) out[i] = joined(out[i], (*labels)[labels->size() == 1 ? 0 : i]);
    }
    return made;
  }
  const AxisView& axis = node.attributes.axis;
  switch (node.op) {
    case Op::reshape: return inputs[0];
    case Op::take:
      for (std::size_t i = 0; i < size; ++i)
        if (const auto at = (*node.attributes.positions)[i]; at >= 0)
          out[i] = (*inputs[0])[static_cast<std::size_t>(at)];
      return made;
    case Op::concat: {
      std::size_t at = 0;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k]) std::copy(inputs[k]->begin(), inputs[k]->end(), out.begin() + static_cast<std::ptrdiff_t>(at));
        at += static_cast<std::size_t>(node.inputs[k].shape().size());
      }
      return made;
    }
    case Op::sum:
    case Op::reduce_max:
    case Op::log_sum_exp:
    case Op::softmax:
    case Op::log_softmax:
    case Op::cumulative_sum: {
      const bool reduces = node.op == Op::sum || node.op == Op::reduce_max || node.op == Op::log_sum_exp;
      for (std::int64_t o = 0; o < axis.outer; ++o)
        for (std::int64_t i = 0; i < axis.inner; ++i) {
          std::int32_t all = no_group;
          for (std::int64_t l = 0; l < axis.length; ++l)
            all = joined(all, (*inputs[0])[static_cast<std::size_t>((o * axis.length + l) * axis.inner + i)]);
          if (reduces) {
            out[static_cast<std::size_t>(o * axis.inner + i)] = all;
          } else {
            for (std::int64_t l = 0; l < axis.length; ++l)
              out[static_cast<std::size_t>((o * axis.length + l) * axis.inner + i)] = all;
          }
        }
      return made;
    }
    case Op::outer: {
      const std::size_t columns = static_cast<std::size_t>(node.inputs[1].shape().size());
      for (std::size_t i = 0; i < size; ++i)
        out[i] =
            joined(inputs[0] ? (*inputs[0])[i / columns] : no_group, inputs[1] ? (*inputs[1])[i % columns] : no_group);
      return made;
    }
    case Op::matvec:
    case Op::matmul: {
      const Shape& a = node.inputs[0].shape();
      const Shape& b = node.inputs[1].shape();
      const bool ta = node.attributes.transpose_a, tb = node.attributes.transpose_b, vector = node.op == Op::matvec;
      const std::int64_t rows = ta ? a[1] : a[0], length = ta ? a[0] : a[1];
      const std::int64_t columns = vector ? 1 : node.shape[1];
      Labels by_row(static_cast<std::size_t>(rows), no_group), by_column(static_cast<std::size_t>(columns), no_group);
      for (std::int64_t l = 0; l < length; ++l) {
        for (std::int64_t r = 0; inputs[0] && r < rows; ++r) {
          auto& label = by_row[static_cast<std::size_t>(r)];
          label = joined(label, (*inputs[0])[static_cast<std::size_t>(ta ? l * a[1] + r : r * a[1] + l)]);
        }
        for (std::int64_t c = 0; inputs[1] && c < columns; ++c) {
          auto& label = by_column[static_cast<std::size_t>(c)];
          label = joined(label, (*inputs[1])[static_cast<std::size_t>(vector ? l : tb ? c * b[1] + l : l * b[1] + c)]);
        }
      }
      for (std::size_t i = 0; i < size; ++i)
        out[i] =
            joined(by_row[i / static_cast<std::size_t>(columns)], by_column[i % static_cast<std::size_t>(columns)]);
      return made;
    }
    case Op::solve_triangular: {
      const std::int32_t of_matrix = inputs[0] ? join_all(*inputs[0]) : no_group;
      const std::size_t columns = node.shape.rank() == 2 ? static_cast<std::size_t>(node.shape[1]) : 1;
      for (std::size_t c = 0; c < columns; ++c) {
        std::int32_t all = of_matrix;
        for (std::size_t i = c; inputs[1] && i < size; i += columns) all = joined(all, (*inputs[1])[i]);
        for (std::size_t i = c; i < size; i += columns) out[i] = all;
      }
      return made;
    }
    default: {
      std::int32_t all = no_group;
      for (const auto& labels : inputs)
        if (labels) all = joined(all, join_all(*labels));
      std::fill(out.begin(), out.end(), all);
      return made;
    }
  }
}

}  // namespace sgmcmc
