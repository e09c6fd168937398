// Program blocks in their order, and the functions block.
#include "stan/syntax/parse.hpp"

#include "base/text.hpp"
#include "stan/syntax/parser.hpp"

#include <algorithm>
#include <array>

namespace sgmcmc::stan {
namespace {

constexpr std::size_t functions_block = 0;

/// The blocks of statements in the order of block_names(), after functions.
ProgramBlock& block_of(Program& program, std::size_t which) {
  const std::array<ProgramBlock*, 6> blocks = {&program.data,       &program.transformed_data,
                                               &program.parameters, &program.transformed_parameters,
                                               &program.model,      &program.generated_quantities};
  return *blocks[which - 1];
}

}  // namespace

Program parse(const Source& source) { return Parser(source).parse_program(); }

Program Parser::parse_program() {
  Program program;
  std::array<bool, 7> present{};
  std::array<Span, 7> places{};
  while (!at(TokenKind::end)) {
    const Token first = current();
    const std::size_t which = parse_block_name();
    const Span name = since(first.span.begin);
    const std::string title(block_names()[which]);
    if (present[which]) {
      fail(name, "the " + title + " block occurs twice: first at " + line_column(places[which]), "join the two");
    }
    for (std::size_t later = which + 1; later < present.size(); ++later) {
      if (!present[later]) continue;
      fail(name, "the " + title + " block comes after the " + std::string(block_names()[later]) + " block",
           "move it up: the order is functions, data, transformed data, parameters, transformed parameters, model, "
           "generated quantities");
    }
    present[which] = true;
    places[which] = name;
    parse_block(program, which, name);
  }
  return program;
}

std::size_t Parser::parse_block_name() {
  const std::span<const std::string_view> names = block_names();
  const Token first = current();
  if (first.kind != TokenKind::word) {
    const char* help = at("}") ? "there is one '}' more than '{' before it" : at(";") ? "remove it" : "";
    fail_here("a block such as 'data { ... }'", help);
  }
  // transformed and generated are followed by a second word.
  const bool whole = std::find(names.begin(), names.end(), first.text) != names.end();
  const bool two_words = !whole && ahead(1).kind == TokenKind::word;
  const std::string name = std::string(first.text) + (two_words ? ' ' + std::string(ahead(1).text) : "");
  for (std::size_t which = 0; which < names.size(); ++which) {
    if (names[which] != name) continue;
    take();
    if (two_words) take();
    return which;
  }
  const Span span{first.span.begin, two_words ? ahead(1).span.end : first.span.end};
  if (at_declaration()) {
    fail(first.span, "a declaration must be in a block", "put it in 'data { ... }' or 'parameters { ... }'");
  }
  std::string nearest = nearest_name(name, names);
  if (nearest.empty() && (name == "transformed" || name == "generated")) {
    nearest = name == "generated" ? "generated quantities" : "transformed parameters";
  }
  if (nearest.empty() && two_words) nearest = nearest_name(first.text, names);
  fail(span, '\'' + name + "' is not a block",
       nearest.empty() ? "the blocks are functions, data, transformed data, parameters, transformed parameters, model, "
                         "generated quantities"
                       : "did you mean '" + nearest + "'?");
}

void Parser::parse_block(Program& program, std::size_t which, Span name) {
  const Token open = current();
  const std::string title(block_names()[which]);
  if (!take_if("{")) fail_here("'{' after '" + title + '\'');
  if (which == functions_block) {
    while (!take_if("}")) {
      if (at(TokenKind::end) || (at(TokenKind::word) && is_block_word(current().text))) fail_unclosed(open);
      program.functions.push_back(parse_function());
    }
    return;
  }
  ProgramBlock& block = block_of(program, which);
  block.present = true;
  if (title == "data" || title == "parameters") {
    while (!take_if("}")) {
      if (at(TokenKind::end) || (at(TokenKind::word) && is_block_word(current().text))) fail_unclosed(open);
      if (!at_declaration()) {
        const std::string nearest = at(TokenKind::word) ? nearest_type_word(current().text) : "";
        std::string help = "statements belong in the transformed " + title + " or the model block";
        if (at(";")) help = "remove it";
        if (!nearest.empty()) help = "did you mean '" + nearest + "'?";
        fail_here("a declaration in the " + title + " block", help);
      }
      parse_declaration(block.statements, title);
    }
  } else {
    parse_statements(block.statements, open);
  }
  block.span = since(name.begin);
}

Type Parser::parse_unsized_type(const std::string& of) {
  Type type;
  const auto count_commas = [&] {
    const Token open = take();
    int rank = 1;
    while (take_if(",")) ++rank;
    if (!at("]"))
      fail_here("']' or ','", "the type of " + of + " has no sizes: write 'array[] real', 'array[,] real' or 'vector'");
    expect_close("]", open);
    return rank;
  };
  const bool new_array = at("array");
  if (new_array) {
    take();
    if (!at("[")) fail_here("'[' after 'array'", "write 'array[] real' or 'array[,] real'");
    type.array_rank = count_commas();
  }
  const Token token = current();
  if (const char* instead = instead_of_type(token.text)) {
    fail(token.span, '\'' + std::string(token.text) + "' is not supported", instead);
  }
  const TypeWord* word = at(TokenKind::word) ? find_type_word(token.text) : nullptr;
  if (!word) {
    const std::string nearest = at(TokenKind::word) ? nearest_type_word(token.text) : "";
    fail_here("the type of " + of, nearest.empty() ? at(";") ? "remove it" : "" : "did you mean '" + nearest + "'?");
  }
  if (word->constraint != ConstraintTree::Kind::none) {
    fail(token.span, "the type of " + of + " takes no constraint",
         std::string("write '") + Type{word->base, 0}.to_string() + "' instead of '" + std::string(word->word) + '\'');
  }
  take();
  type.base = word->base;
  if (at("<")) fail(current().span, "the type of " + of + " takes no bounds", "remove '<...>'");
  if (at("[")) {
    if (new_array) fail(current().span, "the type of " + of + " has no sizes", "write '" + type.to_string() + '\'');
    type.array_rank = count_commas();
  }
  return type;
}

Argument Parser::parse_argument() {
  Argument argument;
  argument.data = take_if("data");
  argument.type = parse_unsized_type("an argument");
  const Token name = expect_name("an argument");
  argument.name = name.text;
  argument.name_span = name.span;
  if (at("[")) {
    fail(current().span, "write the brackets of an array argument before its name",
         "write 'array[] " + argument.type.to_string() + ' ' + argument.name + '\'');
  }
  return argument;
}

Function Parser::parse_function() {
  const Nested nested(*this);
  Function function;
  const std::uint32_t begin = current().span.begin;
  if (take_if("void")) {
    function.result = Type{Base::nothing, 0};
  } else {
    function.result = parse_unsized_type("a function's result");
  }
  const Token name = expect_name("a function");
  function.name = name.text;
  function.name_span = name.span;
  const Token open = current();
  if (!take_if("(")) {
    fail_here("'(' after the name of the function",
              "the functions block contains functions only: 'real f(real x) { ... }'");
  }
  if (!at(")")) {
    do function.arguments.push_back(parse_argument());
    while (take_if(","));
  }
  expect_close(")", open);
  if (!take_if(";")) {
    if (!at("{")) fail_here("'{' with the body of '" + function.name + '\'');
    function.body = parse_statement();
  }
  function.span = since(begin);
  return function;
}

}  // namespace sgmcmc::stan
