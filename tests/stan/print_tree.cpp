// Prints syntax trees as s-expressions.
#include "stan/print_tree.hpp"

#include <sstream>

namespace sgmcmc::stan::testing {
namespace {

std::string print(const TreePointer& tree) { return tree ? testing::print(*tree) : "_"; }
std::string print(const StatementPointer& statement) { return statement ? testing::print(*statement) : "_"; }

std::string list(const std::string& head, const std::vector<TreePointer>& trees) {
  std::string result = '(' + head;
  for (const TreePointer& tree : trees) result += ' ' + print(tree);
  return result + ')';
}

std::string print(const Index& index) {
  switch (index.kind) {
    case Index::Kind::all: return ":";
    case Index::Kind::single: return print(index.single);
    case Index::Kind::range: return "(: " + print(index.from) + ' ' + print(index.to) + ')';
  }
  return "?";
}

std::string in_parentheses(const std::string& head, const std::vector<std::string>& parts) {
  std::string result = '(' + head;
  for (const std::string& part : parts) result += ' ' + part;
  return result + ')';
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str() + 'r';
}

struct PrintExpression {
  std::string operator()(const IntegerLiteral& tree) const { return std::to_string(tree.value); }
  std::string operator()(const RealLiteral& tree) const { return number(tree.value); }
  std::string operator()(const StringLiteral& tree) const { return '"' + tree.text + '"'; }
  std::string operator()(const Name& tree) const { return tree.name; }
  std::string operator()(const Unary& tree) const {
    return in_parentheses(operator_text(tree.op), {print(tree.operand)});
  }
  std::string operator()(const Binary& tree) const {
    return in_parentheses(operator_text(tree.op), {print(tree.left), print(tree.right)});
  }
  std::string operator()(const Conditional& tree) const {
    return in_parentheses("?", {print(tree.condition), print(tree.if_true), print(tree.if_false)});
  }
  std::string operator()(const Indexed& tree) const {
    std::vector<std::string> parts{print(tree.container)};
    for (const Index& index : tree.indices) parts.push_back(print(index));
    return in_parentheses("at", parts);
  }
  std::string operator()(const ArrayLiteral& tree) const { return list("array", tree.elements); }
  std::string operator()(const RowVectorLiteral& tree) const { return list("row", tree.elements); }
  std::string operator()(const Call& tree) const { return list(tree.name + (tree.bar ? "|" : ""), tree.arguments); }
};

std::string constraint_text(const ConstraintTree& constraint) {
  constexpr const char* names[] = {"",
                                   "simplex",
                                   "ordered",
                                   "positive_ordered",
                                   "unit_vector",
                                   "cholesky_factor_corr",
                                   "cholesky_factor_cov",
                                   "corr_matrix",
                                   "cov_matrix"};
  std::string result = names[static_cast<int>(constraint.kind)];
  if (constraint.lower) result += "<lower " + print(constraint.lower) + '>';
  if (constraint.upper) result += "<upper " + print(constraint.upper) + '>';
  if (constraint.offset) result += "<offset " + print(constraint.offset) + '>';
  if (constraint.multiplier) result += "<multiplier " + print(constraint.multiplier) + '>';
  return result;
}

struct PrintStatement {
  std::string operator()(const Declaration& statement) const {
    std::string result = "(declare " + statement.name + " '" + statement.type.to_string() + '\'';
    for (const TreePointer& size : statement.sizes) result += ' ' + print(size);
    const std::string constraint = constraint_text(statement.constraint);
    if (!constraint.empty()) result += " " + constraint;
    if (statement.value) result += " = " + print(statement.value);
    return result + ')';
  }
  std::string operator()(const Assignment& statement) const {
    return in_parentheses((statement.op ? operator_text(*statement.op) : std::string()) + '=',
                          {print(statement.target), print(statement.value)});
  }
  std::string operator()(const TargetIncrement& statement) const {
    return in_parentheses("target", {print(statement.value)});
  }
  std::string operator()(const Sampling& statement) const {
    std::string result = "(~ " + print(statement.left) + ' ' + list(statement.distribution, statement.arguments);
    if (const auto& cut = statement.truncation) result += " (T " + print(cut->lower) + ' ' + print(cut->upper) + ')';
    return result + ')';
  }
  std::string operator()(const CallStatement& statement) const { return "(call " + print(statement.call) + ')'; }
  std::string operator()(const If& statement) const {
    return in_parentheses("if", {print(statement.condition), print(statement.then), print(statement.otherwise)});
  }
  std::string operator()(const While& statement) const {
    return in_parentheses("while", {print(statement.condition), print(statement.body)});
  }
  std::string operator()(const For& statement) const {
    return in_parentheses("for",
                          {statement.variable, print(statement.from), print(statement.to), print(statement.body)});
  }
  std::string operator()(const ForEach& statement) const {
    return in_parentheses("each", {statement.variable, print(statement.container), print(statement.body)});
  }
  std::string operator()(const Block& statement) const { return '{' + testing::print(statement.statements) + '}'; }
  std::string operator()(const Return& statement) const { return "(return " + print(statement.value) + ')'; }
  std::string operator()(const Break&) const { return "(break)"; }
  std::string operator()(const Continue&) const { return "(continue)"; }
  std::string operator()(const Print& statement) const { return list("print", statement.arguments); }
  std::string operator()(const Reject& statement) const { return list("reject", statement.arguments); }
  std::string operator()(const Profile& statement) const {
    return "(profile \"" + statement.name.text + "\" {" + testing::print(statement.body.statements) + "})";
  }
};

}  // namespace

std::string print(const Tree& tree) { return std::visit(PrintExpression{}, tree.form); }

std::string print(const Statement& statement) { return std::visit(PrintStatement{}, statement.form); }

std::string print(const std::vector<StatementPointer>& statements) {
  std::string result;
  for (const StatementPointer& statement : statements) result += (result.empty() ? "" : " ") + print(*statement);
  return result;
}

std::string print(const Function& function) {
  std::string result = "(function " + function.name + " '" + function.result.to_string() + '\'';
  for (const Argument& argument : function.arguments) {
    result += " (" + argument.name + " '" + argument.type.to_string() + '\'' + (argument.data ? " data)" : ")");
  }
  return result + ' ' + print(function.body) + ')';
}

}  // namespace sgmcmc::stan::testing
