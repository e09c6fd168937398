// Lines of fields between separators, as files of ratings and of side features have them.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

inline std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Empty if the text is not a number. Infinities and NaN count as numbers here.
inline std::optional<double> real_from(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// The place after the quote that closes a field, which begins with one; npos: the field is not quoted after all.
inline std::size_t after_quotes(std::string_view line, std::string_view separator) {
  for (std::size_t close = line.find('"', 1); close != line.npos; close = line.find('"', close + 1)) {
    if (close + 1 == line.size() || line.substr(close + 1).starts_with(separator)) return close + 1;
    if (line[close + 1] != '"') return line.npos;
    ++close;  // doubled: a quote in the field
  }
  return line.npos;
}

/// Texts of fields that differ from the line, whose addresses stay.
using UnquotedFields = std::forward_list<std::string>;

/// What is between quotes, with doubled quotes as one.
inline std::string_view unquoted(std::string_view inside, UnquotedFields& kept) {
  if (inside.find('"') == inside.npos) return inside;
  std::string& text = kept.emplace_front();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    text += inside[i];
    if (inside[i] == '"') ++i;
  }
  return text;
}

/// Hands add() each field of the line. separator empty: runs of blanks. Fields in double quotes may hold the separator,
/// and quotes that are doubled; `kept` holds their texts.
template <class Add>
void split_fields(std::string_view line, std::string_view separator, UnquotedFields& kept, const Add& add) {
  if (separator.empty()) {
    for (line = trimmed(line); !line.empty();) {
      const std::size_t stop = std::min(line.find_first_of(" \t"), line.size());
      add(line.substr(0, stop));
      line = trimmed(line.substr(stop));
    }
    return;
  }
  for (;;) {
    if (!line.empty() && line.front() == '"') {
      if (const std::size_t after = after_quotes(line, separator); after != line.npos) {
        add(unquoted(line.substr(1, after - 2), kept));
        if (after == line.size()) return;
        line.remove_prefix(after + separator.size());
        continue;
      }
    }
    const std::size_t stop = line.find(separator);
    add(trimmed(line.substr(0, std::min(stop, line.size()))));
    if (stop == line.npos) return;
    line.remove_prefix(stop + separator.size());
  }
}

/// Fields of a line, used again for the next.
struct Fields {
  std::vector<std::string_view> field;
  UnquotedFields kept;

  std::size_t count() const { return field.size(); }
};

inline void split(std::string_view line, std::string_view separator, Fields& fields) {
  fields.field.clear();
  fields.kept.clear();
  split_fields(line, separator, fields.kept, [&](std::string_view text) { fields.field.push_back(text); });
}

inline Fields split(std::string_view line, std::string_view separator) {
  Fields fields;
  split(line, separator, fields);
  return fields;
}

/// Whether the text stands for a number that is missing. A header would not hold it.
inline bool is_missing_value(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : {"", "na", "n/a", "nan", "nil", "null", "none", "missing", "?", "-", ".", "#n/a"})
    if (lower == word) return true;
  return false;
}

/// The separator of a file with this first line; empty: blanks.
inline std::string_view separator_of(std::string_view line) {
  for (const std::string_view candidate : {"::", "\t", ",", ";", "|"})
    if (line.find(candidate) != line.npos) return candidate;
  return "";
}

inline std::string separator_name(std::string_view separator) {
  return separator.empty() ? "blanks" : separator == "\t" ? "tabs" : "'" + std::string(separator) + "'";
}

/// What begins like a remark, with '#' or '%', but directly goes on, as an id may.
inline bool may_be_an_id(std::string_view line) {
  const std::size_t text = line.find_first_not_of("#%");
  return text != line.npos && line[text] != ' ' && line[text] != '\t';
}

/// Why a line with as many fields as others is refused that begins with the sign of a remark.
inline std::string remark_complaint(std::string_view line, std::string_view separator) {
  return "the line begins with '" + std::string(line.substr(0, 1)) + "'; " +
         (separator.empty() ? "separate the fields by commas and " : "") +
         "put the id in double quotes if it is one, or a blank behind the sign if it is a remark";
}

}  // namespace sgmcmc
