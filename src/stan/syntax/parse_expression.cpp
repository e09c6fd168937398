// Expressions: operators by precedence, then postfix forms, then primary values.
#include "stan/syntax/parser.hpp"

#include "base/text.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace sgmcmc::stan {
namespace {

struct BinaryOperator {
  std::string_view symbol;
  Operator op;
  int strength;
};
// All of these associate to the left; powers and prefix operators bind tighter and are parsed on their own.
constexpr int weakest_of_all = 1;
constexpr int weakest_in_bound = 5;  // excludes comparisons: '>' ends the bound
constexpr std::array<BinaryOperator, 17> binary_operators = {{
    {"||", Operator::logical_or, 1},
    {"&&", Operator::logical_and, 2},
    {"==", Operator::equal, 3},
    {"!=", Operator::not_equal, 3},
    {"<", Operator::less, 4},
    {"<=", Operator::less_equal, 4},
    {">", Operator::greater, 4},
    {">=", Operator::greater_equal, 4},
    {"+", Operator::add, 5},
    {"-", Operator::subtract, 5},
    {"*", Operator::multiply, 6},
    {"/", Operator::divide, 6},
    {"%", Operator::modulo, 6},
    {".*", Operator::elementwise_multiply, 6},
    {"./", Operator::elementwise_divide, 6},
    {"\\", Operator::left_divide, 7},
    {"%/%", Operator::integer_divide, 7},
}};

const BinaryOperator* find_binary(const Token& token) {
  if (token.kind != TokenKind::symbol) return nullptr;
  for (const BinaryOperator& candidate : binary_operators) {
    if (candidate.symbol == token.text) return &candidate;
  }
  return nullptr;
}

int height(const TreePointer& tree) { return tree ? tree->height : 0; }
int height(const std::vector<TreePointer>& trees) {
  int highest = 0;
  for (const TreePointer& tree : trees) highest = std::max(highest, height(tree));
  return highest;
}

struct HeightOfParts {
  template <class Leaf>
  int operator()(const Leaf&) const {
    return 0;
  }
  int operator()(const Unary& tree) const { return height(tree.operand); }
  int operator()(const Binary& tree) const { return std::max(height(tree.left), height(tree.right)); }
  int operator()(const Conditional& tree) const {
    return std::max({height(tree.condition), height(tree.if_true), height(tree.if_false)});
  }
  int operator()(const Indexed& tree) const {
    int highest = height(tree.container);
    for (const Index& index : tree.indices) {
      highest = std::max({highest, height(index.single), height(index.from), height(index.to)});
    }
    return highest;
  }
  int operator()(const ArrayLiteral& tree) const { return height(tree.elements); }
  int operator()(const RowVectorLiteral& tree) const { return height(tree.elements); }
  int operator()(const Call& tree) const { return height(tree.arguments); }
};

/// The value of a real literal; one too large becomes infinite, one too small zero.
double real_value(std::string_view text) {
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}) return value;
  // The decimal place of the first non-zero digit distinguishes overflow from underflow.
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return 0;
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  std::int64_t exponent = 0;
  if (digits.size() < text.size()) {
    const bool sign = text[digits.size() + 1] == '-' || text[digits.size() + 1] == '+';
    const std::string_view written = text.substr(digits.size() + 1 + (sign ? 1 : 0));
    const auto status = std::from_chars(written.data(), written.data() + written.size(), exponent).ec;
    if (status != std::errc{}) exponent = std::numeric_limits<std::int64_t>::max() / 2;
    if (text[digits.size() + 1] == '-') exponent = -exponent;
  }
  const bool large = point - static_cast<std::int64_t>(first) + exponent > 0;
  return large ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

TreePointer Parser::make(Tree::Form form, Span span) const {
  const int levels = 1 + std::visit(HeightOfParts{}, form);
  if (levels > max_height) {
    fail(span, "this expression has more than " + std::to_string(max_height) + " levels of operations",
         "split it: assign parts of it to variables, or use sum(...)");
  }
  auto tree = std::make_unique<Tree>();
  tree->form = std::move(form);
  tree->span = span;
  tree->height = levels;
  return tree;
}

TreePointer Parser::parse_expression() {
  const Nested nested(*this);
  TreePointer condition = parse_binary(weakest_of_all);
  if (!at("?")) return condition;
  const Token question = take();
  const std::uint32_t begin = condition->span.begin;
  TreePointer if_true = parse_expression();
  expect_close(":", question, "write 'condition ? value : other_value'");
  TreePointer if_false = parse_expression();
  return make(Conditional{std::move(condition), std::move(if_true), std::move(if_false)}, since(begin));
}

TreePointer Parser::parse_binary(int weakest) {
  TreePointer left = parse_unary();
  for (;;) {
    const BinaryOperator* found_operator = find_binary(current());
    if (!found_operator || found_operator->strength < weakest) return left;
    if (found_operator->op == Operator::less) check_arrow(*left);
    take();
    TreePointer right = parse_binary(found_operator->strength + 1);
    const std::uint32_t begin = left->span.begin;
    left = make(Binary{found_operator->op, std::move(left), std::move(right)}, since(begin));
  }
}

TreePointer Parser::parse_bound() {
  const Nested nested(*this);
  TreePointer bound = parse_binary(weakest_in_bound);
  const bool loose = at("?") || (find_binary(current()) && !at(">"));
  if (loose)
    fail_here("',' or '>' after the bound", "put the bound in parentheses: '(" + excerpt(bound->span) + " ...)'");
  return bound;
}

/// `x <- 1` at the beginning of a statement is the old assignment; elsewhere it compares x with -1.
void Parser::check_arrow(const Tree& left) const {
  const Span less = current().span;
  if (left.span.begin != statement_begin_ || !ahead_is(1, "-") || ahead(1).span.begin != less.end) return;
  if (!std::holds_alternative<Name>(left.form) && !std::holds_alternative<Indexed>(left.form)) return;
  fail({less.begin, less.end + 1}, "'<-' is no longer an assignment", "write '=': '" + excerpt(left.span) + " = ...;'");
}

TreePointer Parser::parse_unary() {
  const Token sign = current();
  if (!at("-") && !at("+") && !at("!")) {
    TreePointer base = parse_postfix();
    if (!at("^") && !at(".^")) return base;
    const Operator op = take().text == "^" ? Operator::power : Operator::elementwise_power;
    const Nested nested(*this);
    TreePointer exponent = parse_unary();  // right-associative: 2^3^2 is 2^(3^2); 2^-1 is allowed
    const std::uint32_t begin = base->span.begin;
    return make(Binary{op, std::move(base), std::move(exponent)}, since(begin));
  }
  take();
  const Nested nested(*this);
  const Operator op = sign.text == "-" ? Operator::negate : sign.text == "+" ? Operator::plus : Operator::logical_not;
  TreePointer operand = parse_unary();
  return make(Unary{op, std::move(operand)}, since(sign.span.begin));
}

TreePointer Parser::parse_postfix() {
  TreePointer tree = parse_primary();
  for (;;) {
    if (at("[")) {
      tree = parse_indexed(std::move(tree));
    } else if (at("'")) {
      take();
      const std::uint32_t begin = tree->span.begin;
      tree = make(Unary{Operator::transpose, std::move(tree)}, since(begin));
    } else if (at(TokenKind::real) && current().text[0] == '.' && current().span.begin == after_previous().end) {
      fail(current().span, "tuples are not supported", "declare one variable for each part of the tuple");
    } else {
      return tree;
    }
  }
}

TreePointer Parser::parse_indexed(TreePointer container) {
  const Token open = take();
  const std::uint32_t begin = container->span.begin;
  Indexed result{std::move(container), {}};
  do result.indices.push_back(parse_index());
  while (take_if(","));
  expect_close("]", open);
  return make(std::move(result), since(begin));
}

Index Parser::parse_index() {
  Index index;
  const std::uint32_t begin = current().span.begin;
  const auto at_end = [&] { return at(",") || at("]"); };
  if (at_end()) {
    index.kind = Index::Kind::all;
    index.span = after_previous();
    return index;
  }
  TreePointer first = at(":") ? nullptr : parse_expression();
  if (take_if(":")) {
    TreePointer last = at_end() ? nullptr : parse_expression();
    index.kind = first || last ? Index::Kind::range : Index::Kind::all;
    index.from = std::move(first);
    index.to = std::move(last);
  } else {
    index.single = std::move(first);
  }
  index.span = since(begin);
  return index;
}

std::vector<TreePointer> Parser::parse_list(std::string_view close) {
  std::vector<TreePointer> result;
  if (at(close)) return result;
  do result.push_back(parse_expression());
  while (take_if(","));
  return result;
}

TreePointer Parser::parse_primary() {
  const Token token = current();
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::real: return parse_number();
    case TokenKind::word: return parse_word();
    case TokenKind::text:
      fail(token.span, "a string can only be an argument of print and reject", "remove it, or print it");
    case TokenKind::symbol:
    case TokenKind::end: break;
  }
  if (take_if("(")) {
    TreePointer inner = parse_expression();
    if (at(",")) fail(current().span, "tuples are not supported", "write an array '{a, b}' or a row vector '[a, b]'");
    expect_close(")", token, at("=") ? "write '==' to compare" : "");
    inner->span = since(token.span.begin);
    return inner;
  }
  if (take_if("{")) {
    if (take_if("}"))
      fail(since(token.span.begin), "an array cannot be written with no elements",
           "declare it with size 0, as in 'array[0] int x;'");
    ArrayLiteral literal{parse_list("}")};
    expect_close("}", token);
    return make(std::move(literal), since(token.span.begin));
  }
  if (take_if("[")) {
    RowVectorLiteral literal{parse_list("]")};
    expect_close("]", token);
    return make(std::move(literal), since(token.span.begin));
  }
  fail_no_expression();
}

void Parser::fail_no_expression() const {
  std::string help;
  if (at("~")) help = "write '!' for a logical not";
  const auto back = [&](std::size_t distance) {
    return position_ >= distance ? tokens_.list[position_ - distance].text : std::string_view();
  };
  const bool counted = back(1) == back(2) && (back(1) == "+" || back(1) == "-");
  if (counted) help = "to count, write 'x " + std::string(back(1)) + "= 1;'";
  fail_here("an expression", help);
}

TreePointer Parser::parse_number() {
  const Token token = take();
  const std::string_view text = token.text;
  if (token.kind == TokenKind::real) {
    const double value = real_value(text);
    if (value > std::numeric_limits<double>::max()) {
      fail(token.span, "this number is too large for a real", "write positive_infinity() if that is meant");
    }
    return make(RealLiteral{value}, token.span);
  }
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || value > std::numeric_limits<std::int32_t>::max()) {
    fail(token.span, "this number is too large for an int: at most 2147483647",
         "write '" + excerpt(token.span) + ".0' for a real");
  }
  return make(IntegerLiteral{value}, token.span);
}

TreePointer Parser::parse_word() {
  const Token token = current();
  if (token.text == "target" && ahead_is(1, "(")) {
    take();
    return parse_call(token);
  }
  if (token.text == "true" || token.text == "false") {
    fail(token.span, '\'' + std::string(token.text) + "' is not a value in Stan",
         token.text == "true" ? "write 1" : "write 0");
  }
  if (token.text == "target") fail_here("an expression", "write 'target()' for the log density so far");
  if (token.text == "lp__") {
    fail(token.span, "'lp__' can no longer be used",
         "write 'target()' for the log density, 'target += ...;' to add to it");
  }
  if (is_reserved(token.text)) fail_here("an expression");
  take();
  if (at("(")) return parse_call(token);
  return make(Name{std::string(token.text)}, token.span);
}

TreePointer Parser::parse_call(const Token& name) {
  const Token open = take();
  Call call{std::string(name.text), name.span, {}, false};
  call.arguments = parse_list(")");
  if (at("|") && call.arguments.size() == 1) {
    take();
    call.bar = true;
    for (TreePointer& argument : parse_list(")")) call.arguments.push_back(std::move(argument));
  } else if (at("|")) {
    fail_here(call.arguments.empty() ? "an expression" : "',' or ')'", "'|' is allowed after the first argument only");
  }
  expect_close(")", open, at("=") ? "write '==' to compare" : "");
  const Span span = since(name.span.begin);
  check_call(call, span);
  return make(std::move(call), span);
}

void Parser::check_call(const Call& call, Span span) const {
  const auto written = [&](const std::string& name, bool bar) {
    std::string result = name + '(';
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      if (k > 0) result += bar && k == 1 ? " | " : ", ";
      result += excerpt(call.arguments[k]->span);
    }
    return result + ')';
  };
  if (call.name == "increment_log_prob") {
    const std::string value = call.arguments.empty() ? "..." : excerpt(call.arguments[0]->span);
    fail(span, "increment_log_prob is no longer a function", "write 'target += " + value + ";'");
  }
  if (call.name == "get_lp") fail(span, "get_lp is no longer a function", "write 'target()'");
  if (call.name == "target" && !call.arguments.empty()) {
    fail(span, "target() takes no arguments",
         "write 'target += " + excerpt(call.arguments[0]->span) + ";' to add to it");
  }
  if (const std::string replacement = new_density_name(call.name); !replacement.empty()) {
    fail(call.name_span, '\'' + call.name + "' is no longer a function", "write '" + written(replacement, true) + '\'');
  }
  if (call.bar && !may_have_bar(call.name)) {
    fail(call.name_span,
         "'|' is allowed only in densities and distribution functions, and '" + call.name + "' is not one by its name",
         "write '" + written(call.name, false) + '\'');
  }
  if (!call.bar && must_have_bar(call.name) && call.arguments.size() > 1) {
    fail(span, "expected '|' after the first argument of '" + call.name + '\'',
         "write '" + written(call.name, true) + '\'');
  }
}

}  // namespace sgmcmc::stan
