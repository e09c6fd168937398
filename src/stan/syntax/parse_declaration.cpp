// Declarations with sizes and constraints, in the spelling `array[N] real x` and the older `real x[N]`.
#include "stan/syntax/parser.hpp"

#include "base/text.hpp"

#include <array>

namespace sgmcmc::stan {
namespace {

using Kind = ConstraintTree::Kind;

/// The number of sizes a type takes in brackets.
struct SizeCount {
  std::size_t least, most;
};

SizeCount size_count(const TypeWord& word) {
  if (word.constraint == Kind::cholesky_factor_cov) return {1, 2};
  if (word.constraint != Kind::none) return {1, 1};
  const auto rank = static_cast<std::size_t>(Type{word.base, 0}.base_rank());
  return {rank, rank};
}

std::string sizes_text(std::size_t count) { return count == 1 ? "one size" : std::to_string(count) + " sizes"; }

constexpr std::array<std::string_view, 4> bound_words = {"lower", "upper", "offset", "multiplier"};

}  // namespace

bool Parser::at_declaration() const {
  if (!at(TokenKind::word)) return false;
  const std::string_view word = current().text;
  return word == "array" || find_type_word(word) || instead_of_type(word);
}

std::vector<TreePointer> Parser::parse_sizes(const std::string& of) {
  const Token open = take();
  if (at("]") || at(",")) fail_here("a size in the brackets of " + of, "only arguments of functions have no sizes");
  std::vector<TreePointer> sizes = parse_list("]");
  expect_close("]", open);
  return sizes;
}

Parser::SizedType Parser::parse_sized_type() {
  SizedType result;
  const std::uint32_t begin = current().span.begin;
  if (at("array")) {
    take();
    if (!at("[")) fail_here("'[' with the sizes of the array", "write 'array[N] real x;'");
    result.array_sizes = parse_sizes("the array");
    result.new_array = true;
  }
  const Token token = current();
  if (token.kind != TokenKind::word) fail_here("the type of the array's elements", "write 'array[N] real x;'");
  if (const char* instead = instead_of_type(token.text)) {
    fail(token.span, '\'' + std::string(token.text) + "' is not supported", instead);
  }
  const TypeWord* word = find_type_word(token.text);
  if (!word) {
    const std::string nearest = nearest_type_word(token.text);
    fail_here("the type of the array's elements",
              nearest.empty() ? "write 'array[N] real x;'" : "did you mean '" + nearest + "'?");
  }
  take();
  result.type.base = word->base;
  if (at("<")) parse_constraint(*word, result.constraint);
  result.constraint.kind = word->constraint;
  parse_base_sizes(*word, result);
  result.span = since(begin);
  return result;
}

void Parser::parse_constraint(const TypeWord& word, ConstraintTree& constraint) {
  const Token open = take();
  if (word.constraint != Kind::none) {
    fail(open.span, '\'' + std::string(word.word) + "' takes no bounds: it is a constraint itself", "remove '<...>'");
  }
  if (at(">")) fail_here("'lower', 'upper', 'offset' or 'multiplier'", "remove '<>'");
  const std::array<TreePointer*, 4> places = {&constraint.lower, &constraint.upper, &constraint.offset,
                                              &constraint.multiplier};
  do {
    const Token name = current();
    std::size_t which = 0;
    while (which < bound_words.size() && !at(bound_words[which])) ++which;
    if (which == bound_words.size()) {
      const std::string nearest = name.kind == TokenKind::word ? nearest_name(name.text, bound_words) : "";
      fail_here("'lower', 'upper', 'offset' or 'multiplier'", nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }
    const std::string bound(name.text);
    take();
    if (*places[which]) fail(name.span, '\'' + bound + "' is given twice", "remove one of them");
    expect("=", "after '" + bound + '\'');
    *places[which] = parse_bound();
    if ((constraint.lower || constraint.upper) && (constraint.offset || constraint.multiplier)) {
      fail(name.span, "'lower' and 'upper' cannot be combined with 'offset' and 'multiplier'",
           "scale the variable in transformed parameters instead");
    }
  } while (take_if(","));
  const bool forgotten = at("lower") || at("upper") || at("offset") || at("multiplier");
  if (forgotten) {
    const std::string what = found();
    fail(after_previous(), "expected ',' or '>' after the bound, found " + what, "add ',' here");
  }
  expect_close(">", open);
}

void Parser::parse_base_sizes(const TypeWord& word, SizedType& type) {
  const std::string name(word.word);
  const auto [least, most] = size_count(word);
  if (most == 0) {
    if (!at("[")) return;
    const std::uint32_t begin = current().span.begin;
    parse_sizes("the array");
    const Span sizes = since(begin);
    const std::string new_spelling = "'array" + excerpt(sizes, "[...]") + ' ' + name + " ";
    const bool named = at(TokenKind::word);
    fail(sizes, "the sizes of an array cannot follow '" + name + '\'',
         "write " + new_spelling + (named ? excerpt(current().span) : "x") + ";'");
  }
  if (!at("[")) {
    fail_here("'[' with the size of the " + name, "write '" + name + (least == 2 ? "[N, M]" : "[N]") + "'");
  }
  const std::uint32_t begin = current().span.begin;
  type.base_sizes = parse_sizes("the " + name);
  const std::size_t count = type.base_sizes.size();
  if (count < least || count > most) {
    const std::string takes = least == most ? sizes_text(least) : "one size or two";
    const std::string vectors = word.base == Base::row_vector ? "row vectors" : "vectors";
    std::string help = "for an array write 'array[N] " + name + "[K] x;'";
    if (word.base == Base::matrix && least == 2) help = "write 'matrix[N, M]'";
    if (word.base != Base::matrix && word.constraint == Kind::none) {
      help = "write 'matrix" + excerpt(since(begin), "[...]") + "' or an array of " + vectors;
    }
    fail(since(begin), '\'' + name + "' takes " + takes + ", found " + std::to_string(count), help);
  }
  if (type.type.base == Base::matrix && count == 1) type.base_sizes.push_back(copy(type.base_sizes[0]));
  if (at("<")) {
    fail(current().span, "the bounds of a " + name + " stand before its sizes",
         "write '" + name + "<lower=...>" + excerpt(since(begin), "[...]") + "'");
  }
}

void Parser::parse_declaration(std::vector<StatementPointer>& statements, std::string_view block) {
  const std::uint32_t begin = current().span.begin;
  const SizedType type = parse_sized_type();
  std::string last;
  do {
    const std::uint32_t name_begin = last.empty() ? begin : current().span.begin;
    Declaration declaration = parse_declared_name(type, block);
    last = declaration.name;
    auto statement = std::make_unique<Statement>();
    statement->form = std::move(declaration);
    statement->span = since(name_begin);
    statements.push_back(std::move(statement));
  } while (take_if(","));
  const auto& declared = std::get<Declaration>(statements.back()->form);
  expect_semicolon("the declaration of '" + declared.name + '\'', declared.value != nullptr);
  statements.back()->span = since(statements.back()->span.begin);
}

Declaration Parser::parse_declared_name(const SizedType& type, std::string_view block) {
  if (at("[") && type.array_sizes.empty()) {
    fail_here("the name of a variable", "write the sizes after the name, or 'array[...]' before the type");
  }
  Declaration declaration;
  const Token name = expect_name("a variable");
  declaration.name = name.text;
  declaration.name_span = name.span;
  declaration.type = type.type;
  declaration.constraint = copy(type.constraint);
  for (const TreePointer& size : type.array_sizes) declaration.sizes.push_back(copy(size));
  if (at("[")) {
    const Token open = current();
    std::vector<TreePointer> sizes = parse_sizes('\'' + declaration.name + '\'');
    if (type.new_array) {
      fail(since(open.span.begin), "the sizes of '" + declaration.name + "' are given both before and after its name",
           "write all of them in 'array[...]'");
    }
    for (TreePointer& size : sizes) declaration.sizes.push_back(std::move(size));
  }
  declaration.type.array_rank = static_cast<int>(declaration.sizes.size());
  for (const TreePointer& size : type.base_sizes) declaration.sizes.push_back(copy(size));
  if (at("<")) {
    if (ahead_is(1, "-"))
      fail({current().span.begin, ahead(1).span.end}, "'<-' is no longer an assignment", "write '='");
    fail(current().span, "the bounds of '" + declaration.name + "' stand before its name",
         "write them after the type, as in 'real<lower=0> " + declaration.name + ";'");
  }
  if (at("~")) {
    fail(current().span, "a declaration cannot give a distribution",
         "declare '" + declaration.name + "' here and write '" + declaration.name + " ~ ...;' in the model block");
  }
  if (at("=")) {
    const Token equals = take();
    if (!block.empty()) {
      fail(equals.span, "a variable of the " + std::string(block) + " block cannot be given a value",
           "define '" + declaration.name + "' in the transformed " + std::string(block) + " block");
    }
    declaration.value = parse_expression();
  }
  return declaration;
}

}  // namespace sgmcmc::stan
