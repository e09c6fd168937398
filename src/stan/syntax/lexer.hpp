// Splits text into tokens: words, numbers, strings and symbols, without comments and whitespace.
#pragma once

#include "stan/syntax/source.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

enum class TokenKind : std::uint8_t { word, integer, real, text, symbol, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< as written, inside the source
  Span span;
};

/// Always ends with a token of kind `end`.
struct Tokens {
  std::vector<Token> list;
  /// The error that stopped the lexer, if any. It belongs to the last token, so that earlier errors of other kinds are
  /// reported first.
  std::optional<StanError> mistake;
};

Tokens lex(const Source& source);

}  // namespace sgmcmc::stan
