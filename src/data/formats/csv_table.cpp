// Guesses a CSV file's separator and header from its first lines, and finds columns by name or number.
#include "data/formats/csv_table.hpp"

#include "base/text.hpp"
#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace sgmcmc {

namespace {

constexpr std::size_t sample_bytes = std::size_t{64} << 10;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t count_outside_quotes(std::string_view record, char separator) {
  std::size_t count = 0;
  bool is_quoted = false;
  for (const char c : record) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == separator && !is_quoted) ++count;
  }
  return count;
}

/// The first of tab, semicolon and comma that occurs equally often in every sampled record; else the first that occurs
/// in the first record, so that the message about the record that differs counts the right separator.
char guess_separator(const std::vector<std::string_view>& records) {
  constexpr std::array candidates{'\t', ';', ','};
  char best = ',';
  std::size_t most = 0;
  for (const char candidate : candidates) {
    const std::size_t count = count_outside_quotes(records.front(), candidate);
    if (count == 0) continue;
    if (std::ranges::all_of(records, [&](auto record) { return count_outside_quotes(record, candidate) == count; })) {
      return candidate;
    }
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

bool is_number(const std::string& field) {
  double value;
  bool is_whole;
  return read_number(field, value, is_whole);
}

}  // namespace

std::size_t record_end(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\n' && !is_quoted) return i;
  }
  return text.size();
}

std::vector<std::string> split_record(std::string_view record, char separator) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= record.size(); ++i) {
    if (i < record.size() && record[i] == '"') is_quoted = !is_quoted;
    if (i < record.size() && (record[i] != separator || is_quoted)) continue;
    std::string_view field = trimmed(record.substr(begin, i - begin));
    begin = i + 1;
    if (field.size() < 2 || field.front() != '"' || field.back() != '"') {
      fields.emplace_back(field);
      continue;
    }
    std::string plain;
    field = field.substr(1, field.size() - 2);
    for (std::size_t j = 0; j < field.size(); ++j) {
      plain += field[j];
      if (field[j] == '"' && j + 1 < field.size() && field[j + 1] == '"') ++j;
    }
    fields.emplace_back(trimmed(plain));
  }
  return fields;
}

CsvTable read_csv_outline(Input& input) {
  if (input.peek(3) == "\xEF\xBB\xBF") input.skip(3);
  std::string_view text = input.peek(sample_bytes);
  // A header may be longer than any sample.
  for (std::size_t bytes = sample_bytes;
       bytes < longest_quoted_record && record_end(text) == text.size() && text.size() == bytes;) {
    bytes *= 2;
    text = input.peek(bytes);
  }
  if (trimmed(text.substr(0, record_end(text))).empty()) {
    throw DataError(input.name() + ":1: the first line is empty. It must hold the names of the columns, or numbers");
  }
  if (text.find('\n') == text.npos && text.find('\r') != text.npos) {
    throw DataError(input.name() + ": lines end in '\\r' alone. Convert them to line feeds ('\\n')");
  }
  if (const auto first = text.substr(0, record_end(text)); first.find("<-") != first.npos) {
    throw DataError(input.name() + ":1: this looks like R's dump format ('name <- value'). Write the data as JSON");
  }

  std::vector<std::string_view> records;
  std::string_view rest = text;
  while (records.size() < 5 && !rest.empty()) {
    const std::size_t end = record_end(rest);
    if (end == rest.size() && text.size() >= sample_bytes && !records.empty()) break;  // cut by the sample's end
    const std::string_view record = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!trimmed(record).empty()) records.push_back(record);
  }
  CsvTable table;
  table.separator = guess_separator(records);
  std::vector<std::string> first = split_record(records.front(), table.separator);
  table.columns = first.size();
  table.has_header = std::ranges::none_of(first, is_number);
  if (!table.has_header) return table;
  table.header = std::move(first);
  if (table.columns == 1 && table.header[0].find(' ') != std::string::npos) {
    throw DataError(input.name() + ":1: the line " + shown(table.header[0]) +
                    " is neither numbers nor names: columns must be separated by commas, semicolons or tabs");
  }
  table.first_line = 2 + std::ranges::count(records.front(), '\n');
  input.skip(std::min(records.front().size() + 1, text.size()));
  return table;
}

std::string column_label(const CsvTable& table, std::size_t column) {
  std::string label = "column ";
  label += std::to_string(column + 1);
  if (table.has_header && column < table.header.size() && !table.header[column].empty()) {
    label += ' ';
    label += shown(table.header[column]);
  }
  return label;
}

CsvSelection select_columns(const CsvTable& table, const std::string& file, const std::string& text) {
  const auto find = [&](std::string_view word) -> std::size_t {
    const auto named = std::ranges::find(table.header, word);
    if (named != table.header.end()) {
      const auto again = std::find(named + 1, table.header.end(), word);
      if (again != table.header.end()) {
        throw DataError(file + ": columns " + std::to_string(named - table.header.begin() + 1) + " and " +
                        std::to_string(again - table.header.begin() + 1) + " are both called " + shown(word) +
                        ". Name the column by its number");
      }
      return static_cast<std::size_t>(named - table.header.begin());
    }
    std::size_t number = 0;
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem == std::errc() && stop == word.data() + word.size()) {
      if (number >= 1 && number <= table.columns) return number - 1;
      throw DataError(file + ": there is no column " + std::string(word) + ": it has columns 1 to " +
                      std::to_string(table.columns));
    }
    if (word.empty()) {
      throw DataError(file + ": the list of columns '" + text +
                      "' has an empty name. Write a,b,c or a..c, by name or number");
    }
    if (!table.has_header) {
      throw DataError(file + ": there is no column " + shown(word) +
                      ": the file has no header (its first line holds numbers). Name columns by number, 1 to " +
                      std::to_string(table.columns));
    }
    throw DataError(file + ": there is no column " + shown(word) + "." + did_you_mean(word, table.header));
  };

  CsvSelection selection;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = trimmed(rest.substr(0, comma));
    const std::size_t dots = part.find("..");
    if (dots != part.npos && std::ranges::find(table.header, part) == table.header.end()) {
      const std::size_t first = find(trimmed(part.substr(0, dots)));
      const std::size_t last = find(trimmed(part.substr(dots + 2)));
      if (last < first) {
        throw DataError(file + ": the range " + shown(part) + " runs backwards, from column " +
                        std::to_string(first + 1) + " to column " + std::to_string(last + 1) + ". Turn it around");
      }
      for (std::size_t column = first; column <= last; ++column) selection.columns.push_back(column);
      selection.is_list = true;
    } else {
      selection.columns.push_back(find(part));
    }
    if (comma == rest.size()) break;
    selection.is_list = true;
    rest.remove_prefix(comma + 1);
  }
  return selection;
}

}  // namespace sgmcmc
