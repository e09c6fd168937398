// Vectorised statements on ranges of the rows: `y[2:N] ~ normal(a + b * y[1:(N - 1)], s)` is a loop over N - 1 rows.
#include "stan/check/check.hpp"
#include "stan/lowering/indexing.hpp"
#include "stan/lowering/interpreter.hpp"
#include "stan/syntax/tree_walk.hpp"

#include <algorithm>
#include <numeric>

namespace sgmcmc::stan {
namespace {

/// `x[from:to]` with x a name and nothing else between the brackets; null for anything else.
const Index* stretch_of(const Tree& tree, const Name*& name) {
  const auto* indexed = std::get_if<Indexed>(&tree.form);
  if (!indexed || indexed->indices.size() != 1 || indexed->indices[0].kind != Index::Kind::range) return nullptr;
  name = std::get_if<Name>(&indexed->container->form);
  return name ? &indexed->indices[0] : nullptr;
}

const char* elementwise_function(Operator op, bool with_scalar) {
  switch (op) {
    case Operator::add: return "add";
    case Operator::subtract: return "subtract";
    case Operator::multiply: return with_scalar ? "elt_multiply" : nullptr;
    case Operator::divide: return with_scalar ? "elt_divide" : nullptr;
    case Operator::elementwise_multiply: return "elt_multiply";
    case Operator::elementwise_divide: return "elt_divide";
    case Operator::negate: return "minus";
    default: return nullptr;
  }
}

}  // namespace

/// The common length of all row ranges in the expressions; 0 if there are none, none of data, or if they differ or
/// cover all rows.
std::int64_t Interpreter::stretch_length(const std::vector<const Tree*>& trees) {
  std::int64_t length = 0;
  bool usable = true, of_data = false;
  for (const Tree* each : trees)
    for_each_tree(*each, [&](const Tree& tree) {
      const Name* name = nullptr;
      const Index* index = usable ? stretch_of(tree, name) : nullptr;
      const Variable* variable = index ? lookup(name->name) : nullptr;
      if (!variable || variable->value.role != Role::rows || variable->dims.size() != 1) return;
      const std::int64_t from = index->from ? evaluate(*index->from).integer() : 1;
      const std::int64_t to = index->to ? evaluate(*index->to).integer() : axis_->rows();
      const std::int64_t own = to - from + 1;
      usable = from >= 1 && to <= axis_->rows() && (length == 0 || own == length);
      length = own;
      of_data = of_data || variable->value.is_data() || !variable->value.whole;
    });
  // Short ranges (such as the first two rows) are better unrolled.
  return usable && of_data && length < axis_->rows() && 2 * length >= axis_->rows() ? length : 0;
}

/// The value in row i of an expression whose elements correspond to rows 1..length; empty if it has no such form.
std::optional<Value> Interpreter::element_of_stretch(const Tree& tree, std::int64_t length) {
  if (tree.type.rank() == 0) return evaluate(tree);
  auto pick = [&](const Value& base, std::int64_t from, const std::string& name) {
    std::vector<double> numbers(context().index.view().begin(), context().index.view().end());
    for (double& number : numbers) number += static_cast<double>(from - 1);
    std::vector<Place> places(1);
    places[0].kind = Place::Kind::single;
    places[0].index = number_value({Base::integer, 0}, {}, Numbers(std::move(numbers)));
    places[0].index.role = Role::row;
    places[0].index.context = context().id;
    places[0].span = tree.span;
    return index(base, std::move(places), element_type(base.type), name, tree.span);
  };
  const Name* name = std::get_if<Name>(&tree.form);
  const Index* stretch = name ? nullptr : stretch_of(tree, name);
  if (name) {
    const Value base = evaluate_name(name->name, tree.span);
    const std::int64_t from = stretch && stretch->from ? evaluate(*stretch->from).integer() : 1;
    const std::int64_t to = stretch && stretch->to ? evaluate(*stretch->to).integer() : base.dims.at(0);
    if (base.dims.size() != 1 || to - from + 1 != length) return std::nullopt;
    return pick(base, from, name->name);
  }
  std::vector<const Tree*> operands;
  std::string function;
  if (const auto* unary = std::get_if<Unary>(&tree.form)) {
    const char* found = elementwise_function(unary->op, false);
    if (found) function = found;
    operands = {unary->operand.get()};
  } else if (const auto* binary = std::get_if<Binary>(&tree.form)) {
    const bool with_scalar = binary->left->type.rank() == 0 || binary->right->type.rank() == 0;
    const char* found = elementwise_function(binary->op, with_scalar);
    if (found) function = found;
    operands = {binary->left.get(), binary->right.get()};
  } else if (const auto* call = std::get_if<Call>(&tree.form)) {
    std::vector<Type> types;
    for (const auto& argument : call->arguments) {
      operands.push_back(argument.get());
      types.push_back(argument->type);
    }
    if (is_elementwise(call->name) && !find_function(program_, call->name, types)) function = call->name;
  }
  if (function.empty()) return std::nullopt;
  std::vector<Value> elements;
  for (const Tree* operand : operands) {
    auto element = element_of_stretch(*operand, length);
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  }
  return apply(function, std::move(elements), {Base::real, 0}, tree.span);
}

/// Adds a density of row ranges, row by row; false if it is not one.
bool Interpreter::add_stretch(const std::string& density_name, const std::vector<const Tree*>& trees, Span span,
                              bool uses_data) {
  if (!axis_ || in_rows() || density_name.find("_glm_") != std::string::npos) return false;
  const auto ranks = outcome_ranks(density_name);
  if (std::any_of(ranks.begin(), ranks.end(), [](int rank) { return rank > 0; })) return false;
  const std::int64_t length = stretch_length(trees);
  if (length == 0) return false;
  RowContext all;
  all.index = axis_->row_numbers();
  all.id = next_context_++;
  contexts_.push_back(std::move(all));
  std::vector<double> counted(static_cast<std::size_t>(axis_->rows()));
  std::fill_n(counted.begin(), length, 1.0);
  bool added = true;
  in_masked_rows(Numbers(std::move(counted)), false, [&] {
    std::vector<Value> elements;
    for (const Tree* tree : trees) {
      auto element = element_of_stretch(*tree, length);
      added = added && element;
      if (!added) return Flow::normal;
      elements.push_back(std::move(*element));
    }
    add_target(density(density_name, std::move(elements), span), span, uses_data);
    return Flow::normal;
  });
  contexts_.pop_back();
  return added;
}

}  // namespace sgmcmc::stan
