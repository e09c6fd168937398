// Lines of fields between separators, as files of ratings and of side features have them.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

/// Hands add() each field of the line. separator empty: runs of blanks. Fields in double quotes may hold the separator.
template <class Add>
void split_fields(std::string_view line, std::string_view separator, const Add& add) {
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
      const std::size_t close = line.find('"', 1);
      if (close != line.npos && (close + 1 == line.size() || line.substr(close + 1).starts_with(separator))) {
        add(line.substr(1, close - 1));
        if (close + 1 == line.size()) return;
        line.remove_prefix(close + 1 + separator.size());
        continue;
      }
    }
    const std::size_t stop = line.find(separator);
    add(trimmed(line.substr(0, std::min(stop, line.size()))));
    if (stop == line.npos) return;
    line.remove_prefix(stop + separator.size());
  }
}

inline constexpr std::size_t most_fields = 64;

/// Fields of a line: keeps a limited number of them, but counts all.
struct Fields {
  std::array<std::string_view, most_fields> field;
  std::size_t count = 0;
};

inline Fields split(std::string_view line, std::string_view separator) {
  Fields fields;
  split_fields(line, separator, [&](std::string_view text) {
    if (fields.count < most_fields) fields.field[fields.count] = text;
    ++fields.count;
  });
  return fields;
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

}  // namespace sgmcmc
