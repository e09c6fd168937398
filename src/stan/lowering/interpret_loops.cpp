// Loops: unrolled, over rows, and with bounds that differ between rows.
#include "stan/lowering/interpreter.hpp"
#include "stan/syntax/scope_guard.hpp"

#include <algorithm>
#include <set>

namespace sgmcmc::stan {
namespace {

/// Iterations of an inner loop times rows: beyond, a row loop would take longer to set up than to unroll.
constexpr double most_row_turns = 1e9;
/// Maximum number of row subsets for which a row loop runs separately.
constexpr int most_splits = 64;

}  // namespace

Interpreter::Flow Interpreter::run_while(const While& form, Span span) {
  const std::uint64_t start = statements_run_;
  for (;;) {
    const std::uint64_t changes = changes_;
    const Value condition = evaluate(*form.condition);
    if (!condition.is_data())
      fail(form.condition->span, "a while loop cannot depend on parameters here",
           "write a for loop with a fixed number of iterations");
    if (plain_integer(condition, "the number of iterations of a while loop differs from row to row", span) == 0)
      return Flow::normal;
    const Flow flow = execute(*form.body);
    if (flow == Flow::broke) return Flow::normal;
    if (flow == Flow::returned) return flow;
    if (changes_ == changes)
      throw LimitError(source_, form.condition->span, "this while loop never ends: its iterations change nothing");
    if (statements_run_ - start > most_while_statements)
      throw LimitError(source_, form.condition->span,
                       "this while loop has run " + std::to_string(most_while_statements) +
                           " statements and its condition still holds",
                       "write a for loop with the maximum number of iterations, and break");
  }
}

/// Throws before a loop with more iterations than the statement limit starts, unless it may exit early.
void Interpreter::require_turns(std::int64_t from, std::int64_t to, const Statement& body, Span span) {
  if (to < from || static_cast<std::uint64_t>(to - from) < most_statements - statements_run_ || leaves(body)) return;
  throw LimitError(source_, span,
                   "this loop has " + std::to_string(to - from + 1) + " iterations; a program may run " +
                       std::to_string(most_statements) + " statements",
                   "write the loop in vectorised form");
}

/// Runs the body for all rows of the context at once; if that works only for rows that agree on some value, runs each
/// such subset separately.
Interpreter::Flow Interpreter::run_split(const Continuation& body, int& runs) {
  const auto before = frames_.back().scopes;
  const std::size_t terms = terms_.size(), contexts = contexts_.size(), guards = guards_.size();
  Numbers split;
  try {
    return body();
  } catch (const NotSeparable& problem) {
    split = problem.split;
    const std::set<double> kinds(split.view().begin(), split.view().end());
    runs += static_cast<int>(kinds.size());
    if (split.size() == 0 || kinds.size() < 2 || runs > most_splits) throw;
  }
  auto& scopes = frames_.back().scopes;
  for (std::size_t depth = 0; depth < scopes.size() && depth < before.size(); ++depth)
    for (auto& [name, variable] : scopes[depth])
      if (auto found = before[depth].find(name); found != before[depth].end()) variable = found->second;
  terms_.resize(terms);
  contexts_.resize(contexts);
  guards_.resize(guards);
  Flow flow = Flow::normal;
  for (double kind : std::set<double>(split.view().begin(), split.view().end())) {
    std::vector<double> same(split.size());
    for (std::size_t row = 0; row < same.size(); ++row) same[row] = split[row] == kind;
    auto each = in_masked_rows(Numbers(std::move(same)), false, [&] { return run_split(body, runs); });
    if (each == Flow::broke || each == Flow::returned) flow = *each;
  }
  return flow;
}

Interpreter::Flow Interpreter::run_loop(const For& form, Span span) {
  const Value from = evaluate(*form.from);
  const Value to = evaluate(*form.to);
  if (!from.is_data() || !to.is_data()) fail(span, "the bounds of a loop cannot depend on parameters");
  if (axis_ && !in_rows() && to.near_rows && from.integer() >= 1 && to.integer() <= axis_->rows()) {
    if (from.integer() > to.integer()) return Flow::normal;
    return run_row_loop(*form.body, form.variable, form.variable_span, from.integer(), to.integer(), [&] {
      Value number = number_value({Base::integer, 0}, {}, context().index);
      number.role = Role::row;
      number.context = context().id;
      return number;
    });
  }
  if (in_rows() && to.near_rows) tie(span, "a loop over all rows is nested in a loop over rows");
  if (from.role == Role::row || to.role == Role::row) return run_loop_by_row(form, from, to, span);
  const std::int64_t last = to.integer();
  require_turns(from.integer(), last, *form.body, span);
  for (std::int64_t i = from.integer(); i <= last; ++i) {
    ScopeGuard guard(frames_.back().scopes);
    declare(form.variable, form.variable_span, {Base::integer, 0}, {}, false).value = integer_value(i);
    const Flow flow = execute(*form.body);
    if (flow == Flow::broke) break;
    if (flow == Flow::returned) return flow;
  }
  return Flow::normal;
}

/// Bounds that differ between rows: the maximum number of iterations, each for the rows that need it.
Interpreter::Flow Interpreter::run_loop_by_row(const For& form, const Value& from, const Value& to, Span span) {
  auto bound = [](const Value& value, std::size_t row) { return value.numbers[value.role == Role::row ? row : 0]; };
  const auto rows = static_cast<std::size_t>(axis_->rows());
  double turns = 0;
  for (std::size_t i = 0; i < rows; ++i) turns = std::max(turns, bound(to, i) - bound(from, i) + 1);
  if (turns * static_cast<double>(rows) > most_row_turns)
    tie(span, "this loop has up to " + std::to_string(static_cast<std::int64_t>(turns)) + " iterations for a row");
  for (double t = 0; t < turns; ++t) {
    std::vector<double> concerned(rows);
    for (std::size_t row = 0; row < rows; ++row) concerned[row] = bound(from, row) + t <= bound(to, row);
    auto flow = in_masked_rows(Numbers(std::move(concerned)), false, [&] {
      ScopeGuard guard(frames_.back().scopes);
      Value number = integer_value(static_cast<std::int64_t>(bound(from, 0) + t));
      if (from.role == Role::row) {
        std::vector<double> numbers(rows);
        for (std::size_t row = 0; row < rows; ++row)
          numbers[row] = from.numbers[static_cast<std::size_t>(context().index[row]) - 1] + t;
        number.numbers = Numbers(std::move(numbers));
        number.role = Role::row;
        number.context = context().id;
      }
      declare(form.variable, form.variable_span, {Base::integer, 0}, {}, false).value = std::move(number);
      return execute(*form.body);
    });
    if (flow && *flow != Flow::normal && *flow != Flow::continued)
      tie(span, "a loop is left for some rows and not for others");
  }
  return Flow::normal;
}

/// One iteration that represents all rows from..to; `element` is the value of the loop variable.
Interpreter::Flow Interpreter::run_row_loop(const Statement& statement, const std::string& name, Span name_span,
                                            std::int64_t from, std::int64_t to, const std::function<Value()>& element) {
  RowContext made;
  made.index = axis_->row_numbers();
  made.id = next_context_++;
  contexts_.push_back(std::move(made));
  // Variables from outside that an iteration assigns: values from the previous iteration must not be read.
  std::vector<Variable*> carried;
  for (const auto& assigned : assigned_names(statement))
    if (Variable* variable = lookup(assigned); variable && variable->context == 0) {
      if (variable->value.role == Role::rows) {
        variable->filled = true;
      } else {
        variable->carried = true;
        variable->added_to = false;
        variable->assigned.assign(static_cast<std::size_t>(size_of(variable->dims)), {});
      }
      carried.push_back(variable);
    }
  ScopeGuard guard(frames_.back().scopes);
  auto body = [&] {
    Value value = element();
    declare(name, name_span, value.type, value.dims, false).value = value;
    return execute(statement);
  };
  Flow flow = Flow::normal;
  int runs = 0;
  if (from == 1 && to == axis_->rows()) {
    flow = run_split(body, runs);
  } else {
    std::vector<double> in_range(static_cast<std::size_t>(axis_->rows()));
    for (std::int64_t i = from; i <= to; ++i) in_range[static_cast<std::size_t>(i - 1)] = 1;
    flow = in_masked_rows(Numbers(std::move(in_range)), false, [&] {
             return run_split(body, runs);
           }).value_or(Flow::normal);
  }
  contexts_.pop_back();
  for (Variable* variable : carried) {
    variable->carried = variable->filled = false;
    variable->assigned.clear();
  }
  if (flow == Flow::returned) tie(statement.span, "a loop over rows is left by return");
  if (flow == Flow::broke) tie(statement.span, "a loop over rows is left by break");
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_for_each(const ForEach& form, Span span) {
  const Value container = evaluate(*form.container);
  if (container.role == Role::rows && in_rows()) tie(span, "a loop over all rows is nested in a loop over rows");
  if (container.role == Role::rows && container.type != Type{Base::matrix, 0})
    return run_row_loop(*form.body, form.variable, form.variable_span, 1, axis_->rows(),
                        [&] { return element_of_rows(container, span); });
  if (container.role == Role::row) tie(span, "a loop over the elements of a value of one row");
  if (container.role == Role::rows && !container.is_data() && !container.whole)
    tie(span, "a loop over the elements of a container of rows");
  Value plain = container;
  plain.role = Role::plain;
  // Visits a matrix element by element in column-major order; other containers entry by entry.
  const bool matrix = container.type == Type{Base::matrix, 0};
  const std::int64_t count = matrix ? size_of(container.dims) : container.dims.at(0);
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<Value> arguments{plain};
    std::vector<std::int64_t> at;
    if (matrix)
      at = {i % container.dims[0], i / container.dims[0]};
    else
      at = {i};
    ScopeGuard guard(frames_.back().scopes);
    Dims dims(container.dims.begin() + static_cast<std::ptrdiff_t>(at.size()), container.dims.end());
    Type type = matrix ? Type{Base::real, 0} : element_type(container.type);
    const std::int64_t stretch = size_of(dims);
    std::int64_t start = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) start = start * container.dims[axis] + at[axis];
    start *= stretch;
    Value element;
    if (plain.is_data()) {
      const auto part =
          plain.numbers.view().subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(stretch));
      element = number_value(type, dims, Numbers(std::vector<double>(part.begin(), part.end())));
    } else {
      std::vector<std::int64_t> picked(static_cast<std::size_t>(stretch));
      for (std::size_t k = 0; k < picked.size(); ++k) picked[k] = start + static_cast<std::int64_t>(k);
      element = symbol_value(type, dims, take(symbol_of(plain), picked, shape_of(dims)));
    }
    declare(form.variable, form.variable_span, type, dims, false).value = element;
    const Flow flow = execute(*form.body);
    if (flow == Flow::broke) break;
    if (flow == Flow::returned) return flow;
  }
  return Flow::normal;
}

}  // namespace sgmcmc::stan
