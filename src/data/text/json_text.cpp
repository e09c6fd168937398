// The buffer behind the text, strings with their escapes, and numbers by JSON's grammar.
#include "data/text/json_text.hpp"

#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cctype>

namespace sgmcmc {

namespace {

bool belongs_to_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}
bool belongs_to_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

/// Why JSON does not allow a number that is otherwise readable; null if it does.
const char* grammar_fault(std::string_view token) {
  if (token.starts_with('+')) return "a number has no '+' in front";
  if (token.starts_with('-')) token.remove_prefix(1);
  if (token.starts_with('.')) return "a number begins with a digit: write 0.5, not .5";
  if (token.size() > 1 && token[0] == '0' && is_digit(token[1])) return "a number has no leading zeros";
  const auto point = token.find('.');
  if (point != token.npos && (point + 1 == token.size() || !is_digit(token[point + 1]))) {
    return "digits follow the point: write 5.0, not 5.";
  }
  return nullptr;
}

void append_utf8(std::string& text, unsigned code) {
  const auto put = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

}  // namespace

JsonText::JsonText(Input& input, std::size_t buffer_bytes)
    : input_(input), buffer_(std::max<std::size_t>(buffer_bytes, 1) + 1) {
  cursor_ = end_ = buffer_.data();
  if (input_.peek(3) == "\xEF\xBB\xBF") input_.skip(3);
}

bool JsonText::fill() {
  if (is_last_) return false;
  const std::size_t kept = static_cast<std::size_t>(end_ - cursor_);
  consumed_ += cursor_ - buffer_.data();
  std::copy(cursor_, end_, buffer_.data());
  if (kept + 1 >= buffer_.size()) buffer_.resize(2 * buffer_.size());  // one token fills it
  const std::size_t asked = buffer_.size() - 1 - kept;
  const std::size_t count = input_.read(std::span(buffer_).subspan(kept, asked));
  is_last_ = count < asked;
  cursor_ = buffer_.data();
  end_ = cursor_ + kept + count;
  buffer_[kept + count] = '\0';
  return count > 0;
}

void JsonText::refuse(const std::string& what, TextPosition where) const {
  throw DataError(input_.name() + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " +
                  context_ + what);
}

std::string JsonText::found() const {
  return is_at_end() ? "the end of the file" : shown(std::string_view(cursor_, 1));
}

bool JsonText::is_signed_word() {
  while (end_ - cursor_ < 2 && fill()) {
  }
  return std::isalpha(static_cast<unsigned char>(cursor_[1])) != 0;
}

void JsonText::read_number(double& value, bool& is_whole) {
  const char* stop;
  for (;;) {
    stop = parse_number(cursor_, value, is_whole);
    if (stop != nullptr && stop != end_ && !belongs_to_number(*stop)) break;
    // Refused, or cut by the end of the buffer: examine the whole token.
    const char* token_end = cursor_;
    while (belongs_to_number(*token_end)) ++token_end;
    if (token_end == end_ && !is_last_) {
      fill();
      continue;
    }
    if (stop == token_end) break;
    const std::string_view token(cursor_, static_cast<std::size_t>(token_end - cursor_));
    if (is_too_large(token)) refuse("the number " + shown(token) + " is beyond the largest double, 1.8e308");
    const char* const fault = grammar_fault(token);
    refuse(shown(token) + " is not a number" + (fault != nullptr ? std::string(": ") + fault : ""));
  }
  const char first = *cursor_ == '-' ? cursor_[1] : *cursor_;
  const std::string_view token(cursor_, static_cast<std::size_t>(stop - cursor_));
  // parse_number also accepts some text that JSON does not allow; nearly all numbers pass the first test.
  if (!is_whole || first == '0' || *cursor_ == '+') {
    if (const char* const fault = grammar_fault(token)) refuse(shown(token) + " is not a JSON number: " + fault);
  }
  cursor_ = stop;
}

std::string JsonText::read_word() {
  std::string word;
  if (peek_byte() == '-' || peek_byte() == '+') {
    word += *cursor_;
    ++cursor_;
  }
  while (belongs_to_word(peek_byte())) {
    if (word.size() < 100) word += *cursor_;
    ++cursor_;
  }
  return word;
}

void JsonText::skip_string() {
  const TextPosition start = position();
  ++cursor_;
  for (;;) {
    const char c = peek_byte();
    if (is_at_end()) refuse("the string that begins here never ends: its closing '\"' is missing", start);
    if (static_cast<unsigned char>(c) < 32) refuse("a string may not contain " + found() + ": is a '\"' missing?");
    ++cursor_;
    if (c == '"') return;
    if (c == '\\') {
      peek_byte();
      if (!is_at_end()) ++cursor_;
    }
  }
}

std::string JsonText::read_string() {
  const TextPosition start = position();
  std::string text;
  ++cursor_;
  for (;;) {
    const char c = peek_byte();
    if (is_at_end()) refuse("the string that begins here never ends: its closing '\"' is missing", start);
    if (static_cast<unsigned char>(c) < 32) refuse("a string may not contain " + found() + ": is a '\"' missing?");
    if (c == '\\') {
      append_escape(text);
      continue;
    }
    ++cursor_;
    if (c == '"') return text;
    text += c;
  }
}

void JsonText::append_escape(std::string& text) {
  ++cursor_;
  const char c = peek_byte();
  switch (c) {
    case '"':
    case '\\':
    case '/': text += c; break;
    case 'b': text += '\b'; break;
    case 'f': text += '\f'; break;
    case 'n': text += '\n'; break;
    case 'r': text += '\r'; break;
    case 't': text += '\t'; break;
    case 'u': {
      ++cursor_;
      unsigned code = read_hex4();
      if (code >= 0xD800 && code < 0xDC00 && peek_byte() == '\\') {  // the first half of a pair
        ++cursor_;
        if (peek_byte() != 'u') refuse("'\\u' is expected: the second half of a character");
        ++cursor_;
        code = 0x10000 + ((code - 0xD800) << 10) + ((read_hex4() - 0xDC00) & 0x3FF);
      }
      append_utf8(text, code);
      return;
    }
    default: refuse("'\\' is followed by " + found() + "; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
  }
  ++cursor_;
}

unsigned JsonText::read_hex4() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = peek_byte();
    if (!std::isxdigit(static_cast<unsigned char>(c)))
      refuse("'\\u' is followed by four hexadecimal digits, not by " + found());
    code = code * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    ++cursor_;
  }
  return code;
}

}  // namespace sgmcmc
