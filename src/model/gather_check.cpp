// Checks every index in a column before it is used to look up entries of a table.
#include "model/gather_check.hpp"

#include "data/column_stretches.hpp"
#include "graph/differentiate.hpp"
#include "graph/node.hpp"

#include <sgmcmc/error.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

/// Where the index of a gather comes from: elements of an integer column, or -1 for positions that are always 0.
struct IndexSource {
  const Node* column = nullptr;
  std::vector<std::int64_t> elements;
};

IndexSource source_of(const Expression& index) {
  const Node& node = index.node();
  IndexSource source;
  if (node.op == Op::row_integer) {
    source.column = &node;
    source.elements.resize(static_cast<std::size_t>(node.shape.size()));
    std::iota(source.elements.begin(), source.elements.end(), 0);
  } else if (node.op == Op::reshape) {
    source = source_of(node.inputs[0]);
  } else if (node.op == Op::take) {
    const auto from = source_of(node.inputs[0]);
    source.column = from.column;
    for (const auto position : *node.attributes.positions)
      source.elements.push_back(position < 0 ? -1 : from.elements[static_cast<std::size_t>(position)]);
  } else {
    throw ModelError("gather: the index (" + index.describe() + ") must be a column of the data or elements of one");
  }
  return source;
}

}  // namespace

void check_gather_indices(const Expression& expression, const Dataset& data) {
  for (const auto& x : topological_order({expression})) {
    const Node& node = x.node();
    if (node.op != Op::gather) continue;
    const auto source = source_of(node.inputs[1]);
    const auto& column = data.store().column(source.column->attributes.name);
    const std::int64_t entries = node.inputs[0].shape()[0];
    const std::int64_t base = node.attributes.offset;
    const auto check = [&](std::uint32_t first, std::uint32_t end, const ColumnView& rows) {
      for (std::uint32_t r = first; r < end; ++r)
        for (const auto element : source.elements) {
          const std::int64_t value = element < 0 ? 0 : rows.integer(r, element);
          if (value >= base && value < base + entries) continue;
          const std::string reason = std::to_string(value) + " is outside " + std::to_string(base) + " to " +
                                     std::to_string(base + entries - 1);
          throw GatherIndexError("column '" + column.name + "', row " + std::to_string(r) + ": index " + reason +
                                     ", the entries of " + node.inputs[0].describe(),
                                 column.name, r, reason);
        }
    };
    for_stretches(column, data.store().pages(), static_cast<std::uint32_t>(data.rows()), check);
  }
}

}  // namespace sgmcmc
