// The type of every expression, and whether it depends on parameters.
#include "stan/builtins/signatures.hpp"
#include "stan/check/check_operators.hpp"
#include "stan/check/checker.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace sgmcmc::stan {

void Checker::check(Tree& tree) {
  std::visit([&](auto& form) { check_form(tree, form); }, tree.form);
}

void Checker::check(Tree& tree, const Type& wanted) {
  const bool outer = integer_wanted_;
  integer_wanted_ = wanted.is_integer();
  check(tree);
  integer_wanted_ = outer;
}

void Checker::check_form(Tree& tree, IntegerLiteral&) {
  tree.type = {Base::integer, 0};
  tree.data_only = true;
}

void Checker::check_form(Tree& tree, RealLiteral&) {
  tree.type = {Base::real, 0};
  tree.data_only = true;
}

void Checker::check_form(Tree& tree, StringLiteral&) {
  tree.type = {Base::nothing, 0};  // strings occur only in print and reject, which do not use their type
  tree.data_only = true;
}

void Checker::check_form(Tree& tree, Name& name) {
  const Variable* variable = scopes_.find(name.name);
  if (!variable) {
    if (has_user_function(name.name) || is_function(name.name)) {
      fail(tree.span, "'" + name.name + "' is a function, not a variable", "call it: " + name.name + "(...)");
    }
    fail(tree.span, "unknown name '" + name.name + "'", unknown_name_help(name.name, tree.span));
  }
  tree.type = variable->type;
  tree.data_only = variable->data_only;
}

void Checker::check_form(Tree& tree, Unary& unary) {
  check(*unary.operand);
  const std::optional<Type> type = unary_type(unary.op, unary.operand->type);
  if (!type) {
    fail(tree.span,
         (unary.op == Operator::transpose ? "transposing (')" : "'" + std::string(operator_text(unary.op)) + "'") +
             " does not work on " + unary.operand->type.to_string(),
         unary_help(unary.op, unary.operand->type));
  }
  tree.type = *type;
  tree.data_only = unary.operand->data_only;
}

Type Checker::check_operation(Operator op, const Tree& left, const Tree& right, Span span, const char* assigns) {
  const std::optional<Type> type = binary_type(op, left.type, right.type);
  if (!type) {
    fail(span,
         "'" + std::string(operator_text(op)) + assigns + "' does not work on " + left.type.to_string() + " and " +
             right.type.to_string(),
         binary_help(op, {left.type, text_of(left, "left")}, {right.type, text_of(right, "right")}, assigns));
  }
  // Where an int is expected, integer division is intended.
  if (op == Operator::divide && type->is_integer() && !integer_wanted_) warn_of_integer_division(left, right, span);
  return *type;
}

void Checker::warn_of_integer_division(const Tree& left, const Tree& right, Span span) {
  const std::string left_text = text_of(left, "left"), right_text = text_of(right, "right");
  std::string message = "int / int drops the remainder";
  const auto* above = std::get_if<IntegerLiteral>(&left.form);
  const auto* below = std::get_if<IntegerLiteral>(&right.form);
  if (above && below && below->value != 0) {
    message += ": " + left_text + " / " + right_text + " is " + std::to_string(above->value / below->value);
  }
  const std::string real = above ? left_text + ".0 / " + right_text : "1.0 * " + left_text + " / " + right_text;
  warn(span, message,
       "write " + real + " for a real result, or " + left_text + " %/% " + right_text +
           " when the remainder is meant to be dropped");
}

void Checker::check_form(Tree& tree, Binary& binary) {
  check(*binary.left);
  check(*binary.right);
  tree.type = check_operation(binary.op, *binary.left, *binary.right, tree.span);
  tree.data_only = binary.left->data_only && binary.right->data_only;
}

void Checker::check_form(Tree& tree, Conditional& conditional) {
  check(*conditional.condition);
  if (conditional.condition->type != Type{Base::integer, 0}) {
    fail(conditional.condition->span,
         "the condition before '?' must be an int; found " + conditional.condition->type.to_string(),
         conditional.condition->type.is_scalar() ? "compare it with a number: '... > 0 ? ... : ...'" : "");
  }
  check(*conditional.if_true);
  check(*conditional.if_false);
  const std::optional<Type> type = common_type(conditional.if_true->type, conditional.if_false->type);
  if (!type) {
    fail(tree.span, "the two results of '?' must have one type; found " + conditional.if_true->type.to_string() +
                        " and " + conditional.if_false->type.to_string());
  }
  tree.type = *type;
  tree.data_only =
      conditional.condition->data_only && conditional.if_true->data_only && conditional.if_false->data_only;
}

void Checker::require_integer(Tree& tree, const std::string& what) {
  check(tree, {Base::integer, 0});
  if (tree.type == Type{Base::integer, 0}) return;
  std::string help;
  if (const auto* literal = std::get_if<RealLiteral>(&tree.form)) {
    const double value = literal->value;
    if (value == static_cast<double>(static_cast<long long>(std::clamp(value, -1e15, 1e15)))) {
      help = "write " + std::to_string(static_cast<long long>(value));
    }
  } else if (tree.type.is_scalar()) {
    help = tree.data_only ? "declare it as int, or write to_int(...)" : "it must be an int that is known from data";
  }
  fail(tree.span, what + " must be an int; found " + tree.type.to_string(), help);
}

bool Checker::check_index(Index& index) {
  if (index.kind == Index::Kind::all) return true;
  if (index.kind == Index::Kind::range) {
    if (index.from) require_integer(*index.from, "the first index of a range");
    if (index.to) require_integer(*index.to, "the last index of a range");
    return true;
  }
  check(*index.single, {Base::integer, 0});
  const Type type = index.single->type;
  if (type == Type{Base::integer, 1}) return true;
  if (type != Type{Base::integer, 0}) {
    std::string help = "only int values and int arrays can be indices";
    if (type == Type{Base::real, 0}) help = "declare it as int; results of floor() and round() are reals too";
    if (type.is_integer()) help = "index with one array[] int for each dimension";
    fail(index.single->span, "an index must be int or array[] int; found " + type.to_string(), help);
  }
  return false;
}

void Checker::check_form(Tree& tree, Indexed& indexed) {
  check(*indexed.container);
  const Type container = indexed.container->type;
  const auto count = static_cast<int>(indexed.indices.size());
  if (container.is_scalar()) {
    fail(tree.span,
         text_of(*indexed.container, "this") + " has type " + container.to_string() + " and cannot be indexed");
  }
  if (count > container.rank()) {
    fail(indexed.indices[static_cast<std::size_t>(container.rank())].span,
         "too many indices: " + container.to_string() + " takes at most " + std::to_string(container.rank()) +
             "; found " + std::to_string(count));
  }
  tree.data_only = indexed.container->data_only;
  int arrays = 0;          // array dimensions that are kept
  std::vector<bool> base;  // dimensions of the base type: kept or not
  for (int k = 0; k < count; ++k) {
    Index& index = indexed.indices[static_cast<std::size_t>(k)];
    const bool kept = check_index(index);
    for (const Tree* part : {index.single.get(), index.from.get(), index.to.get()}) {
      if (part) tree.data_only = tree.data_only && part->data_only;
    }
    if (k < container.array_rank) {
      arrays += kept ? 1 : 0;
    } else {
      base.push_back(kept);
    }
  }
  tree.type = {container.base, arrays + std::max(0, container.array_rank - count)};
  if (container.base == Base::matrix) {
    base.resize(2, true);  // dimensions without an index are kept: x[i] is a row
    const bool rows = base[0], columns = base[1];
    tree.type.base = rows && columns ? Base::matrix : rows ? Base::vector : columns ? Base::row_vector : Base::real;
  } else if (!base.empty() && !base[0]) {
    tree.type.base = Base::real;
  }
}

void Checker::check_form(Tree& tree, ArrayLiteral& literal) {
  tree.data_only = true;
  std::optional<Type> type;
  for (const TreePointer& element : literal.elements) {
    check(*element);
    tree.data_only = tree.data_only && element->data_only;
    const std::optional<Type> common = type ? common_type(*type, element->type) : element->type;
    if (!common) {
      fail(element->span, "the elements of an array must have one type; found " + element->type.to_string() +
                              " after " + type->to_string());
    }
    type = common;
  }
  tree.type = {type->base, type->array_rank + 1};
}

void Checker::check_form(Tree& tree, RowVectorLiteral& literal) {
  tree.data_only = true;
  bool rows = false;
  for (std::size_t k = 0; k < literal.elements.size(); ++k) {
    Tree& element = *literal.elements[k];
    check(element);
    tree.data_only = tree.data_only && element.data_only;
    const bool row = element.type == Type{Base::row_vector, 0};
    if (k == 0) rows = row;
    if (row != rows || (!row && !element.type.is_scalar())) {
      const std::string found = "found " + element.type.to_string();
      if (k > 0 && rows) fail(element.span, "every row of [...] must be a row_vector; " + found);
      if (k > 0 && row) fail(element.span, "the elements of [...] must all be numbers; " + found);
      fail(element.span, "[...] takes numbers, or row vectors for a matrix; " + found,
           element.type == Type{Base::vector, 0} ? "transpose it, or write append_row(...) to join vectors" : "");
    }
  }
  tree.type = {rows ? Base::matrix : Base::row_vector, 0};
}

}  // namespace sgmcmc::stan
