// Statements: assignments, loops and where statements are allowed.
#include "stan/builtins/signatures.hpp"
#include "stan/check/check_mismatch.hpp"
#include "stan/check/check_operators.hpp"
#include "stan/check/checker.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace sgmcmc::stan {
namespace {

/// The statements of a block or profile; empty for other statements.
const std::vector<StatementPointer>* statements_of(const Statement& statement) {
  if (const auto* block = std::get_if<Block>(&statement.form)) return &block->statements;
  if (const auto* profile = std::get_if<Profile>(&statement.form)) return &profile->body.statements;
  return nullptr;
}

/// Whether the body contains a break of its own loop, not of inner loops.
bool contains_break(const Statement& statement) {
  if (const auto* branch = std::get_if<If>(&statement.form)) {
    return contains_break(*branch->then) || (branch->otherwise && contains_break(*branch->otherwise));
  }
  if (const auto* inner = statements_of(statement)) {
    return std::any_of(inner->begin(), inner->end(), [](const auto& part) { return contains_break(*part); });
  }
  return std::holds_alternative<Break>(statement.form);
}

}  // namespace

bool always_returns(const Statement& statement) {
  if (const auto* branch = std::get_if<If>(&statement.form)) {
    return branch->otherwise && always_returns(*branch->then) && always_returns(*branch->otherwise);
  }
  if (const auto* loop = std::get_if<While>(&statement.form)) {
    const auto* literal = std::get_if<IntegerLiteral>(&loop->condition->form);
    return literal && literal->value != 0 && !contains_break(*loop->body);
  }
  if (const auto* inner = statements_of(statement)) {
    return std::any_of(inner->begin(), inner->end(), [](const auto& part) { return always_returns(*part); });
  }
  return std::holds_alternative<Return>(statement.form) || std::holds_alternative<Reject>(statement.form);
}

void Checker::check_statement(Statement& statement) {
  std::visit([&](auto& form) { check_form(form, statement.span); }, statement.form);
}

void Checker::check_statements(std::vector<StatementPointer>& statements) {
  for (const StatementPointer& statement : statements) check_statement(*statement);
}

void Checker::check_nested(StatementPointer& statement) {
  const OpenScope scope(scopes_);
  const Context outer = context_;
  context_.top_level = false;
  check_statement(*statement);
  context_ = outer;
}

void Checker::check_form(Declaration& declaration, Span) { declare(declaration); }

void Checker::set_depends(Variable& variable) {
  variable.data_only = false;
  if (depends_.insert(variable.span.begin).second) settled_ = false;
}

Variable& Checker::assigned_variable(const Tree& target) {
  const Tree* root = &target;
  while (const auto* indexed = std::get_if<Indexed>(&root->form)) root = indexed->container.get();
  const auto* name = std::get_if<Name>(&root->form);
  if (!name) fail(target.span, "only a variable or its elements can be assigned to");
  Variable& variable = *scopes_.find(name->name);  // the target was checked, so the name exists
  const std::string quoted = "'" + variable.name + "'";
  if (variable.kind != Variable::Kind::declared) {
    fail(root->span, "cannot assign to " + quoted + ": it is " + variable.description(),
         "copy it to a local variable and change that");
  }
  if (variable.block != context_.block) {
    std::string help = "declare a variable in " + block_text(context_.block);
    if (variable.is_parameter()) help = "parameters are what is sampled: declare another variable for the new value";
    fail(root->span,
         "cannot assign to " + quoted + " in " + block_text(context_.block) + ": it is " + variable.description() +
             ", declared in " + block_text(variable.block),
         help);
  }
  return variable;
}

void Checker::require_assignable(const Tree& value, const Type& found, const Type& expected, const std::string& what) {
  if (promotes(found, expected)) return;
  fail(value.span, what + " has type " + expected.to_string() + " and cannot hold " + found.to_string(),
       conversion_help(found, expected, text_of(value, "(...)")));
}

void Checker::check_form(Assignment& assignment, Span span) {
  check(*assignment.target);
  Variable& variable = assigned_variable(*assignment.target);
  check(*assignment.value, assignment.target->type);
  Type type = assignment.value->type;
  if (assignment.op) {
    integer_wanted_ = true;  // n /= 2 clearly keeps an int
    type = check_operation(*assignment.op, *assignment.target, *assignment.value, span, "=");
    integer_wanted_ = false;
  }
  const bool whole = std::holds_alternative<Name>(assignment.target->form);
  require_assignable(*assignment.value, type, assignment.target->type,
                     whole ? "'" + variable.name + "'" : "'" + text_of(*assignment.target, "the left side") + "'");
  bool on_parameters = context_.parameter_control || !assignment.value->data_only;
  if (const auto* indexed = std::get_if<Indexed>(&assignment.target->form)) {
    for (const Index& index : indexed->indices) {
      for (const Tree* part : {index.single.get(), index.from.get(), index.to.get()}) {
        if (part && !part->data_only) on_parameters = true;
      }
    }
  }
  if (on_parameters) set_depends(variable);
}

void Checker::check_form(CallStatement& statement, Span span) {
  check_call(*statement.call, std::get<Call>(statement.call->form));
  if (statement.call->type.base != Base::nothing) {
    fail(span, "the value of this call (" + statement.call->type.to_string() + ") is not used",
         "assign it to a variable; 'target += ...;' adds it to the log density");
  }
}

void Checker::check_condition(Tree& condition, const char* what) {
  check(condition);
  if (condition.type.is_scalar()) return;
  fail(condition.span,
       std::string("the condition of '") + what + "' must be int or real; found " + condition.type.to_string(),
       "use its elements, or a number computed from them, as in sum(x) > 0");
}

void Checker::check_form(If& statement, Span) {
  check_condition(*statement.condition, "if");
  const Context outer = context_;
  if (!statement.condition->data_only) context_.parameter_control = true;
  check_nested(statement.then);
  if (statement.otherwise) check_nested(statement.otherwise);
  context_ = outer;
}

void Checker::check_form(While& statement, Span) {
  check_condition(*statement.condition, "while");
  const Context outer = context_;
  if (!statement.condition->data_only) context_.parameter_control = true;
  ++context_.loops;
  check_nested(statement.body);
  context_ = outer;
}

void Checker::check_loop(const Variable& variable, StatementPointer& body, bool on_parameters) {
  require_new_name(variable.name, variable.span);
  const OpenScope scope(scopes_);
  const Context outer = context_;
  scopes_.declare(variable);
  if (on_parameters) context_.parameter_control = true;
  ++context_.loops;
  check_nested(body);
  context_ = outer;
}

void Checker::check_form(For& statement, Span) {
  require_integer(*statement.from, "the first value of a loop");
  require_integer(*statement.to, "the last value of a loop");
  const bool data = statement.from->data_only && statement.to->data_only;
  check_loop({statement.variable,
              {Base::integer, 0},
              Variable::Kind::loop,
              context_.block,
              false,
              data,
              statement.variable_span},
             statement.body, !data);
}

void Checker::check_form(ForEach& statement, Span) {
  check(*statement.container);
  const Type container = statement.container->type;
  if (container.is_scalar()) {
    fail(statement.container->span, "a loop runs over a range or a container; found " + container.to_string(),
         container == Type{Base::integer, 0} ? "write 1:" + text_of(*statement.container, "N") : "");
  }
  const Type element = container.array_rank > 0 ? Type{container.base, container.array_rank - 1} : Type{Base::real, 0};
  check_loop({statement.variable, element, Variable::Kind::loop, context_.block, false, statement.container->data_only,
              statement.variable_span},
             statement.body, false);
}

void Checker::check_form(Block& block, Span) {
  const OpenScope scope(scopes_);
  const Context outer = context_;
  context_.top_level = false;
  check_statements(block.statements);
  context_ = outer;
}

void Checker::check_form(Profile& profile, Span span) { check_form(profile.body, span); }

void Checker::check_form(Return& statement, Span span) {
  if (!context_.function) fail(span, "return is allowed only in a function", "leave a loop with break");
  const Type expected = context_.function->result;
  const std::string name = "'" + context_.function->name + "'";
  if (!statement.value) {
    if (expected.base != Base::nothing) {
      fail(span, name + " must return " + expected.to_string() + "; found no value", "write return ...;");
    }
    return;
  }
  check(*statement.value, expected);
  if (expected.base == Base::nothing) {
    fail(statement.value->span, name + " is void and returns no value; found " + statement.value->type.to_string(),
         "write 'return;', or give the function a type");
  }
  if (promotes(statement.value->type, expected)) return;
  fail(statement.value->span,
       name + " must return " + expected.to_string() + "; found " + statement.value->type.to_string(),
       conversion_help(statement.value->type, expected, text_of(*statement.value, "(...)")));
}

void Checker::check_form(Break&, Span span) {
  if (context_.loops == 0) fail(span, "break is allowed only in a loop");
}

void Checker::check_form(Continue&, Span span) {
  if (context_.loops == 0) fail(span, "continue is allowed only in a loop");
}

void Checker::check_values(std::vector<TreePointer>& arguments) {
  for (const TreePointer& argument : arguments) {
    check(*argument);
  }
}

void Checker::check_form(Print& statement, Span) { check_values(statement.arguments); }
void Checker::check_form(Reject& statement, Span) { check_values(statement.arguments); }

}  // namespace sgmcmc::stan
