// Nodes in topological order, each with its attributes and the numbers of its operands.
#include "graph/graph_bytes.hpp"

#include "graph/differentiate.hpp"
#include "graph/node.hpp"
#include "ranks/message.hpp"

#include <unordered_map>

namespace sgmcmc {

std::string bytes_of_expressions(const std::vector<Expression>& expressions) {
  const auto order = topological_order(expressions);
  std::unordered_map<const Node*, std::uint64_t> numbers;
  MessageWriter writer;
  writer.put<std::uint64_t>(order.size());
  for (const auto& expression : order) {
    const Node& node = expression.node();
    const Attributes& attributes = node.attributes;
    numbers.emplace(&node, numbers.size());
    std::vector<std::uint64_t> inputs;
    for (const auto& input : node.inputs) inputs.push_back(numbers.at(&input.node()));
    writer.put(node.op).put(node.per_row).put(node.type).put_all(std::span<const std::uint64_t>(inputs));
    writer.put_all(std::span<const std::int64_t>(node.shape.dims()));
    writer.put_text(attributes.name).put(attributes.point).put(attributes.offset);
    writer.put(attributes.axis.outer).put(attributes.axis.length).put(attributes.axis.inner);
    writer.put(attributes.transpose_a).put(attributes.transpose_b).put(attributes.reverse);
    writer.put(attributes.values != nullptr);
    if (attributes.values) writer.put_all(std::span<const double>(*attributes.values));
    writer.put(attributes.positions != nullptr);
    if (attributes.positions) writer.put_all(std::span<const std::int64_t>(*attributes.positions));
  }
  std::vector<std::uint64_t> asked;
  for (const auto& expression : expressions) asked.push_back(numbers.at(&expression.node()));
  writer.put_all(std::span<const std::uint64_t>(asked));
  return writer.bytes();
}

std::vector<Expression> expressions_of_bytes(std::string_view bytes) {
  MessageReader reader(bytes);
  std::vector<Expression> nodes;
  const auto at = [&](std::uint64_t number) {
    if (number >= nodes.size()) throw RankError("an expression of another rank cannot be read");
    return nodes[number];
  };
  for (auto count = reader.take<std::uint64_t>(); count > 0; --count) {
    auto node = std::make_shared<Node>();
    Attributes& attributes = node->attributes;
    node->op = reader.take<Op>();
    node->per_row = reader.take<bool>();
    node->type = reader.take<ElementType>();
    for (const auto input : reader.take_all<std::uint64_t>()) node->inputs.push_back(at(input));
    node->shape = Shape(reader.take_all<std::int64_t>());
    attributes.name = reader.take_text();
    attributes.point = reader.take<Point>();
    attributes.offset = reader.take<std::int64_t>();
    attributes.axis.outer = reader.take<std::int64_t>();
    attributes.axis.length = reader.take<std::int64_t>();
    attributes.axis.inner = reader.take<std::int64_t>();
    attributes.transpose_a = reader.take<bool>();
    attributes.transpose_b = reader.take<bool>();
    attributes.reverse = reader.take<bool>();
    if (reader.take<bool>()) attributes.values = std::make_shared<const std::vector<double>>(reader.take_all<double>());
    if (reader.take<bool>())
      attributes.positions = std::make_shared<const std::vector<std::int64_t>>(reader.take_all<std::int64_t>());
    nodes.emplace_back(std::move(node));
  }
  std::vector<Expression> asked;
  for (const auto number : reader.take_all<std::uint64_t>()) asked.push_back(at(number));
  return asked;
}

}  // namespace sgmcmc
