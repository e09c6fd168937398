// The loop over records and fields, with a fast path for plain numbers and a slow path for everything else.
#include "data/formats/csv_parse.hpp"

#include "base/levels.hpp"
#include "data/text/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace sgmcmc {

namespace {

struct Field {
  const char* begin;
  const char* end;   // of its text
  const char* next;  // its separator or line feed
  bool is_quoted;
};

/// Finds the field's end by the rules of quotes.
Field find_field(const char* p, char separator) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const char* q = p;
  while (is_blank(*q) && *q != separator) ++q;
  if (*q == '"') {
    const char* const begin = ++q;
    for (;; ++q) {  // a piece has its quotes in pairs, so the closing one is there
      if (*q != '"') continue;
      if (q[1] != '"') break;
      ++q;
    }
    const char* const end = q++;
    // Text after the closing quote: the field is then not a number, whatever is inside the quotes.
    const char* rest = q;
    bool is_quoted = false;
    for (; is_quoted || (*q != separator && *q != '\n'); ++q) is_quoted ^= *q == '"';
    while (rest != q && (is_blank(*rest) || *rest == '\r')) ++rest;
    if (rest != q) return {p, q, q, false};
    return {begin, end, q, true};
  }
  const char* const begin = q;
  bool is_quoted = false;
  for (; is_quoted || (*q != separator && *q != '\n'); ++q) is_quoted ^= *q == '"';
  const char* end = q;
  if (*q == '\n' && end != begin && end[-1] == '\r') --end;
  while (end != begin && is_blank(end[-1])) --end;
  return {begin, end, q, false};
}

bool is_missing(std::string_view text) {
  static constexpr std::array<std::string_view, 12> words{"",     "NA",   "N/A", "NaN", "nan", "NAN",
                                                          "null", "NULL", "?",   ".",   "-",   "None"};
  return std::ranges::find(words, text) != words.end();
}

class PieceParser {
 public:
  PieceParser(const CsvPlan& plan, const CsvPiece& piece, CsvOutcome& outcome)
      : plan_(plan), piece_(piece), outcome_(outcome), separator_(plan.table->separator) {}

  void parse() {
    const char* p = piece_.begin;
    while (p != piece_.end) {
      if (*p == '\n' || (*p == '\r' && p[1] == '\n')) {
        if (outcome_.empty_line == 0) outcome_.empty_line = line_of(p);
        p += *p == '\n' ? 1 : 2;
        continue;
      }
      if (outcome_.empty_line != 0) return refuse_line(outcome_.empty_line, "the line is empty. Remove it");
      const auto row = static_cast<std::size_t>(piece_.first_row + outcome_.rows - plan_.first_row);
      record_ = p;
      for (const CsvRun& run : plan_.runs) {
        p = run.places.empty()      ? pass_over(p, run)
            : run.places.size() > 1 ? store_many(p, run, row)
                                    : store(p, run, row);
        if (p == nullptr) return;
      }
      ++outcome_.rows;
    }
  }

 private:
  std::int64_t line_of(const char* p) const { return piece_.first_line + count_lines(piece_.begin, p); }

  void refuse_line(std::int64_t line, const std::string& what) {
    outcome_.problem = plan_.file + ":" + std::to_string(line) + ": " + what;
  }

  const char* refuse_field(const char* p, std::size_t field, const std::string& what) {
    refuse_line(line_of(p), column_label(*plan_.table, field) + " " + what);
    return nullptr;
  }

  /// The record has too few fields, or too many.
  const char* refuse_count() {
    std::size_t count = 1;
    const char* p = record_;
    for (Field field = find_field(p, separator_); *field.next != '\n'; field = find_field(p, separator_)) {
      p = field.next + 1;
      ++count;
    }
    const std::size_t expected = plan_.table->columns;
    refuse_line(line_of(record_), "the line has " + std::to_string(count) + (count == 1 ? " field" : " fields") +
                                      ", the first line has " + std::to_string(expected) +
                                      ". Give every line the same number");
    return nullptr;
  }

  const char* pass_over(const char* p, const CsvRun& run) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const char* q = p;
      while (*q != separator_ && *q != '\n' && *q != '"') ++q;
      if (*q == '"') q = find_field(p, separator_).next;
      if (*q != run.terminator) return refuse_count();
      p = q + 1;
    }
    return p;
  }

  static bool ends_record(const char* q, char terminator) { return terminator == '\n' && q[0] == '\r' && q[1] == '\n'; }

  const char* store(const char* p, const CsvRun& run, std::size_t row) {
    const CsvRun::Place place = run.places[0];
    const CsvTarget& target = plan_.targets[place.target];
    const std::size_t position = row * target.row_elements + place.offset;
    const char terminator = run.terminator;
    if (target.is_integer) {
      auto* const values = reinterpret_cast<std::int32_t*>(target.base) + position;
      for (std::size_t i = 0; i < run.count; ++i) {
        double value;
        bool is_whole;
        const char* const q = parse_padded_number(p, value, is_whole);
        if (q != nullptr && is_whole && *q == terminator) [[likely]] {
          p = q + 1;
        } else if (q != nullptr && is_whole && ends_record(q, terminator)) {
          p = q + 2;
        } else {
          p = read_slowly(p, run, i, value, is_whole);
          if (p == nullptr) return nullptr;
        }
        values[i] = static_cast<std::int32_t>(value);
      }
      return p;
    }
    auto* const values = reinterpret_cast<double*>(target.base) + position;
    bool has_reals = false;
    for (std::size_t i = 0; i < run.count; ++i) {
      const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
      if (digit <= 9 && p[1] == terminator) {  // tables are full of zeros and ones
        values[i] = digit;
        p += 2;
        continue;
      }
      if (const char* const end = find_within_sixteen(p, terminator); read_short_decimal(p, end, values[i])) {
        has_reals = true;
        p = end + 1;
        continue;
      }
      bool is_whole;
      const char* const q = parse_padded_number(p, values[i], is_whole);
      if (q != nullptr && *q == terminator) [[likely]] {
        p = q + 1;
      } else if (q != nullptr && ends_record(q, terminator)) {
        p = q + 2;
      } else {
        p = read_slowly(p, run, i, values[i], is_whole);
        if (p == nullptr) return nullptr;
      }
      has_reals |= !is_whole;
    }
    if (has_reals) outcome_.has_reals[place.target] = 1;
    return p;
  }

  const char* store_many(const char* p, const CsvRun& run, std::size_t row) {
    double value;
    bool is_whole;
    const char* const next = read_slowly(p, run, 0, value, is_whole);
    if (next == nullptr) return nullptr;
    for (const CsvRun::Place& place : run.places) {
      const CsvTarget& target = plan_.targets[place.target];
      const std::size_t position = row * target.row_elements + place.offset;
      if (target.is_integer) {
        reinterpret_cast<std::int32_t*>(target.base)[position] = static_cast<std::int32_t>(value);
      } else {
        reinterpret_cast<double*>(target.base)[position] = value;
        if (!is_whole) outcome_.has_reals[place.target] = 1;
      }
    }
    return next;
  }

  /// Any field that the fast path does not accept: quotes, spaces, words, and errors.
  const char* read_slowly(const char* p, const CsvRun& run, std::size_t i, double& value, bool& is_whole) {
    const Field field = find_field(p, separator_);
    if (*field.next != run.terminator) return refuse_count();
    std::string_view text(field.begin, static_cast<std::size_t>(field.end - field.begin));
    while (text.starts_with(' ')) text.remove_prefix(1);  // those inside quotes
    while (text.ends_with(' ')) text.remove_suffix(1);
    const std::size_t column = run.first_field + i;
    if (!read_number(text, value, is_whole)) return refuse_text(p, column, text);
    // A declared integer may be written as 3.0, because some tools write only reals.
    const bool is_integer = value == std::trunc(value) && value >= -2147483648.0 && value <= 2147483647.0;
    for (const CsvRun::Place& place : run.places) {
      const CsvTarget& target = plan_.targets[place.target];
      if (!target.is_integer || is_integer) continue;
      return refuse_field(
          p, column,
          "is " + shown(text) + ", but the model declares '" + target.name + "' as int: whole numbers within 32 bits");
    }
    return field.next + 1;
  }

  const char* refuse_text(const char* p, std::size_t column, std::string_view text) {
    if (is_missing(text)) {
      return refuse_field(p, column,
                          (text.empty() ? std::string("is empty") : "is " + shown(text)) +
                              ": missing values cannot be used. Remove these rows, or model them as parameters");
    }
    if (is_too_large(text))
      return refuse_field(p, column, "is " + shown(text) + ", beyond the largest double, 1.8e308");
    if (text == "TRUE" || text == "FALSE" || text == "true" || text == "false" || text == "True" || text == "False") {
      return refuse_field(p, column, "is " + shown(text) + ". Write 1 for true and 0 for false");
    }
    if (std::string changed(text); separator_ != ',' && std::ranges::count(changed, ',') == 1) {
      std::ranges::replace(changed, ',', '.');
      double value;
      bool is_whole;
      if (read_number(changed, value, is_whole)) {
        return refuse_field(p, column, "is " + shown(text) + ". Write decimals with a point: " + changed);
      }
    }
    return refuse_field(p, column,
                        "is " + shown(text) + ", not a number. Code text as numbers, or leave the column out");
  }

  const CsvPlan& plan_;
  const CsvPiece& piece_;
  CsvOutcome& outcome_;
  const char separator_;
  const char* record_ = nullptr;
};

void parse_csv_piece_here(const CsvPlan& plan, const CsvPiece& piece, CsvOutcome& outcome) {
  outcome.rows = 0;
  outcome.empty_line = 0;
  outcome.problem.clear();
  outcome.has_reals.assign(plan.targets.size(), 0);
  PieceParser(plan, piece, outcome).parse();
}

}  // namespace

SGMCMC_DISPATCHED(void, parse_csv_piece, (const CsvPlan& plan, const CsvPiece& piece, CsvOutcome& outcome),
                  (plan, piece, outcome))

}  // namespace sgmcmc
