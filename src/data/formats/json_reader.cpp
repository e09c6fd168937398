// Converts JSON values to arrays: shapes follow from the nesting, and errors give the position.
#include "data/formats/json_reader.hpp"

#include "data/array_builder.hpp"
#include "data/text/json_text.hpp"
#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <cctype>
#include <limits>
#include <map>
#include <vector>

namespace sgmcmc {

namespace {

constexpr std::size_t deepest_array = 32;
constexpr std::size_t deepest_skipped = 1000;

std::string index_text(const std::vector<std::int64_t>& counts, std::size_t levels) {
  std::string text = "[";
  for (std::size_t level = 0; level < levels; ++level) {
    if (level > 0) text += ", ";
    text += std::to_string(counts[level] + 1);
  }
  return text + "]";
}

class JsonReader {
 public:
  JsonReader(Input& input, std::size_t buffer_bytes) : text_(input, buffer_bytes) {}

  void read_object(const JsonRequest& request);
  DataArray read_root_array(WantedKind kind);

 private:
  DataArray read_value(WantedKind kind);
  DataArray read_array(WantedKind kind);
  void read_element(ArrayBuilder& builder, WantedKind kind);
  void push_word(ArrayBuilder& builder, WantedKind kind, const std::string& word, TextPosition where, bool is_string);
  void check_end();
  void skip_value();
  void skip_scalar();
  void skip_key();
  [[noreturn]] void refuse_real(const std::string& found, TextPosition where) const {
    text_.refuse("found " + found + ", but the model declares int: whole numbers within 32 bits", where);
  }
  [[noreturn]] void refuse_unexpected(const std::string& expected);

  JsonText text_;
};

void JsonReader::refuse_unexpected(const std::string& expected) {
  const char c = text_.next();
  if (!text_.is_at_end() && (c == '/' || c == '#')) {
    text_.refuse("found " + text_.found() + ": JSON has no comments. Remove it");
  }
  if (c == '\'') text_.refuse("found \"'\": JSON writes strings in double quotes");
  text_.refuse("found " + text_.found() + " where " + expected + " is expected");
}

void JsonReader::check_end() {
  text_.next();
  if (!text_.is_at_end()) refuse_unexpected("the end of the file");
}

void JsonReader::read_object(const JsonRequest& request) {
  if (text_.next() == '[') {
    text_.refuse("the file is one array, which has no name: write NAME=FILE");
  }
  if (text_.next() != '{') refuse_unexpected("'{'");
  text_.skip();
  std::map<std::string, TextPosition> seen;
  if (text_.next() == '}') {
    text_.skip();
    return check_end();
  }
  for (;;) {
    if (text_.next() != '"') {
      refuse_unexpected(seen.empty() ? "a key in double quotes, or '}'," : "a key in double quotes after ','");
    }
    const TextPosition where = text_.position();
    const std::string key = text_.read_string();
    const auto [known, is_new] = seen.emplace(key, where);
    if (!is_new) {
      text_.refuse(
          "key " + shown(key) + " is there twice, first in line " + std::to_string(known->second.line) + ". Remove one",
          where);
    }
    if (text_.next() != ':') refuse_unexpected("':' after the key " + shown(key));
    text_.skip();
    if (const auto kind = request.kind_of(key)) {
      text_.set_context("key " + shown(key) + ": ");
      request.take(key, read_value(*kind));
      text_.set_context("");
    } else {
      skip_value();
    }
    const char c = text_.next();
    if (c != ',' && c != '}') refuse_unexpected("',' or '}' after the value of " + shown(key));
    text_.skip();
    if (c == '}') return check_end();
  }
}

DataArray JsonReader::read_root_array(WantedKind kind) {
  if (text_.next() == '{') {
    text_.refuse("the file is an object with keys, not one array: give it as FILE, without a name");
  }
  DataArray array = read_value(kind);
  check_end();
  return array;
}

DataArray JsonReader::read_value(WantedKind kind) {
  if (text_.next() == '[') return read_array(kind);
  ArrayBuilder builder(kind);
  read_element(builder, kind);
  return builder.finish(Shape{});
}

DataArray JsonReader::read_array(WantedKind kind) {
  ArrayBuilder builder(kind);
  std::vector<std::int64_t> dims;    // -1: no array of this level is complete yet
  std::vector<std::int64_t> counts;  // elements so far, of the arrays now open
  std::size_t number_level = 0;      // nesting depth of numbers; 0: no number read yet
  const auto open = [&] {
    if (number_level != 0 && counts.size() == number_level) {
      text_.refuse("found an array at " + index_text(counts, counts.size()) +
                   ", where a number is expected as before it");
    }
    if (counts.size() == deepest_array) text_.refuse("arrays are nested more than 32 deep");
    text_.skip();
    counts.push_back(0);
    if (counts.size() > dims.size()) dims.push_back(-1);
  };
  open();
  while (!counts.empty()) {
    const char c = text_.next();
    if (c == '[') {
      open();
      continue;
    }
    if (c == ']' && counts.back() == 0) {
      // an empty array: closed below
    } else {
      if (c == ']') text_.refuse("found ']' after ','. Remove the last comma");
      if (dims.size() > counts.size()) {
        text_.refuse("found a number at " + index_text(counts, counts.size()) +
                     ", where an array is expected as before it");
      }
      read_element(builder, kind);
      number_level = counts.size();
      ++counts.back();
    }
    // The end of an array may also be the end of enclosing arrays.
    for (;;) {
      const char after = text_.next();
      if (after == ']') {
        const std::size_t level = counts.size() - 1;
        if (dims[level] == -1) dims[level] = counts.back();
        if (dims[level] != counts.back()) {
          text_.refuse("the array at " + index_text(counts, level) + " has " + std::to_string(counts.back()) +
                       (counts.back() == 1 ? " element" : " elements") + ", those before it have " +
                       std::to_string(dims[level]) + ". Arrays must be rectangular: give all the same length");
        }
        text_.skip();
        counts.pop_back();
        if (counts.empty()) break;
        ++counts.back();
        continue;
      }
      if (after != ',') {
        if (text_.is_at_end()) text_.refuse("the file ends inside an array: ']' is missing");
        refuse_unexpected("',' or ']'");
      }
      text_.skip();
      if (text_.next() == ']') text_.refuse("found ']' after ','. Remove the last comma");
      break;
    }
  }
  return builder.finish(Shape(std::move(dims)));
}

void JsonReader::read_element(ArrayBuilder& builder, WantedKind kind) {
  const char c = text_.next();
  const TextPosition where = text_.position();
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
    double value;
    bool is_whole;
    if ((c == '-' || c == '+') && text_.is_signed_word()) {
      return push_word(builder, kind, text_.read_word(), where, false);
    }
    text_.read_number(value, is_whole);
    if (kind == WantedKind::integer && !is_whole) refuse_real(number_text(value), where);
    builder.push(value, is_whole);
  } else if (c == '"') {
    push_word(builder, kind, text_.read_string(), where, true);
  } else if (c == '{') {
    text_.refuse("found an object: tuples are not supported. Give each part its own key");
  } else if (std::isalpha(static_cast<unsigned char>(c))) {
    push_word(builder, kind, text_.read_word(), where, false);
  } else if (text_.is_at_end()) {
    text_.refuse("the file ends where a number or an array is expected");
  } else {
    refuse_unexpected("a number or an array");
  }
}

void JsonReader::push_word(ArrayBuilder& builder, WantedKind kind, const std::string& word, TextPosition where,
                           bool is_string) {
  double value;
  if (word == "NaN" || word == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (!read_infinity(word, value)) {
    if (word == "null" && !is_string) {
      text_.refuse("found null: missing values cannot be used. Remove these rows, or model them as parameters", where);
    }
    if ((word == "true" || word == "false") && !is_string) {
      text_.refuse("found " + word + " where a number is expected. Write 1 for true and 0 for false", where);
    }
    text_.refuse(std::string("found ") + (is_string ? "the text " : "") + shown(word) +
                     " where a number is expected. Words for numbers are \"NaN\", \"Inf\" and \"-Inf\"",
                 where);
  }
  if (kind == WantedKind::integer) refuse_real(shown(word), where);
  builder.push(value, false);
}

void JsonReader::skip_scalar() {
  const char c = text_.next();
  const bool is_signed = c == '-' || c == '+';
  if (c == '"') {
    text_.skip_string();
  } else if (std::isalpha(static_cast<unsigned char>(c)) || (is_signed && text_.is_signed_word())) {
    const TextPosition where = text_.position();
    const std::string word = text_.read_word();
    double infinity;
    if (word != "true" && word != "false" && word != "null" && word != "NaN" && !read_infinity(word, infinity)) {
      text_.refuse("found " + shown(word) + " where a value is expected", where);
    }
  } else if (is_signed || c == '.' || (c >= '0' && c <= '9')) {
    double value;
    bool is_whole;
    text_.read_number(value, is_whole);
  } else {
    refuse_unexpected("a value");
  }
}

void JsonReader::skip_key() {
  if (text_.next() != '"') refuse_unexpected("a key in double quotes");
  text_.skip_string();
  if (text_.next() != ':') refuse_unexpected("':' after a key");
  text_.skip();
}

void JsonReader::skip_value() {
  std::vector<char> open;  // the brackets around this place
  for (;;) {
    const char c = text_.next();
    if (c == '[' || c == '{') {
      if (open.size() == deepest_skipped) text_.refuse("brackets are nested more than 1000 deep");
      text_.skip();
      open.push_back(c);
      const char closing = c == '[' ? ']' : '}';
      if (text_.next() != closing) {
        if (c == '{') skip_key();
        continue;
      }
    } else {
      skip_scalar();
    }
    for (;;) {
      if (open.empty()) return;
      const char after = text_.next();
      const bool is_array = open.back() == '[';
      if (after == (is_array ? ']' : '}')) {
        text_.skip();
        open.pop_back();
        continue;
      }
      if (after != ',') refuse_unexpected(is_array ? "',' or ']'" : "',' or '}'");
      text_.skip();
      if (!is_array) skip_key();
      break;
    }
  }
}

}  // namespace

void read_json_object(Input& input, const JsonRequest& request, std::size_t buffer_bytes) {
  JsonReader(input, buffer_bytes).read_object(request);
}

std::map<std::string, double> read_json_numbers(const std::string& path, std::initializer_list<const char*> keys,
                                                const std::string& advice) {
  std::map<std::string, double> numbers;
  Input input(path, open_file(path));
  read_json_object(input, {[](const std::string&) { return WantedKind::real; },
                           [&](const std::string& key, const DataArray& array) {
                             if (array.size() == 1) numbers[key] = array[0];
                           }});
  for (const char* key : keys)
    if (numbers.find(key) == numbers.end()) throw DataError(path + ": '" + key + "' is missing. " + advice);
  return numbers;
}

DataArray read_json_array(Input& input, WantedKind kind, std::size_t buffer_bytes) {
  return JsonReader(input, buffer_bytes).read_root_array(kind);
}

}  // namespace sgmcmc
