// Splits a model's text into tokens, and explains errors in single tokens.
#include "stan/syntax/lexer.hpp"

#include "stan/syntax/characters.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>

namespace sgmcmc::stan {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Longest first: the first match is used.
constexpr std::array<std::string_view, 37> symbols = {
    "%/%", ".*=", "./=", "+=", "-=", "*=", "/=", ".*", "./", ".^", "==", "!=", "<=", ">=", "&&", "||", "{",  "}", "(",
    ")",   "[",   "]",   "<",  ">",  ",",  ";",  ":",  "?",  "|",  "=",  "+",  "-",  "*",  "/",  "%",  "\\", "^"};
constexpr std::string_view single_symbols = "!~'";

/// Typographic characters and the plain ones they replace.
struct Lookalike {
  std::uint32_t code;
  const char* plain;
};
constexpr Lookalike lookalikes[] = {
    {0xA0, "a plain blank"},
    {0x2009, "a plain blank"},
    {0x202F, "a plain blank"},
    {0x3000, "a plain blank"},
    {0xD7, "'*'"},
    {0xB7, "'*'"},
    {0x22C5, "'*'"},
    {0xF7, "'/'"},
    {0x2010, "'-'"},
    {0x2011, "'-'"},
    {0x2012, "'-'"},
    {0x2013, "'-'"},
    {0x2014, "'-'"},
    {0x2212, "'-'"},
    {0x2264, "'<='"},
    {0x2265, "'>='"},
    {0x2260, "'!='"},
    {0x2018, "a plain '"},
    {0x2019, "a plain '"},
    {0x2032, "a plain '"},
    {0x201C, "a plain \""},
    {0x201D, "a plain \""},
    {0x223C, "'~'"},
    {0xFF5E, "'~'"},
    {0xFF08, "'('"},
    {0xFF09, "')'"},
    {0xFF0C, "','"},
    {0xFF1B, "';'"},
};

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  Tokens run() {
    if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
      mistake({0, 0}, "the model is longer than 4 GB", "give the data in a data file, not in the model");
    } else {
      if (text_.substr(0, 3) == byte_order_mark) at_ = byte_order_mark.size();
      while (!tokens_.mistake && skip_blanks_and_comments() && at_ < text_.size()) next();
    }
    if (tokens_.mistake) at_ = tokens_.mistake->span().begin;
    tokens_.list.push_back({TokenKind::end, {}, span(at_, at_)});
    return std::move(tokens_);
  }

 private:
  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool follows(std::string_view expected) const { return text_.substr(at_, expected.size()) == expected; }
  void mistake(Span where, std::string_view message, std::string_view help) {
    tokens_.mistake.emplace(source_, where, message, help);
  }
  void take(TokenKind kind, std::size_t end) {
    tokens_.list.push_back({kind, text_.substr(at_, end - at_), span(at_, end)});
    at_ = end;
  }
  std::size_t end_of_line() const { return std::min(text_.find_first_of("\r\n", at_), text_.size()); }

  /// Returns false at an unclosed comment.
  bool skip_blanks_and_comments() {
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (follows("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (follows("/*")) {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) {
          mistake(span(at_, at_ + 2), "this comment is not closed", "add '*/' at its end");
          return false;
        }
        at_ = close + 2;
      } else {
        return true;
      }
    }
  }

  void next() {
    const char c = peek();
    if (is_letter(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') return text();
    for (const std::string_view symbol : symbols) {
      if (!follows(symbol)) continue;
      if (follows("**")) return mistake(span(at_, at_ + 2), "'**' is not an operator", "write '^' for powers");
      return take(TokenKind::symbol, at_ + symbol.size());
    }
    if (single_symbols.find(c) != std::string_view::npos) return take(TokenKind::symbol, at_ + 1);
    unknown();
  }

  void word() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    take(TokenKind::word, end);
  }

  std::size_t digits(std::size_t from) const {
    while (from < text_.size() && is_digit(text_[from])) ++from;
    return from;
  }

  void number() {
    std::size_t end = digits(at_);
    TokenKind kind = TokenKind::integer;
    if (end < text_.size() && text_[end] == '.') {
      kind = TokenKind::real;
      end = digits(end + 1);
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const std::size_t sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-') ? 1 : 0;
      const std::size_t after = digits(end + 1 + sign);
      if (after > end + 1 + sign) {
        kind = TokenKind::real;
        end = after;
      }
    }
    if (end >= text_.size() || !is_word(text_[end])) return take(kind, end);
    const std::string number(text_.substr(at_, end - at_));
    const std::size_t rest = end;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view tail = text_.substr(rest, end - rest);
    const Span all = span(at_, end);
    if (tail == "i") {
      return mistake(all, "complex numbers are not supported",
                     "use separate variables for the real and the imaginary part");
    }
    const std::string message = "malformed number '" + std::string(source_.text(all)) + '\'';
    if (tail[0] == '_') return mistake(all, message, "write numbers without '_'");
    if (tail[0] == 'e' || tail[0] == 'E') {
      return mistake(all, message, "digits are missing after '" + number + tail[0] + "', as in '" + number + "e-3'");
    }
    mistake(all, message,
            "for a product write '" + number + " * " + std::string(tail) + "'; names begin with a letter");
  }

  void text() {
    const std::size_t line_end = end_of_line();
    const std::size_t close = text_.find('"', at_ + 1);
    if (close >= line_end)
      return mistake(span(at_, line_end), "this string is not closed", "add '\"' on the same line");
    take(TokenKind::text, close + 1);
  }

  void unknown() {
    if (follows("#include")) {
      return mistake(span(at_, end_of_line()), "#include must be on its own line", "begin a new line before it");
    }
    switch (peek()) {
      case '#':
        return mistake(span(at_, at_ + 1), "'#' no longer starts a comment in Stan", "write '//' instead of '#'");
      case '&': return mistake(span(at_, at_ + 1), "unexpected character '&'", "write '&&' for a logical and");
      case '_': return mistake(span(at_, at_ + 1), "unexpected character '_'", "names begin with a letter");
      case '.':
        return mistake(span(at_, at_ + 1), "unexpected character '.'", "names consist of letters, digits and '_'");
      default: break;
    }
    const Character character = character_at(text_, at_);
    char code[16];
    std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(character.code));
    const Span where = span(at_, at_ + character.length);
    if (character.code == replacement_character && character.length == 1) {
      return mistake(where, "invalid UTF-8", "save the model as UTF-8");
    }
    if (is_invisible(character.code)) {
      return mistake(where, std::string("unexpected invisible character ") + code, "remove it");
    }
    std::string help = "only ASCII is allowed outside comments and strings";
    if (character.code < 0x80) help = "remove it";
    for (const Lookalike& lookalike : lookalikes) {
      if (lookalike.code == character.code) help = std::string("write ") + lookalike.plain;
    }
    const std::string shown = character.code < 0x80 ? "" : std::string(" (") + code + ')';
    mistake(where, "unexpected character '" + std::string(source_.text(where)) + '\'' + shown, help);
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  Tokens tokens_;
};

}  // namespace

Tokens lex(const Source& source) { return Lexer(source).run(); }

}  // namespace sgmcmc::stan
