// Lowers a traced graph to expressions of one row.
//
// Operations have TensorFlow's names if it has them; the tables at the ends of elementwise.cpp, arrange.cpp, reduce.cpp
// and products.cpp list them, each with the rule that lowers it.
#pragma once

#include "traced/graph.hpp"
#include "traced/value.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::traced {

class Lowering;
using Operands = std::vector<Value>;
using Rule = Value (*)(Lowering& lowering, const TracedNode& node, const Operands& operands);
struct NamedRule {
  std::string_view op;
  Rule rule;
};

struct Leaves {
  std::map<std::string, Expression> parameters;
  std::map<std::string, Value> columns;
  /// Makes an integer column of the data from an expression of one row that does not depend on parameters. extent:
  /// indices are from 0 to extent - 1.
  std::function<Expression(const Expression& index, std::int64_t extent, const std::string& call)> index_column;
};

class Lowering {
 public:
  /// The graph outlives it.
  Lowering(const TracedGraph& graph, Leaves leaves) : graph_(graph), leaves_(std::move(leaves)) {}

  /// Throws ModelError, with the user's call, for operations that have no density of one row.
  const Value& value(std::size_t node);

  std::int64_t batch_rows() const { return graph_.batch_rows; }
  const Leaves& leaves() const { return leaves_; }
  void warn(const TracedNode& node, const std::string& text);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Value lowered(const TracedNode& node);

  const TracedGraph& graph_;
  Leaves leaves_;
  std::map<std::size_t, Value> values_;
  std::vector<std::string> warnings_;
};

/// A global value to be combined with rows, without the axis that would count rows. That axis, counted from the end,
/// must have size 1 or be absent, or the value must not vary along it.
Expression without_rows(const Value& global, std::size_t from_end, const TracedNode& node, std::int64_t batch_rows);
/// Applies a function that broadcasts to operands aligned from the right.
Value aligned(Lowering& lowering, const TracedNode& node, const Operands& operands,
              const std::function<Expression(const std::vector<Expression>&)>& function);

extern const std::vector<NamedRule> elementwise_rules, arranging_rules, reduction_rules, product_rules;

inline constexpr const char* sum_misused = "a sum over the rows is used for more than adding it up";

}  // namespace sgmcmc::traced
