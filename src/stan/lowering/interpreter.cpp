// Scopes, and terms of the log density.
#include "stan/lowering/interpreter.hpp"

#include "stan/syntax/scope_guard.hpp"
#include "stan/syntax/tree_walk.hpp"

#include <cmath>

namespace sgmcmc::stan {

Interpreter::Interpreter(const Source& source, const Program& program, RowAxis* axis)
    : source_(source), program_(program), axis_(axis) {
  frames_.emplace_back();
  frames_.back().scopes.emplace_back();
}

void Interpreter::fail(Span span, const std::string& message, const std::string& help) const {
  throw StanError(source_, span, message, help);
}

void Interpreter::tie(Span span, const std::string& reason, const Numbers& split) const {
  throw NotSeparable{span, reason, split};
}

bool Interpreter::touches_data(const Tree& tree) {
  bool found = false;
  for_each_tree(tree, [&](const Tree& part) {
    const auto* name = std::get_if<Name>(&part.form);
    const Variable* variable = name && !found ? lookup(name->name) : nullptr;
    found = found || (variable && variable->from_data);
  });
  return found;
}

/// Whether a term of the log density depends on data other than settings of a prior.
bool Interpreter::outcome_is_data(const Tree& value) {
  if (data_conditions_ > 0) return true;
  const auto* call = std::get_if<Call>(&value.form);
  const bool density = call && (call->name.ends_with("pdf") || call->name.ends_with("pmf"));
  return touches_data(density && !call->arguments.empty() ? *call->arguments[0] : value);
}

void Interpreter::define(const std::string& name, Value value) {
  Variable variable;
  variable.type = value.type;
  variable.dims = value.dims;
  variable.over_rows = value.role == Role::rows;
  variable.from_data = value.is_data() && !value.dims.empty();
  variable.value = std::move(value);
  frames_.front().scopes.front()[name] = std::move(variable);
}

const Value* Interpreter::find(const std::string& name) const {
  const auto& scope = frames_.front().scopes.front();
  auto found = scope.find(name);
  return found == scope.end() ? nullptr : &found->second.value;
}

Interpreter::Variable* Interpreter::lookup(const std::string& name) {
  auto& scopes = frames_.back().scopes;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto found = scope->find(name);
    if (found != scope->end()) return &found->second;
  }
  return nullptr;
}

Interpreter::Variable& Interpreter::declare(const std::string& name, Span, Type type, Dims dims, bool over_rows) {
  Variable variable;
  variable.type = type;
  variable.dims = dims;
  variable.over_rows = over_rows;
  variable.context = in_rows() ? context().id : 0;
  variable.value = unset_value(type, std::move(dims));
  if (over_rows) variable.value.role = Role::rows;
  return frames_.back().scopes.back()[name] = std::move(variable);
}

Expression Interpreter::mask_expression() {
  return context().mask.size() == 0 ? Expression() : axis_->column(context().mask, {}, false, "applies");
}

double Interpreter::mask_count() const {
  const auto& mask = contexts_.back().mask;
  if (mask.size() == 0) return static_cast<double>(axis_->rows());
  double count = 0;
  for (double m : mask.view()) count += m;
  return count;
}

void Interpreter::add_target(const Value& value, Span span, bool uses_data, bool infinite) {
  TargetTerm term;
  term.span = span;
  term.uses_data = uses_data;
  auto guarded = [this](Expression x) {
    for (const auto& guard : guards_) x = select(guard, x, 0.0);
    return x;
  };
  // The term of every row, or a term added once.
  auto add_row = [&](Expression x) {
    x = guarded(x);
    Expression mask = in_rows() ? mask_expression() : Expression();
    if (x.per_row())
      term.row = mask ? (infinite ? select(mask, x, 0.0) : mask * x) : x;
    else
      term.counted = true, term.plain = (in_rows() ? mask_count() : static_cast<double>(axis_->rows())) * x;
  };
  if (value.row_sum) {
    if (in_rows()) tie(span, "a sum over all rows is added for every row");
    term.row = guarded(value.row_sum);
    if (value.symbol)
      term.plain = guarded(sum(value.symbol));
    else if (value.numbers.size() > 0)
      term.constant = value.number();
  } else if (value.role == Role::row && value.is_data() && guards_.empty()) {
    const auto stretch = static_cast<std::size_t>(size_of(value.dims));
    const auto& mask = context().mask;
    for (std::size_t i = 0; i < value.numbers.size(); ++i)
      if (mask.size() == 0 || mask[i / stretch] != 0) term.constant += value.numbers[i];
  } else if (value.role == Role::row) {
    add_row(sum(row_expression(value)));
  } else if (value.role == Role::rows && !value.is_data() && !value.whole && !value.pieces) {
    if (in_rows()) tie(span, "a sum over all rows is added for every row");
    add_row(sum(value.symbol));
  } else if (value.is_data() && guards_.empty()) {
    for (double x : value.numbers.view()) term.constant += x;
    if (in_rows()) term.constant *= mask_count();
  } else if (in_rows()) {
    add_row(sum(expression_of(value)));
  } else {
    term.plain = guarded(sum(expression_of(value)));
  }
  if (std::isnan(term.constant))
    fail(span, "this adds NaN to the log density for all parameters", "check the data it reads");
  terms_.push_back(std::move(term));
}

void Interpreter::run(const ProgramBlock& block) { execute_all(block.statements); }

void Interpreter::run_on_numbers(const ProgramBlock& block) {
  ScopeGuard guard(frames_.back().scopes);
  on_numbers_ = true;
  run(block);
  on_numbers_ = false;
}

void Interpreter::run(const ProgramBlock& block, std::size_t& done) {
  for (const auto& statement : block.statements) {
    execute(*statement);
    ++done;
  }
}

}  // namespace sgmcmc::stan
