// JSON text as it streams in: the next character, positions for messages, strings and numbers.
#pragma once

#include "data/text/byte_source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

struct TextPosition {
  std::int64_t line = 1;
  std::int64_t column = 1;  ///< in bytes
};

class JsonText {
 public:
  JsonText(Input& input, std::size_t buffer_bytes);

  /// The next character that is not white space; 0 at the end (and for a zero byte, which is_at_end() tells apart).
  char next() {
    for (;;) {
      const char c = *cursor_;
      if (c > ' ') return c;
      if (c == '\n') {
        ++line_;
        line_begin_ = offset() + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        if (cursor_ != end_ || !fill()) return c;
        continue;
      }
      ++cursor_;
    }
  }
  void skip() { ++cursor_; }  ///< the character that next() returned
  bool is_at_end() const { return cursor_ == end_ && is_last_; }

  TextPosition position() const { return {line_, offset() - line_begin_ + 1}; }

  /// Whether the sign at the cursor belongs to a word, as in -Infinity.
  bool is_signed_word();
  /// A number at the cursor, by JSON's grammar; the message says what is wrong with it.
  void read_number(double& value, bool& is_whole);
  /// A string at the cursor, which stands on the opening quote.
  std::string read_string();
  /// The same without keeping it.
  void skip_string();
  /// Letters and digits at the cursor, perhaps with a sign, for literals.
  std::string read_word();

  /// The text of every message after the position: "key 'x': ".
  void set_context(std::string context) { context_ = std::move(context); }
  /// Throws DataError: "file:line:column: context what".
  [[noreturn]] void refuse(const std::string& what, TextPosition where) const;
  [[noreturn]] void refuse(const std::string& what) const { refuse(what, position()); }
  /// The character at the cursor, in words.
  std::string found() const;

 private:
  std::int64_t offset() const { return consumed_ + (cursor_ - buffer_.data()); }
  bool fill();  // reads more text after the cursor; false at the end
  char peek_byte() { return cursor_ == end_ && !fill() ? '\0' : *cursor_; }
  void append_escape(std::string& text);
  unsigned read_hex4();

  Input& input_;
  std::vector<char> buffer_;  // one byte longer than what is read: a zero byte stands at end_
  const char* cursor_;
  const char* end_;
  bool is_last_ = false;
  std::int64_t consumed_ = 0;  // bytes before the buffer
  std::int64_t line_ = 1;
  std::int64_t line_begin_ = 0;
  std::string context_;
};

}  // namespace sgmcmc
