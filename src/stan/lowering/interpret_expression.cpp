// Expressions: names, operators, conditionals and literals.
#include "stan/lowering/indexing.hpp"

#include <cmath>

namespace sgmcmc::stan {
namespace {

/// The most common case in loops over data: two numbers.
std::optional<double> on_numbers(Operator op, double a, double b, bool integers) {
  switch (op) {
    case Operator::add: return integers && std::fabs(a + b) > 2147483647.0 ? std::nullopt : std::optional(a + b);
    case Operator::subtract: return integers && std::fabs(a - b) > 2147483647.0 ? std::nullopt : std::optional(a - b);
    case Operator::multiply: return integers && std::fabs(a * b) > 2147483647.0 ? std::nullopt : std::optional(a * b);
    case Operator::divide: return integers ? std::nullopt : std::optional(a / b);
    case Operator::equal: return a == b;
    case Operator::not_equal: return a != b;
    case Operator::less: return a < b;
    case Operator::less_equal: return a <= b;
    case Operator::greater: return a > b;
    case Operator::greater_equal: return a >= b;
    default: return std::nullopt;
  }
}

bool is_number(const Value& value) { return value.dims.empty() && value.role == Role::plain && value.is_data(); }

}  // namespace

const char* Interpreter::function_of(Operator op) {
  switch (op) {
    case Operator::add: return "add";
    case Operator::subtract: return "subtract";
    case Operator::multiply: return "multiply";
    case Operator::divide: return "divide";
    case Operator::integer_divide: return "int_divide";
    case Operator::modulo: return "modulus";
    case Operator::left_divide: return "mdivide_left";
    case Operator::power: return "pow";
    case Operator::elementwise_multiply: return "elt_multiply";
    case Operator::elementwise_divide: return "elt_divide";
    case Operator::elementwise_power: return "elt_pow";
    case Operator::equal: return "logical_eq";
    case Operator::not_equal: return "logical_neq";
    case Operator::less: return "logical_lt";
    case Operator::less_equal: return "logical_lte";
    case Operator::greater: return "logical_gt";
    case Operator::greater_equal: return "logical_gte";
    case Operator::logical_and: return "logical_and";
    case Operator::logical_or: return "logical_or";
    case Operator::negate: return "minus";
    case Operator::plus: return "plus";
    case Operator::logical_not: return "logical_negation";
    case Operator::transpose: return "transpose";
  }
  return "";
}

std::string Interpreter::function_of(Operator op, const Value& left, const Value& right) {
  // A product with a scalar works element by element, and so does a quotient.
  if (op == Operator::multiply && (left.dims.empty() || right.dims.empty())) return "elt_multiply";
  if (op == Operator::divide && right.dims.empty()) return "elt_divide";
  return function_of(op);
}

Value Interpreter::evaluate(const Tree& tree) {
  if (const auto* form = std::get_if<IntegerLiteral>(&tree.form)) {
    Value made = integer_value(form->value);
    // Sizes may be literal numbers.
    made.counts_rows = made.near_rows = axis_ && axis_->is_literal() && axis_->rows() == form->value;
    return made;
  }
  if (const auto* form = std::get_if<RealLiteral>(&tree.form)) return real_value(form->value);
  if (const auto* form = std::get_if<Name>(&tree.form)) return evaluate_name(form->name, tree.span);
  if (const auto* form = std::get_if<Unary>(&tree.form)) return evaluate_unary(*form, tree);
  if (const auto* form = std::get_if<Binary>(&tree.form)) return evaluate_binary(*form, tree);
  if (const auto* form = std::get_if<Conditional>(&tree.form)) return evaluate_conditional(*form, tree);
  if (const auto* form = std::get_if<Call>(&tree.form)) return evaluate_call(*form, tree);
  if (const auto* form = std::get_if<ArrayLiteral>(&tree.form)) return evaluate_literal(form->elements, tree);
  if (const auto* form = std::get_if<RowVectorLiteral>(&tree.form)) return evaluate_literal(form->elements, tree);
  if (const auto* form = std::get_if<Indexed>(&tree.form)) {
    auto places = evaluate_indices(form->indices);
    if (const auto* name = std::get_if<Name>(&form->container->form)) {
      Variable* variable = lookup(name->name);
      if (!variable) fail(form->container->span, "'" + name->name + "' is not known here");
      if (variable->carried) require_assigned(*variable, name->name, &places, tree.span);
      const Value& base = variable->value;
      if (variable->filled && !places.empty() && !is_own_row(places.front().index))
        tie(tree.span, "a row reads '" + name->name + "' of another row, which the same loop assigns");
      if (base.role == Role::row)
        return index(to_context(base, tree.span), std::move(places), tree.type, name->name, tree.span);
      return index(base, std::move(places), tree.type, name->name, tree.span);
    }
    return index(evaluate(*form->container), std::move(places), tree.type,
                 std::string(source_.text(form->container->span)), tree.span);
  }
  fail(tree.span, "a string is used where a value is needed");
}

Value Interpreter::evaluate_name(const std::string& name, Span span) {
  Variable* variable = lookup(name);
  if (!variable) fail(span, "'" + name + "' is not known here");
  return read(*variable, name, span);
}

Value Interpreter::read(Variable& variable, const std::string& name, Span span) {
  if (variable.carried) require_assigned(variable, name, nullptr, span);
  if (variable.filled) tie(span, "all rows of '" + name + "' are read in the loop that assigns them");
  if (!variable.value.set) {
    if (size_of(variable.dims) == 0) return number_value(variable.type, variable.dims, Numbers(std::vector<double>()));
    fail(span, "'" + name + "' is used before it has a value");
  }
  if (variable.value.role == Role::row) return to_context(variable.value, span);
  return variable.value;
}

Value Interpreter::evaluate_unary(const Unary& form, const Tree& tree) {
  Value operand = evaluate(*form.operand);
  if (form.op == Operator::plus) return operand;
  if (is_number(operand)) {
    if (form.op == Operator::negate) {
      operand.numbers = Numbers(-operand.number());
      operand.counts_rows = operand.near_rows = false;
      return operand;
    }
    if (form.op == Operator::logical_not) return integer_value(operand.number() == 0);
  }
  return apply(function_of(form.op), {std::move(operand)}, tree.type, tree.span);
}

Value Interpreter::evaluate_binary(const Binary& form, const Tree& tree) {
  Value left = evaluate(*form.left);
  if (form.op == Operator::logical_and && is_number(left) && left.number() == 0) return integer_value(0);
  if (form.op == Operator::logical_or && is_number(left) && left.number() != 0) return integer_value(1);
  const bool logical = form.op == Operator::logical_and || form.op == Operator::logical_or;
  if (logical && left.role == Role::row && left.is_data() && in_rows())
    return evaluate_logical_by_row(form, left, tree);
  Value right = evaluate(*form.right);
  if (is_number(left) && is_number(right)) {
    const bool integers = left.type.is_integer() && right.type.is_integer();
    if (const auto result = on_numbers(form.op, left.number(), right.number(), integers)) {
      Value made = real_value(*result);
      made.type = tree.type;
      made.near_rows = (form.op == Operator::add || form.op == Operator::subtract) && integers &&
                       (left.near_rows != right.near_rows) && !(form.op == Operator::subtract && right.near_rows);
      return made;
    }
  }
  const std::string name = function_of(form.op, left, right);
  std::vector<Value> arguments;
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return apply(name, std::move(arguments), tree.type, tree.span);
}

/// Evaluates the right side only for rows that the left side does not decide: for others it may be invalid.
Value Interpreter::evaluate_logical_by_row(const Binary& form, const Value& left, const Tree& tree) {
  const bool decided_by = form.op == Operator::logical_or;
  std::optional<Value> right;
  in_masked_rows(left.numbers, decided_by, [&] {
    right = evaluate(*form.right);
    return Flow::normal;
  });
  if (right && right->role == Role::row) right->context = context().id;
  if (right && !right->is_data()) return apply(function_of(form.op), {left, *right}, tree.type, tree.span);
  std::vector<double> numbers(left.numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool first = left.numbers[i] != 0;
    const bool open = first != decided_by && right;
    numbers[i] = open ? right->numbers[right->role == Role::row ? i : 0] != 0 : first;
  }
  Value made = number_value(tree.type, {}, Numbers(std::move(numbers)));
  made.role = Role::row;
  made.context = context().id;
  return made;
}

Value Interpreter::evaluate_conditional(const Conditional& form, const Tree& tree) {
  const Value condition = evaluate(*form.condition);
  if (is_number(condition)) {
    Value chosen = evaluate(condition.number() != 0 ? *form.if_true : *form.if_false);
    if (chosen.type.is_integer() && !tree.type.is_integer()) chosen.type.base = Base::real;
    return chosen;
  }
  if (condition.is_data() && in_rows()) {
    // Evaluates each side only for its rows: for others it may be invalid.
    const int label = context().id;
    std::optional<Value> if_true, if_false;
    in_masked_rows(condition.numbers, false, [&] {
      if_true = evaluate(*form.if_true);
      return Flow::normal;
    });
    in_masked_rows(condition.numbers, true, [&] {
      if_false = evaluate(*form.if_false);
      return Flow::normal;
    });
    for (auto* side : {&if_true, &if_false})
      if (*side && (*side)->role == Role::row) (*side)->context = label;
    if (!if_true) return *if_false;
    if (!if_false) return *if_true;
    return select_value(condition, *if_true, *if_false, tree.type, tree.span);
  }
  const Expression chosen = condition.row_sum ? Expression() : row_expression(condition);
  std::optional<Value> if_true, if_false;
  auto evaluate_side = [&](const Tree& side, std::optional<Value>& value, const Expression& guard) {
    if (guard) guards_.push_back(guard);
    unless_rejected([&] { value = evaluate(side); });
    if (guard) guards_.pop_back();
  };
  evaluate_side(*form.if_true, if_true, chosen);
  evaluate_side(*form.if_false, if_false, chosen ? equal(chosen, 0.0) : Expression());
  if (!if_true && !if_false) throw Rejected{};
  if (!if_true) return *if_false;
  if (!if_false) return *if_true;
  return select_value(condition, *if_true, *if_false, tree.type, tree.span);
}

Value Interpreter::select_value(const Value& condition, const Value& if_true, const Value& if_false, const Type& type,
                                Span span) {
  if (if_true.row_sum || if_false.row_sum || condition.row_sum)
    tie(span, "a conditional selects between sums over all rows");
  if (if_true.dims != if_false.dims) fail(span, "the two values of a conditional have different sizes");
  const bool rows = if_true.role == Role::rows || if_false.role == Role::rows;
  if (rows && condition.role == Role::row) tie(span, "a conditional selects containers of all rows row by row");
  Value made;
  made.type = type;
  made.dims = if_true.dims;
  if (condition.is_data() && condition.role == Role::row && if_true.is_data() && if_false.is_data()) {
    const auto stretch = static_cast<std::size_t>(size_of(made.dims));
    std::vector<double> chosen(static_cast<std::size_t>(axis_->rows()) * stretch);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Value& from = condition.numbers[i / stretch] != 0 ? if_true : if_false;
      chosen[i] = from.numbers[from.role == Role::row ? i : i % stretch];
    }
    made.numbers = Numbers(std::move(chosen));
    made.role = Role::row;
    made.context = condition.context;
    return made;
  }
  if (rows) {
    auto element = [&](const Value& value) { return row_expression(element_of_rows(value, span)); };
    made.symbol = select(expression_of(condition), element(if_true), element(if_false));
    made.role = Role::rows;
    return made;
  }
  const bool row = condition.role == Role::row || if_true.role == Role::row || if_false.role == Role::row;
  made.symbol = select(row_expression(condition), row_expression(if_true), row_expression(if_false));
  if (made.symbol.shape() != shape_of(made.dims)) made.symbol = broadcast_to(made.symbol, shape_of(made.dims));
  if (row) {
    made.role = Role::row;
    made.context = in_rows() ? context().id : 0;
  }
  return made;
}

Value Interpreter::evaluate_literal(const std::vector<TreePointer>& elements, const Tree& tree) {
  std::vector<Value> values;
  for (const auto& element : elements) values.push_back(evaluate(*element));
  Value made;
  made.type = tree.type;
  made.dims.push_back(static_cast<std::int64_t>(values.size()));
  if (!values.empty()) made.dims.insert(made.dims.end(), values[0].dims.begin(), values[0].dims.end());
  if (values.empty() && tree.type.rank() > 1) made.dims.resize(static_cast<std::size_t>(tree.type.rank()), 0);
  bool data = true, row = false, rows = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].dims != values[0].dims) fail(elements[i]->span, "this element has another size than the first");
    if (values[i].row_sum) tie(tree.span, "a sum over all rows becomes an element");
    data = data && values[i].is_data();
    row = row || values[i].role == Role::row;
    rows = rows || values[i].role == Role::rows;
  }
  if (rows && !data) tie(tree.span, "containers of all rows become elements of another");
  if (data && !row) {
    std::vector<double> numbers;
    for (const auto& value : values)
      numbers.insert(numbers.end(), value.numbers.view().begin(), value.numbers.view().end());
    made.numbers = Numbers(std::move(numbers));
    return made;
  }
  if (row) {
    made.role = Role::row;
    made.context = context().id;
  }
  if (data) {
    const auto count = static_cast<std::size_t>(axis_->rows());
    const auto stretch = static_cast<std::size_t>(size_of(values[0].dims));
    std::vector<double> numbers;
    numbers.reserve(count * values.size() * stretch);
    for (std::size_t i = 0; i < count; ++i)
      for (const auto& value : values)
        for (std::size_t k = 0; k < stretch; ++k)
          numbers.push_back(value.numbers[value.role == Role::row ? i * stretch + k : k]);
    made.numbers = Numbers(std::move(numbers));
    return made;
  }
  std::vector<Expression> parts;
  for (const auto& value : values) {
    Expression part = row_expression(value);
    parts.push_back(value.dims.empty() ? part : reshape(part, Shape{size_of(value.dims)}));
  }
  made.symbol = reshape(concatenate(parts), shape_of(made.dims));
  return made;
}

}  // namespace sgmcmc::stan
