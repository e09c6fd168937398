// From text to tokens: words, numbers, texts in quotes and symbols; comments and blanks are left out.
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
  /// What stopped the reading, or nothing when all was read. It belongs to the last token, so that an earlier mistake
  /// of another kind is reported first.
  std::optional<StanError> mistake;
};

Tokens lex(const Source& source);

}  // namespace sgmcmc::stan
