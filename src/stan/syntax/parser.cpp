// Shared parts of the parser: the walk through the tokens, and messages about what was expected and found.
#include "stan/syntax/parser.hpp"

#include "stan/syntax/words.hpp"

#include <algorithm>

namespace sgmcmc::stan {
namespace {

constexpr std::size_t longest_excerpt = 60;

}  // namespace

const Token& Parser::current() const {
  const Token& token = tokens_.list[position_];
  if (token.kind == TokenKind::end && tokens_.mistake) throw *tokens_.mistake;
  return token;
}

const Token& Parser::ahead(std::size_t distance) const {
  return tokens_.list[std::min(position_ + distance, tokens_.list.size() - 1)];
}

bool Parser::at(std::string_view text) const {
  const Token& token = current();
  return (token.kind == TokenKind::word || token.kind == TokenKind::symbol) && token.text == text;
}

bool Parser::ahead_is(std::size_t distance, std::string_view text) const {
  const Token& token = ahead(distance);
  return (token.kind == TokenKind::word || token.kind == TokenKind::symbol) && token.text == text;
}

Token Parser::take() {
  const Token token = current();
  if (token.kind != TokenKind::end) ++position_;
  return token;
}

bool Parser::take_if(std::string_view text) {
  if (!at(text)) return false;
  ++position_;
  return true;
}

std::string Parser::found() const {
  if (at(TokenKind::end)) return "the end of the file";
  if (at(TokenKind::text)) return "the text " + excerpt(current().span, "\"...\"");
  return '\'' + excerpt(current().span) + '\'';
}

Span Parser::after_previous() const {
  const std::uint32_t end = position_ == 0 ? current().span.begin : tokens_.list[position_ - 1].span.end;
  return {end, end};
}

Span Parser::since(std::uint32_t begin) const { return {begin, std::max(begin, after_previous().end)}; }

std::string Parser::line_column(Span span) const {
  const LineColumn place = source_.line_column(span.begin);
  return std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::string Parser::excerpt(Span span, std::string_view otherwise) const {
  const std::string_view text = source_.text(span);
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return std::string(plain && text.size() <= longest_excerpt ? text : otherwise);
}

void Parser::fail(Span span, const std::string& message, const std::string& help) const {
  throw StanError(source_, span, message, help);
}

void Parser::fail_here(const std::string& expected, const std::string& help) const {
  const Token& token = current();
  fail(token.kind == TokenKind::end ? after_previous() : token.span, "expected " + expected + ", found " + found(),
       help);
}

void Parser::expect(std::string_view symbol, const std::string& purpose) {
  if (!take_if(symbol)) fail_here('\'' + std::string(symbol) + "' " + purpose);
}

void Parser::expect_semicolon(const std::string& after, bool expression_before) {
  if (take_if(";")) return;
  const std::string what = found();  // first, because it may throw the lexer's error
  const Span between{after_previous().end, current().span.begin};
  const bool same_line = source_.text(between).find('\n') == std::string_view::npos;
  const bool operand_follows = expression_before && same_line && !at(TokenKind::symbol) && !at(TokenKind::end);
  fail(after_previous(), "expected ';' after " + after + ", found " + what,
       operand_follows ? "add ';' or an operator here" : "add ';' here");
}

void Parser::expect_close(std::string_view symbol, const Token& open, const std::string& help) {
  if (take_if(symbol)) return;
  const std::string what = found();
  const std::string close(symbol);
  fail(at(TokenKind::end) ? after_previous() : current().span,
       "expected '" + close + "' for the '" + std::string(open.text) + "' of " + line_column(open.span) + ", found " +
           what,
       help);
}

Token Parser::expect_name(const std::string& what) {
  const Token& token = current();
  if (token.kind != TokenKind::word) fail_here("the name of " + what);
  const std::string name(token.text);
  if (is_reserved(name)) {
    fail(token.span, '\'' + name + "' is a reserved word and cannot be the name of " + what,
         "choose another name, such as '" + name + "_value'");
  }
  if (name.ends_with("__")) {
    fail(token.span, '\'' + name + "' cannot be the name of " + what + ": it ends in '__'",
         "choose a name that does not");
  }
  return take();
}

Parser::Nested::Nested(Parser& parser) : parser_(parser) {
  if (++parser_.depth_ > max_nesting) {
    parser_.fail(parser_.current().span, "nested more than " + std::to_string(max_nesting) + " levels deep",
                 "give names to parts of it");
  }
}

}  // namespace sgmcmc::stan
