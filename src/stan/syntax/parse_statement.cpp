// Statements, and suggestions for lines that are not valid statements.
#include "stan/syntax/parser.hpp"

#include <array>

namespace sgmcmc::stan {
namespace {

struct AssignmentOperator {
  std::string_view symbol;
  Operator op;
};
constexpr std::array<AssignmentOperator, 6> compound_assignments = {{
    {"+=", Operator::add},
    {"-=", Operator::subtract},
    {"*=", Operator::multiply},
    {"/=", Operator::divide},
    {".*=", Operator::elementwise_multiply},
    {"./=", Operator::elementwise_divide},
}};

bool is_place(const Tree& tree) {
  if (const auto* indexed = std::get_if<Indexed>(&tree.form)) return is_place(*indexed->container);
  return std::holds_alternative<Name>(tree.form);
}

}  // namespace

void Parser::fail_unclosed(const Token& open) const {
  const std::string what = found();
  fail(at(TokenKind::end) ? after_previous() : current().span,
       "expected '}' for the '{' of " + line_column(open.span) + ", found " + what,
       at(TokenKind::end) ? "add '}' here" : "add '}' before it");
}

void Parser::parse_statements(std::vector<StatementPointer>& statements, const Token& open) {
  while (!take_if("}")) {
    if (at(TokenKind::end)) fail_unclosed(open);
    if (at(TokenKind::word) && is_block_word(current().text)) fail_unclosed(open);
    if (take_if(";")) continue;
    if (at_declaration()) {
      parse_declaration(statements, {});
    } else {
      statements.push_back(parse_statement());
    }
  }
}

StatementPointer Parser::parse_body(const std::string& of) {
  if (at_declaration()) {
    fail(current().span, "a declaration cannot be the whole body of '" + of + "'", "put the body in braces: '{ ... }'");
  }
  return parse_statement();
}

StatementPointer Parser::parse_statement() {
  const Nested nested(*this);
  const Token first = current();
  auto statement = std::make_unique<Statement>();
  if (first.kind == TokenKind::word && is_reserved(first.text)) {
    statement->form = parse_keyword_statement(first.text);
  } else if (take_if("{")) {
    Block block;
    parse_statements(block.statements, first);
    statement->form = std::move(block);
  } else if (take_if(";")) {
    statement->form = Block{};
  } else if (first.kind == TokenKind::end || at("}") || at(")") || at("]")) {
    fail_here("a statement");
  } else {
    statement->form = parse_expression_statement();
  }
  statement->span = since(first.span.begin);
  return statement;
}

Statement::Form Parser::parse_keyword_statement(std::string_view word) {
  if (word == "for") return parse_for();
  if (word == "if") return parse_if();
  if (word == "profile") return parse_profile();
  if (word == "target") return ahead_is(1, "(") ? parse_expression_statement() : parse_target_increment();
  if (word == "while") {
    take();
    TreePointer condition = parse_condition("while");
    return While{std::move(condition), parse_body("while")};
  }
  if (word == "break" || word == "continue") {
    take();
    expect_semicolon('\'' + std::string(word) + '\'');
    if (word == "break") return Break{};
    return Continue{};
  }
  if (word == "return") {
    take();
    Return result;
    if (!at(";")) result.value = parse_expression();
    expect_semicolon("the returned value", true);
    return result;
  }
  if (word == "print" || word == "reject") {
    take();
    std::vector<TreePointer> arguments = parse_printed();
    expect_semicolon('\'' + std::string(word) + "(...)'");
    if (word == "print") return Print{std::move(arguments)};
    return Reject{std::move(arguments)};
  }
  if (word == "fatal_error") fail(current().span, "'fatal_error' is not supported", "write 'reject'");
  if (word == "else") {
    fail(current().span, "'else' without 'if'", "put the statements before it in braces, and no ';' after them");
  }
  if (word == "then") fail(current().span, "'then' is not part of Stan", "remove it: 'if (condition) ... else ...'");
  if (word == "void") fail_here("a statement", "functions are defined in the functions block");
  fail_here("a statement");
}

TreePointer Parser::parse_condition(const std::string& of) {
  const Token open = current();
  if (!take_if("(")) fail_here("'(' after '" + of + '\'', "write '" + of + " (condition) ...'");
  TreePointer condition = parse_expression();
  expect_close(")", open, at("=") ? "write '==' to compare" : "");
  return condition;
}

Statement::Form Parser::parse_if() {
  take();
  If result;
  result.condition = parse_condition("if");
  result.then = parse_body("if");
  if (take_if("else")) result.otherwise = parse_body("else");
  return result;
}

Statement::Form Parser::parse_for() {
  const std::string usage = "write 'for (n in 1:N) ...'";
  take();
  const Token open = current();
  if (!take_if("(")) fail_here("'(' after 'for'", usage);
  if (at("int")) fail(current().span, "the variable of a loop is not declared", usage);
  const Token variable = expect_name("the variable of the loop");
  if (!take_if("in")) fail_here("'in' after the variable of the loop", usage);
  TreePointer from = parse_expression();
  std::string name(variable.text);
  if (take_if(":")) {
    TreePointer to = parse_expression();
    expect_close(")", open, at(",") ? "write one loop inside the other" : "");
    return For{std::move(name), variable.span, std::move(from), std::move(to), parse_body("for")};
  }
  expect_close(")", open);
  return ForEach{std::move(name), variable.span, std::move(from), parse_body("for")};
}

Statement::Form Parser::parse_profile() {
  const std::string usage = "write 'profile(\"name\") { ... }'";
  take();
  const Token open = current();
  if (!take_if("(")) fail_here("'(' after 'profile'", usage);
  if (!at(TokenKind::text)) fail_here("a string with the name of the profile", usage);
  const Token text = take();
  expect_close(")", open);
  const Token brace = current();
  if (!take_if("{")) fail_here("'{' after the name of the profile", usage);
  Profile result;
  result.name.text = text.text.substr(1, text.text.size() - 2);
  parse_statements(result.body.statements, brace);
  return result;
}

std::vector<TreePointer> Parser::parse_printed() {
  const Token open = current();
  if (!take_if("(")) fail_here("'('", "write 'print(\"x = \", x);'");
  std::vector<TreePointer> result;
  if (!at(")")) {
    do {
      if (at(TokenKind::text)) {
        const Token text = take();
        result.push_back(make(StringLiteral{std::string(text.text.substr(1, text.text.size() - 2))}, text.span));
      } else {
        result.push_back(parse_expression());
      }
    } while (take_if(","));
  }
  expect_close(")", open);
  return result;
}

Statement::Form Parser::parse_target_increment() {
  take();
  if (!at("+=")) {
    const std::string help =
        at("-=") ? "write 'target += -(...);'" : "the log density can only be added to: 'target += ...;'";
    fail_here("'+=' after 'target'", help);
  }
  take();
  TreePointer value = parse_expression();
  expect_semicolon("the increment of target", true);
  return TargetIncrement{std::move(value)};
}

void Parser::check_misspelt_statement() const {
  const Token& first = current();
  if (first.kind != TokenKind::word) return;
  // Two words in a row, a word before a brace, `word<lower=` and `word (n in` cannot begin a statement.
  const bool loop = ahead_is(1, "(") && ahead(2).kind == TokenKind::word && ahead_is(3, "in");
  const bool bound =
      ahead_is(1, "<") && ahead_is(3, "=") &&
      (ahead_is(2, "lower") || ahead_is(2, "upper") || ahead_is(2, "offset") || ahead_is(2, "multiplier"));
  const TokenKind next = ahead(1).kind;
  const bool two_words = next == TokenKind::word || next == TokenKind::integer || next == TokenKind::real;
  if (!loop && !bound && !two_words && !ahead_is(1, "{")) return;
  std::string nearest = loop ? "for" : nearest_type_word(first.text);
  if (nearest.empty() && !bound) nearest = nearest_statement_word(first.text);
  fail(first.span, "expected a statement or a type, found '" + std::string(first.text) + '\'',
       nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

Statement::Form Parser::parse_expression_statement() {
  check_misspelt_statement();
  const Token first = current();
  if (at("jacobian") && ahead_is(1, "+=")) {
    fail(first.span, "'jacobian +=' is not supported", "write 'target += ...;' in the model block");
  }
  statement_begin_ = first.span.begin;
  TreePointer left = parse_expression();
  statement_begin_ = ~0u;
  if (at("~")) return parse_sampling(std::move(left));
  if (at("=")) return parse_assignment(std::move(left));
  for (const AssignmentOperator& compound : compound_assignments) {
    if (at(compound.symbol)) return parse_assignment(std::move(left));
  }
  const bool call = std::holds_alternative<Call>(left->form);
  if (!call || !at(";")) fail_not_a_statement(*left, first);
  take();
  return CallStatement{std::move(left)};
}

void Parser::fail_not_a_statement(const Tree& expression, const Token& first) const {
  const std::string what = found();
  if (const auto* call = std::get_if<Call>(&expression.form)) {
    const std::string nearest = at("{") || at(TokenKind::word) ? nearest_statement_word(call->name) : "";
    if (!nearest.empty()) {
      fail(first.span, '\'' + call->name + "' cannot begin a statement", "did you mean '" + nearest + "'?");
    }
    fail(after_previous(), "expected ';' after the call of '" + call->name + "', found " + what, "add ';' here");
  }
  const auto* binary = std::get_if<Binary>(&expression.form);
  if (binary && binary->op == Operator::equal && is_place(*binary->left)) {
    fail(expression.span, "this compares and does nothing with the result",
         "write '=' to assign: '" + excerpt(binary->left->span) + " = " + excerpt(binary->right->span) + ";'");
  }
  if (at(TokenKind::word) && std::holds_alternative<Indexed>(expression.form) && first.kind == TokenKind::word) {
    const std::string nearest = nearest_type_word(first.text);
    if (!nearest.empty()) {
      fail(first.span, '\'' + std::string(first.text) + "' is not a type", "did you mean '" + nearest + "'?");
    }
  }
  if (at(":") && ahead_is(1, "=")) {
    fail({current().span.begin, ahead(1).span.end}, "expected '=', found ':='", "write '=' to assign");
  }
  if (at(";")) fail(expression.span, "this expression does nothing", "write 'x = ...;' to keep its value");
  fail_here("'=', '~' or another assignment after the expression");
}

Statement::Form Parser::parse_assignment(TreePointer target) {
  Assignment result;
  const Token token = take();
  for (const AssignmentOperator& compound : compound_assignments) {
    if (compound.symbol == token.text) result.op = compound.op;
  }
  if (!is_place(*target)) {
    fail(target->span, "nothing can be assigned to this expression",
         "only variables and their elements, as 'x' or 'x[n]', can be to the left of '" + std::string(token.text) +
             '\'');
  }
  const std::string name = excerpt(target->span);
  result.target = std::move(target);
  result.value = parse_expression();
  expect_semicolon("the assignment to '" + name + '\'', true);
  return result;
}

Statement::Form Parser::parse_sampling(TreePointer left) {
  take();
  Sampling result;
  result.left = std::move(left);
  const Token name = current();
  if (name.kind != TokenKind::word || is_reserved(name.text))
    fail_here("a distribution after '~'", "write 'y ~ normal(mu, sigma);'");
  take();
  result.distribution = name.text;
  result.distribution_span = name.span;
  const std::string stem = distribution_of_density(result.distribution);
  if (!stem.empty()) {
    fail(name.span, "the name of a density cannot follow '~'", "write the distribution: '" + stem + "'");
  }
  const Token open = current();
  if (!take_if("(")) fail_here("'(' after the distribution", "write '" + excerpt(name.span) + "(...)'");
  result.arguments = parse_list(")");
  if (at("|")) fail_here("',' or ')'", "the arguments of a distribution after '~' are separated by ','");
  expect_close(")", open);
  if (at("T") && ahead_is(1, "[")) {
    const Token word = take();
    const Token bracket = take();
    Truncation truncation;
    if (!at(",") && !at("]")) truncation.lower = parse_expression();
    if (!take_if(","))
      fail_here("',' between the bounds of the truncation", "write 'T[lower, upper]', 'T[lower, ]' or 'T[, upper]'");
    if (!at("]")) truncation.upper = parse_expression();
    expect_close("]", bracket);
    truncation.span = since(word.span.begin);
    result.truncation = std::move(truncation);
  }
  expect_semicolon("the distribution");
  return result;
}

}  // namespace sgmcmc::stan
