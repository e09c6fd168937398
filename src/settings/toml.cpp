// Recursive-descent parser for a small subset of TOML.
#include "settings/toml.hpp"

#include "settings/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

class TomlReader {
 public:
  TomlReader(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  Json read(std::map<std::string, int>& lines) {
    Json object = Json::object();
    for (skip_blank_lines(); at_ < text_.size(); skip_blank_lines()) {
      if (peek() == '[') fail("TOML tables are not supported here; write every option as key = value");
      const int line = line_;
      const std::string key = read_key();
      if (object.contains(key)) fail("'" + key + "' is given twice, first in line " + std::to_string(lines[key]));
      skip_spaces();
      if (peek() != '=') fail("expected '=' after '" + key + "'");
      ++at_;
      object[key] = read_value();
      lines[key] = line;
      skip_spaces();
      if (peek() == '#') skip_comment();
      if (at_ < text_.size() && peek() != '\n') fail("expected the end of the line after the value of '" + key + "'");
    }
    return object;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw UsageError(path_ + ":" + std::to_string(line_) + ":" + std::to_string(at_ - line_start_ + 1) + ": " +
                     message);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }
  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  void skip_blank_lines() {
    if (at_ == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (true) {
      skip_spaces();
      if (peek() == '#') skip_comment();
      if (peek() != '\n') return;
      line_start_ = ++at_;
      ++line_;
    }
  }
  static bool is_key_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

  std::string read_key() {
    if (peek() == '"' || peek() == '\'') return read_string();
    const std::size_t begin = at_;
    while (is_key_letter(peek())) ++at_;
    if (at_ == begin) fail("expected the name of an option");
    return text_.substr(begin, at_ - begin);
  }

  Json read_value() {
    if (++depth_ > 50) fail("brackets are nested too deeply");
    skip_spaces();
    Json value;
    if (peek() == '"' || peek() == '\'') {
      value = read_string();
    } else if (peek() == '[') {
      value = read_array();
    } else if (peek() == '{') {
      value = read_table();
    } else {
      value = read_bare();
    }
    --depth_;
    return value;
  }

  std::string read_string() {
    const char quote = text_[at_];
    if (text_.compare(at_, 3, std::string(3, quote)) == 0) fail("multi-line strings are not supported here");
    std::string value;
    for (++at_; peek() != quote; ++at_) {
      if (at_ >= text_.size() || peek() == '\n') fail(std::string("unterminated string: expected ") + quote);
      if (quote == '"' && peek() == '\\') {
        ++at_;
        switch (peek()) {
          case 'n': value += '\n'; break;
          case 't': value += '\t'; break;
          case '"': value += '"'; break;
          case '\\': value += '\\'; break;
          default: fail("expected one of \\n, \\t, \\\" and \\\\; in single quotes, text is taken literally");
        }
      } else {
        value += peek();
      }
    }
    ++at_;
    return value;
  }

  Json read_array() {
    Json array = Json::array();
    ++at_;
    for (skip_blank_lines(); peek() != ']'; skip_blank_lines()) {
      array.push_back(read_value());
      skip_blank_lines();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != ']') {
        fail("expected ',' or ']' in the array");
      }
    }
    ++at_;
    return array;
  }

  Json read_table() {
    Json table = Json::object();
    ++at_;
    for (skip_spaces(); peek() != '}'; skip_spaces()) {
      const std::string key = read_key();
      skip_spaces();
      if (peek() != '=') fail("expected '=' after '" + key + "'");
      ++at_;
      table[key] = read_value();
      skip_spaces();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != '}') {
        fail("expected ',' or '}'");
      }
    }
    ++at_;
    return table;
  }

  /// true, false, or a number; kept as text so that 64-bit seeds and 1e-5 are not changed.
  Json read_bare() {
    const std::size_t begin = at_;
    while (is_key_letter(peek()) || peek() == '.' || peek() == '+') ++at_;
    std::string word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false") return word == "true";
    std::string digits = word;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    if (!number_from(digits)) {
      at_ = begin;
      fail(word.empty() ? "expected a value" : "'" + word + "' is not a number, true or false; put text in quotes");
    }
    return digits;
  }

  const std::string& path_;
  const std::string& text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1, depth_ = 0;
};

}  // namespace

Json read_toml(const std::string& path, const std::string& text, std::map<std::string, int>& lines) {
  return TomlReader(path, text).read(lines);
}

std::string json_mistake(const std::string& path, const std::string& text, std::size_t byte, const std::string& what) {
  const std::size_t at = std::min(byte > 0 ? byte - 1 : 0, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const auto line_end = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const auto column = at - (line_end == std::string::npos ? 0 : line_end + 1) + 1;
  // nlohmann's text is "[json...] parse error at line 1, column 2: syntax error ... - REASON; expected X".
  const auto dash = what.find(" - ");
  const auto colon = what.rfind(": ");
  const std::string reason = dash != std::string::npos    ? what.substr(dash + 3)
                             : colon != std::string::npos ? what.substr(colon + 2)
                                                          : what;
  return path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": not JSON: " + reason;
}

}  // namespace sgmcmc
