// The syntax tree of a Stan program, made by the parser, typed by the checker and run by the interpreter.
#pragma once

#include "stan/builtins/type.hpp"
#include "stan/syntax/source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sgmcmc::stan {

struct Tree;  ///< an expression
using TreePointer = std::unique_ptr<Tree>;

/// One place between the brackets of x[...]: an index, a range with either end open, or everything (both empty).
struct Index {
  enum class Kind : std::uint8_t { single, range, all };
  Kind kind = Kind::single;
  TreePointer single;  ///< an int, or an int array (multi-index)
  TreePointer from;    ///< range; null: from the first
  TreePointer to;      ///< range; null: to the last
  Span span;
};

enum class Operator : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  integer_divide /* %/% */,
  modulo,
  left_divide /* \ */,
  power /* ^ */,
  elementwise_multiply,
  elementwise_divide,
  elementwise_power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  negate,
  plus /* unary */,
  logical_not,
  transpose,
};
/// As written: "+", ".*", "'".
const char* operator_text(Operator op);

struct IntegerLiteral {
  std::int64_t value = 0;
};
struct RealLiteral {
  double value = 0;
};
/// Only inside print and reject.
struct StringLiteral {
  std::string text;
};
struct Name {
  std::string name;
};
struct Unary {
  Operator op;
  TreePointer operand;
};
struct Binary {
  Operator op;
  TreePointer left, right;
};
struct Conditional {
  TreePointer condition, if_true, if_false;
};
struct Indexed {
  TreePointer container;
  std::vector<Index> indices;
};
/// {a, b, c}.
struct ArrayLiteral {
  std::vector<TreePointer> elements;
};
/// [a, b, c]: a row vector, or a matrix of row vectors.
struct RowVectorLiteral {
  std::vector<TreePointer> elements;
};
/// f(a, b), or f(y | a, b): then `bar` is true. target() is a call of "target" without arguments.
struct Call {
  std::string name;
  Span name_span;
  std::vector<TreePointer> arguments;
  bool bar = false;
};

struct Tree {
  using Form = std::variant<IntegerLiteral, RealLiteral, StringLiteral, Name, Unary, Binary, Conditional, Indexed,
                            ArrayLiteral, RowVectorLiteral, Call>;
  Form form;
  Span span;
  Type type;               ///< filled in by the checker
  bool data_only = false;  ///< filled in by the checker: depends on no parameter
  int height = 1;          ///< levels from here to the deepest leaf; the parser allows at most max_height
};

/// Bounds the depth of every recursion over an expression.
inline constexpr int max_height = 1000;
/// Statements, and brackets in the text of an expression, are nested at most this deep.
inline constexpr int max_nesting = 500;

TreePointer copy(const TreePointer& tree);  ///< null for null

/// A truncation T[lower, upper]; either may be missing.
struct Truncation {
  TreePointer lower, upper;
  Span span;
};

/// Constraints in <...> after a type, and types that are constraints themselves (simplex, cov_matrix).
struct ConstraintTree {
  enum class Kind : std::uint8_t {
    none,
    simplex,
    ordered,
    positive_ordered,
    unit_vector,
    cholesky_factor_corr,
    cholesky_factor_cov,
    corr_matrix,
    cov_matrix,
  };
  Kind kind = Kind::none;
  TreePointer lower, upper, offset, multiplier;
};
ConstraintTree copy(const ConstraintTree& constraint);

struct Declaration {
  std::string name;
  Span name_span;
  Type type;
  std::vector<TreePointer> sizes;  ///< type.rank() of them, those of the array first; cov_matrix[K] has K twice
  ConstraintTree constraint;
  TreePointer value;  ///< initial value, or null
};

struct Statement;
using StatementPointer = std::unique_ptr<Statement>;

struct Assignment {
  TreePointer target;  ///< Name, or Indexed (of Indexed ...) of Name
  std::optional<Operator> op /* += has add */;
  TreePointer value;
};
struct TargetIncrement {
  TreePointer value;
};
/// y ~ normal(mu, sigma) T[0, ].
struct Sampling {
  TreePointer left;
  std::string distribution;
  Span distribution_span;
  std::vector<TreePointer> arguments;
  std::optional<Truncation> truncation;
};
/// Of a void function.
struct CallStatement {
  TreePointer call;
};
struct If {
  TreePointer condition;
  StatementPointer then, otherwise /* or null */;
};
struct While {
  TreePointer condition;
  StatementPointer body;
};
struct For {
  std::string variable;
  Span variable_span;
  TreePointer from, to;
  StatementPointer body;
};
struct ForEach {
  std::string variable;
  Span variable_span;
  TreePointer container;
  StatementPointer body;
};
struct Block {
  std::vector<StatementPointer> statements;
};
struct Return {
  TreePointer value;  ///< or null
};
struct Break {};
struct Continue {};
struct Print {
  std::vector<TreePointer> arguments;
};
struct Reject {
  std::vector<TreePointer> arguments;
};
struct Profile {
  StringLiteral name;
  Block body;
};

struct Statement {
  using Form = std::variant<Declaration, Assignment, TargetIncrement, Sampling, CallStatement, If, While, For, ForEach,
                            Block, Return, Break, Continue, Print, Reject, Profile>;
  Form form;
  Span span;
};

struct Argument {
  std::string name;
  Span name_span;
  Type type;
  bool data = false;
};
struct Function {
  std::string name;
  Span name_span;
  Type result;  ///< Base::nothing for void
  std::vector<Argument> arguments;
  StatementPointer body;  ///< a Block; null: only declared ahead
  Span span;
};

/// A block of statements with its place; declarations are statements.
struct ProgramBlock {
  std::vector<StatementPointer> statements;
  Span span;
  bool present = false;
};

struct Program {
  std::vector<Function> functions;
  ProgramBlock data, transformed_data, parameters, transformed_parameters, model, generated_quantities;
};

/// Null if the statement is not a declaration.
inline const Declaration* declaration_of(const StatementPointer& statement) {
  return std::get_if<Declaration>(&statement->form);
}

}  // namespace sgmcmc::stan
