// Statements: control flow on data, on rows and on parameters.
#include "stan/lowering/interpreter.hpp"

#include "stan/builtins/signatures.hpp"
#include "stan/check/check.hpp"
#include "stan/lowering/outcome_drawer.hpp"
#include "stan/syntax/scope_guard.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <sstream>
#include <stdexcept>

namespace sgmcmc::stan {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>  // deduction guide for clang before 17
Overloaded(Ts...)->Overloaded<Ts...>;

bool holds_return(const Statement& statement, bool inside_loop);

bool holds_return(const StatementPointer& statement, bool inside_loop) {
  return statement && holds_return(*statement, inside_loop);
}

bool holds_return(const Statement& statement, bool inside_loop) {
  return std::visit(Overloaded{
                        [](const Return&) { return true; },
                        [&](const Break&) { return !inside_loop; },
                        [&](const Continue&) { return !inside_loop; },
                        [&](const If& form) {
                          return holds_return(form.then, inside_loop) || holds_return(form.otherwise, inside_loop);
                        },
                        [](const While& form) { return holds_return(form.body, true); },
                        [](const For& form) { return holds_return(form.body, true); },
                        [](const ForEach& form) { return holds_return(form.body, true); },
                        [&](const Block& form) {
                          for (const auto& each : form.statements)
                            if (holds_return(each, inside_loop)) return true;
                          return false;
                        },
                        [&](const Profile& form) {
                          for (const auto& each : form.body.statements)
                            if (holds_return(each, inside_loop)) return true;
                          return false;
                        },
                        [](const auto&) { return false; },
                    },
                    statement.form);
}

void collect_assigned(const Statement* statement, std::vector<std::string>& names) {
  if (!statement) return;
  auto all = [&](const std::vector<StatementPointer>& statements) {
    for (const auto& each : statements) collect_assigned(each.get(), names);
  };
  std::visit(Overloaded{
                 [&](const Assignment& form) {
                   const Tree* target = form.target.get();
                   while (const auto* indexed = std::get_if<Indexed>(&target->form)) target = indexed->container.get();
                   if (const auto* name = std::get_if<Name>(&target->form)) names.push_back(name->name);
                 },
                 [&](const If& form) {
                   collect_assigned(form.then.get(), names);
                   collect_assigned(form.otherwise.get(), names);
                 },
                 [&](const While& form) { collect_assigned(form.body.get(), names); },
                 [&](const For& form) { collect_assigned(form.body.get(), names); },
                 [&](const ForEach& form) { collect_assigned(form.body.get(), names); },
                 [&](const Block& form) { all(form.statements); },
                 [&](const Profile& form) { all(form.body.statements); },
                 [](const auto&) {},
             },
             statement->form);
}

/// Formats values as Stan does: 1.5, [1,2], [[1,2],[3,4]].
void write_numbers(std::ostream& text, const Value& value, std::size_t axis, std::size_t flat) {
  if (axis == value.dims.size()) {
    text << value.numbers[flat];
    return;
  }
  std::size_t stretch = 1;
  for (std::size_t later = axis + 1; later < value.dims.size(); ++later)
    stretch *= static_cast<std::size_t>(value.dims[later]);
  text << '[';
  for (std::size_t i = 0; i < static_cast<std::size_t>(value.dims[axis]); ++i) {
    if (i > 0) text << ',';
    write_numbers(text, value, axis + 1, flat + i * stretch);
  }
  text << ']';
}

constexpr std::uint64_t statements_between_looks = 1024;             // between checks of the interrupt flag
constexpr std::uint64_t statements_between_memory_looks = 1u << 16;  // about 100 MB if each makes expressions

}  // namespace

bool may_leave(const Statement& statement) { return holds_return(statement, false); }

bool prints(const Statement& statement) {
  auto in = [](const StatementPointer& inner) { return inner && prints(*inner); };
  auto in_any = [&](const Block& block) { return std::any_of(block.statements.begin(), block.statements.end(), in); };
  return std::visit(Overloaded{
                        [](const Print&) { return true; },
                        [&](const If& form) { return in(form.then) || in(form.otherwise); },
                        [&](const While& form) { return in(form.body); },
                        [&](const For& form) { return in(form.body); },
                        [&](const ForEach& form) { return in(form.body); },
                        [&](const Block& form) { return in_any(form); },
                        [&](const Profile& form) { return in_any(form.body); },
                        [](const auto&) { return false; },
                    },
                    statement.form);
}

std::vector<std::string> assigned_names(const Statement& statement) {
  std::vector<std::string> names;
  collect_assigned(&statement, names);
  return names;
}

bool Interpreter::leaves(const Statement& statement) {
  auto [known, fresh] = leaves_.try_emplace(&statement, false);
  if (fresh) known->second = may_leave(statement);
  return known->second;
}

Interpreter::Flow Interpreter::execute_all(const std::vector<StatementPointer>& statements, std::size_t from,
                                           const Continuation& rest) {
  for (std::size_t i = from; i < statements.size(); ++i) {
    const Statement& statement = *statements[i];
    const bool branches = std::holds_alternative<If>(statement.form) || std::holds_alternative<Block>(statement.form);
    if (branches && leaves(statement))
      return execute_then(statement, [&, i] { return execute_all(statements, i + 1, rest); });
    const Flow flow = execute(statement);
    if (flow != Flow::normal) return flow;
  }
  return rest ? rest() : Flow::normal;
}

/// A statement that may exit, then the rest: if the condition is not known, the rest belongs to each branch.
Interpreter::Flow Interpreter::execute_then(const Statement& statement, const Continuation& rest) {
  if (const auto* block = std::get_if<Block>(&statement.form)) {
    ScopeGuard guard(frames_.back().scopes);
    return execute_all(block->statements, 0, rest);
  }
  if (const auto* form = std::get_if<If>(&statement.form)) {
    return branch(
        *form->condition, [&] { return execute_then(*form->then, rest); },
        [&] { return form->otherwise ? execute_then(*form->otherwise, rest) : rest(); });
  }
  const Flow flow = execute(statement);
  return flow == Flow::normal ? rest() : flow;
}

Interpreter::Flow Interpreter::branch(const Tree& tree, const Continuation& then, const Continuation& otherwise) {
  const Value condition = evaluate(tree);
  struct Count {
    int& count;
    int by;
    ~Count() { count -= by; }
  } conditions{data_conditions_, touches_data(tree) ? 1 : 0};
  data_conditions_ += conditions.by;
  if (condition.is_data() && condition.role == Role::plain) return condition.number() != 0 ? then() : otherwise();
  if (condition.is_data()) return branch_on_rows(condition, then, otherwise, tree.span);
  return branch_on_symbol(condition, then, otherwise, tree.span);
}

std::optional<Interpreter::Flow> Interpreter::in_masked_rows(const Numbers& condition, bool negate,
                                                             const Continuation& body) {
  const RowContext& outer = context();
  const auto rows = static_cast<std::size_t>(axis_->rows());
  std::vector<double> mask(rows);
  std::size_t count = 0, outer_count = 0, first = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool in_outer = outer.mask.size() == 0 || outer.mask[i] != 0;
    const bool in = in_outer && (condition[i] != 0) != negate;
    outer_count += in_outer;
    mask[i] = in;
    if (in && count++ == 0) first = i;
  }
  if (count == 0) return std::nullopt;
  if (count == outer_count) return body();
  std::vector<double> index(rows);
  for (std::size_t i = 0; i < rows; ++i) index[i] = outer.index[mask[i] != 0 ? i : first];
  RowContext made;
  made.index = Numbers(std::move(index));
  made.mask = Numbers(std::move(mask));
  made.id = next_context_++;
  contexts_.push_back(std::move(made));
  const Flow flow = body();
  contexts_.pop_back();
  return flow;
}

/// Runs the branch of a condition; false if it rejects, with all state but values restored.
bool Interpreter::unless_rejected(const std::function<void()>& body) {
  const std::size_t contexts = contexts_.size(), guards = guards_.size();
  try {
    body();
    return true;
  } catch (const Rejected&) {
    contexts_.resize(contexts);
    guards_.resize(guards);
    return false;
  }
}

Interpreter::Flow Interpreter::branch_on_rows(const Value& condition, const Continuation& then,
                                              const Continuation& otherwise, Span span) {
  const int label = context().id;
  std::optional<Value> first;
  const Numbers mask = condition.numbers;
  std::optional<Flow> flow, other;
  bool rejects = !unless_rejected([&] { flow = in_masked_rows(mask, false, then); });
  if (flow == Flow::returned) first = frames_.back().result;
  rejects = !unless_rejected([&] { other = in_masked_rows(mask, true, otherwise); }) || rejects;
  if (rejects && !flow && !other) throw Rejected{};
  if (!flow) return *other;
  if (!other) {
    if (first) frames_.back().result = *first;
    return *flow;
  }
  // Unless the iteration was left, the rest of it has run: both branches are at its end.
  auto ends_turn = [](Flow each) { return each == Flow::normal || each == Flow::continued; };
  if (*flow != *other && ends_turn(*flow) && ends_turn(*other)) return Flow::continued;
  if (*flow != *other) tie(span, "the loop is left for some rows and not for others", mask);
  if (*flow == Flow::returned && first->type.base != Base::nothing) {
    Value condition_value = condition;
    condition_value.context = label;
    Value second = frames_.back().result;
    for (Value* value : {&*first, &second})
      if (value->role == Role::row) value->context = label;
    frames_.back().result = select_value(condition_value, *first, second, first->type, span);
  }
  return *flow;
}

/// Merges two states of a container that a loop over rows fills, row by row.
Value Interpreter::select_filled(const Expression& condition, const Value& if_true, const Value& if_false, Span span) {
  // For all rows: rows outside the enclosing conditions have the same value in both.
  auto contexts = std::exchange(contexts_, {});
  Value element = element_of_rows(if_true, span);
  element.symbol = select(condition, row_expression(element), row_expression(element_of_rows(if_false, span)));
  if (element.symbol.shape() != shape_of(element.dims))
    element.symbol = broadcast_to(element.symbol, shape_of(element.dims));
  contexts_ = std::move(contexts);
  return rows_of_element(std::move(element), if_true.type);
}

Interpreter::Flow Interpreter::branch_on_symbol(const Value& condition, const Continuation& then,
                                                const Continuation& otherwise, Span span) {
  if (condition.row_sum) tie(span, "the condition depends on a sum over all rows");
  const Expression chosen = row_expression(condition);
  auto before = frames_.back().scopes;
  Flow flow = Flow::normal;
  guards_.push_back(chosen);
  const bool reached = unless_rejected([&] { flow = then(); });
  guards_.pop_back();
  auto& scopes = frames_.back().scopes;
  const auto after_then = scopes;
  // Restores values only: enclosing loops hold references to the variables.
  auto restore = [&](const auto& saved) {
    for (std::size_t depth = 0; depth < scopes.size() && depth < saved.size(); ++depth)
      for (auto& [name, variable] : scopes[depth])
        if (auto found = saved[depth].find(name); found != saved[depth].end()) variable = found->second;
  };
  restore(before);
  const Value first = frames_.back().result;
  Flow other = Flow::normal;
  guards_.push_back(equal(chosen, 0.0));
  const bool other_reached = unless_rejected([&] { other = otherwise(); });
  guards_.pop_back();
  // If one side rejects, only the values of the other count.
  if (!reached && !other_reached) throw Rejected{};
  if (!reached) return other;
  if (!other_reached) {
    restore(after_then);
    frames_.back().result = first;
    return flow;
  }
  auto ends_turn = [](Flow each) { return each == Flow::normal || each == Flow::continued; };
  Flow common = flow;
  if (flow != other && ends_turn(flow) && ends_turn(other)) common = other = Flow::continued;
  if (common != other || common == Flow::broke)
    fail(span, "this condition depends on parameters, so a loop cannot be left because of it",
         "write the loop over the full range and choose values with `condition ? a : b`");
  if (flow == Flow::returned && first.type.base != Base::nothing)
    frames_.back().result = select_value(condition, first, frames_.back().result, first.type, span);
  for (std::size_t depth = 0; depth < scopes.size() && depth < after_then.size(); ++depth) {
    for (auto& [name, variable] : scopes[depth]) {
      auto found = after_then[depth].find(name);
      if (found == after_then[depth].end()) continue;
      const Value& a = found->second.value;
      Value& b = variable.value;
      variable.added_to = variable.added_to || found->second.added_to;
      for (std::size_t i = 0; i < variable.assigned.size(); ++i) {
        // Must be assigned on both sides, or it may still hold the value of another row.
        Covered& here = variable.assigned[i];
        const Covered& there = found->second.assigned[i];
        if (there.all) continue;
        if (here.all)
          here = there;
        else if (there.rows.empty())
          here.rows.clear();
        else
          for (std::size_t row = 0; row < here.rows.size(); ++row) here.rows[row] = here.rows[row] && there.rows[row];
      }
      const bool same = a.set == b.set && a.numbers.identity() == b.numbers.identity() &&
                        a.symbol.pointer() == b.symbol.pointer() && a.pieces == b.pieces &&
                        a.row_sum.pointer() == b.row_sum.pointer() &&
                        (a.numbers.size() != 1 || a.numbers[0] == b.numbers[0]);
      if (same) continue;
      if (!a.set) continue;
      if (!b.set)
        b = a;
      else if (variable.filled && a.role == Role::rows && b.role == Role::rows)
        b = select_filled(chosen, a, b, span);
      else
        b = select_value(condition, a, b, variable.type, span);
    }
  }
  return common;
}

Interpreter::Flow Interpreter::execute(const Statement& statement) {
  if (++statements_run_ > most_statements)
    throw LimitError(source_, statement.span,
                     "the program runs more than " + std::to_string(most_statements) + " statements",
                     "write the loop in vectorised form");
  if (statements_run_ % statements_between_looks == 0 && interrupt_ && interrupt_->load(std::memory_order_relaxed) &&
      statements_run_ > statements_before_interrupt_)
    throw InterruptedError(source_, statement.span, "interrupted here");
  try {
    if (statements_run_ % statements_between_memory_looks == 0 && memory_is_short()) throw std::bad_alloc();
    return execute_form(statement);
  } catch (const std::bad_alloc&) {
    fail_for_memory(statement.span);
  } catch (const std::length_error&) {
    fail_for_memory(statement.span);
  } catch (const ShapeError& error) {
    // Handling all rows at once may exceed the memory; retries the statement without rows.
    if (axis_) tie(statement.span, error.what());
    fail(statement.span, error.what());
  }
}

void Interpreter::fail_for_memory(Span span) {
  reserve_.reset();
  throw LimitError(source_, span, "not enough memory for this statement");
}

Interpreter::Flow Interpreter::execute_form(const Statement& statement) {
  const Span span = statement.span;
  return std::visit(Overloaded{
                        [&](const Declaration& form) {
                          run_declaration(form, span);
                          return Flow::normal;
                        },
                        [&](const Assignment& form) {
                          assign(form, span);
                          return Flow::normal;
                        },
                        [&](const TargetIncrement& form) {
                          run_increment(*form.value, span);
                          return Flow::normal;
                        },
                        [&](const Sampling& form) {
                          run_sampling(form, span);
                          return Flow::normal;
                        },
                        [&](const CallStatement& form) {
                          evaluate(*form.call);
                          return Flow::normal;
                        },
                        [&](const If& form) {
                          return branch(
                              *form.condition, [&] { return execute(*form.then); },
                              [&] { return form.otherwise ? execute(*form.otherwise) : Flow::normal; });
                        },
                        [&](const While& form) { return run_while(form, span); },
                        [&](const For& form) { return run_loop(form, span); },
                        [&](const ForEach& form) { return run_for_each(form, span); },
                        [&](const Block& form) {
                          ScopeGuard guard(frames_.back().scopes);
                          return execute_all(form.statements);
                        },
                        [&](const Return& form) {
                          if (form.value) {
                            frames_.back().result = evaluate(*form.value);
                          } else {
                            frames_.back().result = Value();
                            frames_.back().result.type = {Base::nothing, 0};
                          }
                          return Flow::returned;
                        },
                        [](const Break&) { return Flow::broke; },
                        [](const Continue&) { return Flow::continued; },
                        [&](const Print& form) {
                          if (printer_) printer_(message_text(form.arguments));
                          return Flow::normal;
                        },
                        [&](const Reject& form) {
                          run_reject(form, span);
                          return Flow::normal;
                        },
                        [&](const Profile& form) {
                          ScopeGuard guard(frames_.back().scopes);
                          return execute_all(form.body.statements);
                        },
                    },
                    statement.form);
}

Interpreter::Sizes Interpreter::sizes(const Declaration& declaration) {
  Sizes made;
  for (std::size_t axis = 0; axis < declaration.sizes.size(); ++axis) {
    const Tree& tree = *declaration.sizes[axis];
    const Value size = evaluate(tree);
    if (!size.is_data()) fail(tree.span, "a size cannot depend on parameters");
    const std::int64_t number = plain_integer(size, "a size differs from row to row", tree.span);
    if (number < 0)
      fail(tree.span,
           "the size of '" + declaration.name + "' is " + std::to_string(number) + ", it must not be negative");
    made.dims.push_back(number);
    if (axis == 0) made.over_rows = size.counts_rows;
  }
  // Stan writes square matrices with one size.
  if (declaration.constraint.kind >= ConstraintTree::Kind::cholesky_factor_corr &&
      static_cast<int>(made.dims.size()) == declaration.type.rank() - 1)
    made.dims.push_back(made.dims.back());
  return made;
}

void Interpreter::require_memory(const Dims& dims, const std::string& name, Span span) const {
  if (const std::string why = beyond_memory(dims); !why.empty())
    throw LimitError(source_, span, "'" + name + "' " + why, "declare it smaller");
}

void Interpreter::run_declaration(const Declaration& form, Span span) {
  Sizes found = sizes(form);
  if (!found.over_rows)
    require_memory(found.dims, form.name, form.name_span);  // containers over rows are never stored as a whole
  if (found.over_rows && in_rows()) tie(span, "a container of all rows is declared inside a loop over rows");
  std::optional<Value> value;
  const bool from_data = form.value && touches_data(*form.value);
  if (form.value) value = evaluate(*form.value);
  Variable& variable = declare(form.name, form.name_span, form.type, std::move(found.dims), found.over_rows);
  variable.from_data = from_data;
  if (value) assign_whole(variable, form.name, std::move(*value), form.value->span);
}

void Interpreter::run_increment(const Tree& value, Span span) {
  const bool uses_data = outcome_is_data(value);
  const auto* call = std::get_if<Call>(&value.form);
  if (call && axis_ && (call->name.ends_with("_lpdf") || call->name.ends_with("_lpmf"))) {
    std::vector<const Tree*> trees;
    std::vector<Type> types;
    for (const auto& argument : call->arguments) {
      trees.push_back(argument.get());
      types.push_back(argument->type);
    }
    if (!find_function(program_, call->name, types) && add_stretch(call->name, trees, span, uses_data)) return;
  }
  add_target(evaluate(value), span, uses_data);
}

void Interpreter::run_sampling(const Sampling& form, Span span) {
  if (drawer_) {
    ++changes_;
    drawer_->draw(form, span);
    return;
  }
  std::vector<const Tree*> trees{form.left.get()};
  for (const auto& argument : form.arguments) trees.push_back(argument.get());
  std::vector<Type> types;
  for (const Tree* tree : trees) types.push_back(tree->type);
  const Function* function = find_density(program_, form.distribution, types);
  if (!function && !form.truncation)
    for (const char* suffix : {"_lpdf", "_lpmf"})
      if (is_function(form.distribution + suffix) &&
          add_stretch(form.distribution + suffix, trees, span, data_conditions_ > 0 || touches_data(*form.left)))
        return;
  std::vector<Value> arguments;
  if (function)
    for (const Tree* tree : trees) arguments.push_back(evaluate(*tree));
  else
    arguments = density_arguments(trees);
  const bool uses_data = arguments[0].is_data() || data_conditions_ > 0 || touches_data(*form.left);
  if (function) {
    if (form.truncation)
      fail(form.truncation->span, "a user-defined distribution cannot be truncated with T[,]",
           "add the normalising term to target");
    add_target(call_user(*function, arguments, span), span, uses_data);
    return;
  }
  for (const char* suffix : {"_lpdf", "_lpmf"}) {
    if (is_function(form.distribution + suffix)) {
      add_target(density(form.distribution + suffix, arguments, span), span, uses_data);
      break;
    }
  }
  if (form.truncation) {
    infinite_cut_ = false;
    Value cut = truncation(form.distribution, *form.truncation, arguments, span);
    add_target(apply("minus", {std::move(cut)}, {Base::real, 0}, span), span, uses_data, infinite_cut_);
  }
}

/// Under conditions on parameters, makes the log density -infinity where they hold; otherwise throws.
void Interpreter::run_reject(const Reject& form, Span span) {
  if (guards_.empty()) throw RejectError(source_, span, "the model rejects: " + message_text(form.arguments));
  add_target(real_value(-std::numeric_limits<double>::infinity()), span, false, true);
  rejections_.push_back(span);
  throw Rejected{};
}

std::string Interpreter::message_text(const std::vector<TreePointer>& arguments) {
  std::ostringstream text;
  for (const auto& argument : arguments) {
    if (const auto* literal = std::get_if<StringLiteral>(&argument->form)) {
      text << literal->text;
      continue;
    }
    const Value value = evaluate(*argument);
    if (!value.is_data()) {
      text << source_.text(argument->span);
      continue;
    }
    write_numbers(text, value, 0, 0);
  }
  return text.str();
}

}  // namespace sgmcmc::stan
