// The checker: one walk over a program, with its rules in check_*.cpp.
#pragma once

#include "stan/check/check.hpp"
#include "stan/check/check_scopes.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

class Checker {
 public:
  Checker(Program& program, const Source& source) : program_(program), source_(source) {}
  /// Repeats the walk until dependencies on parameters are settled; see depends_.
  std::vector<Warning> run();

 private:
  /// The current context of the walk.
  struct Context {
    BlockKind block = BlockKind::functions;
    const Function* function = nullptr;
    bool top_level = false;
    int loops = 0;
    bool parameter_control = false;  ///< inside an if or a loop whose condition depends on parameters
  };

  // Blocks and functions: check.cpp.
  void walk();
  void check_block(ProgramBlock& block, BlockKind kind);
  void check_signature(const Function& function);
  void check_function(Function& function);

  // Declarations: check_declarations.cpp.
  void declare(Declaration& declaration);
  void require_new_name(const std::string& name, Span span);
  void check_bound(Tree& bound, const char* what, const Declaration& declaration);
  void check_constraint(Declaration& declaration);
  void require_data_names(const Tree& size);

  // Statements: check_statements.cpp; those about densities: check_sampling.cpp.
  void check_statement(Statement& statement);
  void check_statements(std::vector<StatementPointer>& statements);
  void check_nested(StatementPointer& statement);  ///< with a scope of its own
  void check_form(Declaration& declaration, Span span);
  void check_form(Assignment& assignment, Span span);
  void check_form(TargetIncrement& increment, Span span);
  void check_form(Sampling& sampling, Span span);
  void check_form(CallStatement& statement, Span span);
  void check_form(If& statement, Span span);
  void check_form(While& statement, Span span);
  void check_form(For& statement, Span span);
  void check_form(ForEach& statement, Span span);
  void check_form(Block& block, Span span);
  void check_form(Return& statement, Span span);
  void check_form(Break& statement, Span span);
  void check_form(Continue& statement, Span span);
  void check_form(Print& statement, Span span);
  void check_form(Reject& statement, Span span);
  void check_form(Profile& profile, Span span);
  void check_condition(Tree& condition, const char* what);
  void check_loop(const Variable& variable, StatementPointer& body, bool on_parameters);
  void check_values(std::vector<TreePointer>& arguments);  ///< of print and reject
  Variable& assigned_variable(const Tree& target);
  void require_assignable(const Tree& value, const Type& found, const Type& expected, const std::string& what);
  void set_depends(Variable& variable);
  void check_truncation(Sampling& sampling, const std::vector<Type>& types, bool users);
  void warn_of_sampling(const Sampling& sampling, bool users);
  void warn_of_missing_jacobian(const Tree& left);
  std::string declared_as(const Declaration& declaration, const std::string& bounds) const;
  void warn_of_uniform(const Sampling& sampling, const Variable& parameter);
  void check_argument_domains(const Sampling& sampling);
  void check_argument_domain(const Sampling& sampling, const Tree& tree, std::size_t argument);

  // Expressions: check_expressions.cpp.
  void check(Tree& tree);
  void check(Tree& tree, const Type& wanted);  ///< where a value of this type is wanted
  void check_form(Tree& tree, IntegerLiteral& literal);
  void check_form(Tree& tree, RealLiteral& literal);
  void check_form(Tree& tree, StringLiteral& literal);
  void check_form(Tree& tree, Name& name);
  void check_form(Tree& tree, Unary& unary);
  void check_form(Tree& tree, Binary& binary);
  void check_form(Tree& tree, Conditional& conditional);
  void check_form(Tree& tree, Indexed& indexed);
  void check_form(Tree& tree, ArrayLiteral& literal);
  void check_form(Tree& tree, RowVectorLiteral& literal);
  void check_form(Tree& tree, Call& call);  // check_calls.cpp
  void require_integer(Tree& tree, const std::string& what);
  bool check_index(Index& index);  ///< whether it keeps its dimension
  /// `assigns`: "=" for the operator of a compound assignment.
  Type check_operation(Operator op, const Tree& left, const Tree& right, Span span, const char* assigns = "");
  void warn_of_integer_division(const Tree& left, const Tree& right, Span span);

  // Calls: check_calls.cpp; errors about calls that match nothing: check_mismatch.cpp, check_unknown.cpp.
  void check_call(Tree& tree, Call& call);  ///< which may return nothing
  void check_target(Tree& tree);
  void expand_reduce_sum(Tree& tree);  ///< check_reduce_sum.cpp
  void check_where_called(const Call& call);
  void check_data_arguments(const Function& function, std::span<const Tree* const> arguments);
  std::string unknown_name_help(const std::string& name, Span used) const;
  [[noreturn]] void unknown_function(const Call& call);
  [[noreturn]] void unknown_distribution(const Sampling& sampling);
  /// A call that matched no signature.
  struct Mismatch {
    std::string function;   ///< full name: "normal_lpdf"
    std::string shown;      ///< as the user wrote it: "normal"
    bool sampling = false;  ///< the first argument stands left of ~
    std::vector<const Tree*> arguments;
    Span span;
  };
  [[noreturn]] void no_signature(const Mismatch& mismatch);
  bool has_user_function(std::string_view name) const;

  // Texts.
  std::string text_of(const Tree& tree, const char* otherwise) const;
  [[noreturn]] void fail(Span span, const std::string& message, const std::string& help = {}) const;
  void warn(Span span, std::string message, std::string help);
  bool in_function_ending(std::string_view suffix) const;
  bool may_use_target() const;
  std::string line_of(Span span) const;  ///< "line 12"

  Program& program_;
  const Source& source_;
  Scopes scopes_;
  Context context_;
  std::vector<Warning> warnings_;
  bool integer_wanted_ = false;
  /// Variables, by the place of their declaration, that depend on parameters through assignments. In a loop, a
  /// statement may read one before that assignment, so the walk repeats until none is added.
  std::set<std::uint32_t> depends_;
  bool settled_ = true;
};

bool is_reduce_sum(const Call& call);

/// Warnings about the whole program, after all checks passed.
void warn_of_unused_parameters(const Program& program, std::vector<Warning>& warnings);

/// Whether every path through a statement ends in return or reject.
bool always_returns(const Statement& statement);

/// " f(int): real" for each, one per line; cuts a long list.
std::string signature_lines(const std::vector<std::string>& lines);
std::string signature_text(const Function& function);

inline bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

}  // namespace sgmcmc::stan
