// Reads ratings line by line: delimited fields, MatrixMarket's coordinates, libFM's pairs of features.
#include "factors/ratings/rating_readers.hpp"

#include "base/text.hpp"
#include "data/text/lines.hpp"
#include "factors/ratings/delimited_fields.hpp"
#include "factors/ratings/single_precision.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sgmcmc {

namespace {

constexpr std::size_t rating_bytes_at_a_time = std::size_t{256} << 10;

/// A number from 1 without leading zeros.
std::string_view without_zeros(std::string_view index) {
  return index.substr(std::min(index.find_first_not_of('0'), index.size()));
}

class RatingReader {
 public:
  RatingReader(Input& input, const RatingsOptions& options, Ratings::Parts& parts)
      : file_(input.name()), lines_(input, rating_bytes_at_a_time), options_(options), parts_(parts) {}

  void read(RatingsFormat format) {
    if (format == RatingsFormat::matrix_market) {
      read_matrix_market();
    } else if (format == RatingsFormat::libsvm) {
      read_libsvm();
    } else {
      read_delimited();
    }
    if (parts_.entries.empty()) {
      if (line_ == 0) line_ = 1;
      refuse("there are no ratings");
    }
    precision_.finish(file_ + ": ");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(file_ + ":" + std::to_string(line_) + ": " + what);
  }

  /// The next line that is neither empty nor a remark.
  bool next(std::string_view& line) {
    while (lines_.next(line)) {
      ++line_;
      line = trimmed(line);
      if (line.empty()) continue;
      if (line.front() != '%' && line.front() != '#') return true;
      if (!is_delimited_ || !may_be_an_id(line)) continue;
      if (expected_ == 0) {
        above_.emplace_back(line_, line);
      } else if (split(line, separator_).count() == expected_) {
        refuse(remark_complaint(line, separator_));
      }
    }
    return false;
  }

  /// Refuses what begins like a remark above the first line, and has its fields, unless it names columns.
  void check_lines_above() {
    for (const auto& [place, line] : above_) {
      const Fields fields = split(line, separator_);
      if (fields.count() != expected_) continue;
      const bool is_header = options_.with_values
                                 ? !real_from(fields.field[column_[2]])
                                 : line.find_first_of("0123456789") == std::string_view::npos && !has_known_id(fields);
      if (is_header) continue;
      line_ = place;
      refuse(remark_complaint(line, separator_));
    }
    above_.clear();
  }

  void add(std::string_view user, std::string_view item, std::string_view value) {
    const auto u = parts_.users.add(user), i = parts_.items.add(item);
    if (!u.complaint.empty()) refuse("the id of the user " + u.complaint);
    if (!i.complaint.empty()) refuse("the id of the item " + i.complaint);
    const std::uint64_t before = line_ - 1 - parts_.entries.size();
    if (parts_.other_lines.empty() ? before > 0 : before != parts_.other_lines.back().second)
      parts_.other_lines.emplace_back(parts_.entries.size(), before);
    parts_.entries.push_back({u.dense, i.dense, options_.with_values ? value_from(value) : 0.0F});
  }

  float value_from(std::string_view text) {
    const auto value = real_from(text);
    if (!value) refuse("the rating is " + shown(text) + ", which is not a number");
    const StoredRating stored = stored_rating(*value);
    if (!stored.complaint.empty())
      refuse("the rating is " + shown(text) + "; " + stored.complaint + ". Remove the line, or give a number");
    precision_.add(*value);
    return stored.value;
  }

  /// Positions of user, item and rating, from the option and, where it has names, the first line.
  void find_columns(const Fields& first) {
    if (options_.columns.empty()) return;
    const Fields wanted = split(options_.columns, ",");
    const std::size_t needed = options_.with_values ? 3 : 2;
    if (wanted.count() != needed && wanted.count() != 3)
      throw OptionError("columns is '" + options_.columns + "'; name user, item and rating, separated by commas");
    for (std::size_t c = 0; c < wanted.count(); ++c) {
      const std::string_view name = wanted.field[c];
      std::size_t place = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
      if (error == std::errc() && end == name.data() + name.size() && place >= 1) {
        column_[c] = place - 1;
        continue;
      }
      const auto begin = first.field.begin(), stop = first.field.end();
      const auto found = std::find(begin, stop, name);
      if (found == stop && c >= needed) continue;
      if (found == stop) {
        std::vector<std::string> names(begin, stop);
        refuse("there is no column '" + std::string(name) + "' in the first line." + did_you_mean(name, names));
      }
      column_[c] = static_cast<std::size_t>(found - begin);
      has_header_ = true;
    }
  }

  bool has_known_id(const Fields& pair) const {
    return parts_.users.find(pair.field[column_[0]]) || parts_.items.find(pair.field[column_[1]]);
  }

  void read_delimited() {
    is_delimited_ = true;
    std::string_view line;
    if (!next(line)) return;
    separator_ = separator_of(line);
    Fields fields = split(line, separator_);
    find_columns(fields);
    const std::size_t used = options_.with_values ? 3 : 2;
    const std::size_t least =
        1 + *std::max_element(column_.begin(), column_.begin() + static_cast<std::ptrdiff_t>(used));
    expected_ = fields.count();
    const std::string words = options_.with_values ? "user, item and rating" : "user and item";
    if (expected_ < least)
      refuse("the line is " + shown(line) + " where " + words + " are expected, separated by ::, tabs, commas, ; or |");
    check_lines_above();
    // A header has names: its rating is neither a number nor a word for a missing one, and its ids are not numbers.
    const auto is_number = [&](std::size_t c) { return real_from(fields.field[column_[c]]).has_value(); };
    const bool names_columns =
        options_.with_values
            ? !is_number(2) && !is_missing_value(fields.field[column_[2]]) && !(is_number(0) && is_number(1))
            : fields.field[column_[0]].find_first_of("0123456789") == std::string_view::npos && lines_.has_more() &&
                  !has_known_id(fields);
    if (has_header_ || names_columns) {
      if (!lines_.has_more()) refuse("the line is " + shown(line) + "; its rating is not a number");
      if (!next(line)) return;
      split(line, separator_, fields);
    }
    do {
      if (fields.count() != expected_)
        refuse("the line has " + std::to_string(fields.count()) + (fields.count() == 1 ? " field" : " fields") +
               " separated by " + separator_name(separator_) + ", the first line has " + std::to_string(expected_) +
               (lines_.has_more() ? "" : ". If the file was cut short, copy it again"));
      add(fields.field[column_[0]], fields.field[column_[1]],
          options_.with_values ? fields.field[column_[2]] : std::string_view());
      if (!next(line)) return;
      split(line, separator_, fields);
    } while (true);
  }

  std::uint64_t count_from(std::string_view text, const char* what) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      refuse("found " + shown(text) + " where the number of " + what + " is expected, a whole number below 2^64");
    return value;
  }

  void read_matrix_market() {
    std::string_view line;
    lines_.next(line);
    ++line_;
    std::string heading(trimmed(line));
    std::transform(heading.begin(), heading.end(), heading.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const Fields words = split(heading, "");
    const bool pattern = words.count() == 5 && words.field[3] == "pattern";
    if (words.count() != 5 || words.field[1] != "matrix" || words.field[2] != "coordinate" ||
        (words.field[3] != "real" && words.field[3] != "integer" && words.field[3] != "double" && !pattern) ||
        words.field[4] != "general" || (pattern && options_.with_values))
      refuse("the heading is " + shown(line) +
             "; ratings are a matrix in coordinates, real or integer, and general: \"%%MatrixMarket matrix coordinate "
             "real general\"");
    if (!next(line)) refuse("the file ends before the numbers of rows, columns and entries");
    const Fields sizes = split(line, "");
    if (sizes.count() != 3) refuse("the line is " + shown(line) + " where rows, columns and entries are expected");
    const std::uint64_t rows = count_from(sizes.field[0], "rows"), columns = count_from(sizes.field[1], "columns"),
                        entries = count_from(sizes.field[2], "entries");
    std::uint64_t read = 0;
    const std::size_t expected = pattern ? 2 : 3;
    Fields fields;
    for (; next(line); ++read) {
      split(line, "", fields);
      if (fields.count() != expected && !(fields.count() == 2 && !options_.with_values))
        refuse("the line is " + shown(line) + " where row, column and value are expected");
      if (read == entries)
        refuse("there are more entries than the " + std::to_string(entries) + " that the file announces");
      check_index(fields.field[0], rows, "row");
      check_index(fields.field[1], columns, "column");
      add(without_zeros(fields.field[0]), without_zeros(fields.field[1]),
          fields.count() > 2 ? fields.field[2] : std::string_view());
    }
    if (read < entries)
      refuse("the file ends after " + std::to_string(read) + " of " + std::to_string(entries) +
             " entries. It is cut short: copy or unpack it again");
  }

  void check_index(std::string_view text, std::uint64_t largest, const char* what) const {
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index < 1 || index > largest)
      refuse(std::string("the ") + what + " is " + shown(text) + "; it must be from 1 to " + std::to_string(largest));
  }

  void read_libsvm() {
    Fields fields;
    for (std::string_view line; next(line);) {
      split(line, "", fields);
      if (fields.count() != 3)
        refuse("the line has " + std::to_string(fields.count()) +
               " fields; a rating is \"rating user:1 item:1\", the features of one user and one item");
      std::string_view ids[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string_view feature = fields.field[i + 1];
        const std::size_t colon = feature.find(':');
        const auto value = colon == feature.npos ? std::nullopt : real_from(feature.substr(colon + 1));
        if (!value || *value != 1)
          refuse("found " + shown(feature) + " where " + (i == 0 ? "user" : "item") +
                 ":1 is expected: a rating has the features of one user and one item, with value 1");
        ids[i] = feature.substr(0, colon);
      }
      add(ids[0], ids[1], fields.field[0]);
    }
  }

  std::string file_;
  Lines lines_;
  const RatingsOptions& options_;
  Ratings::Parts& parts_;
  std::uint64_t line_ = 0;
  std::string_view separator_;
  SinglePrecisionCheck precision_;
  std::array<std::size_t, 3> column_ = {0, 1, 2};
  bool has_header_ = false;
  bool is_delimited_ = false;
  std::size_t expected_ = 0;                                  // fields of a line; 0 until they are known
  std::vector<std::pair<std::uint64_t, std::string>> above_;  // lines above the first that may not be remarks
};

RatingsFormat rating_format_of(Input& input) {
  std::string_view head = input.peek(4096);
  if (head.starts_with("%%MatrixMarket")) return RatingsFormat::matrix_market;
  const Fields first = split(trimmed(head.substr(0, std::min(head.find('\n'), head.size()))), "");
  const auto is_feature = [](std::string_view text) {
    const std::size_t colon = text.find(':');
    return colon != text.npos && colon > 0 && text.substr(colon) == ":1";
  };
  return first.count() == 3 && is_feature(first.field[1]) && is_feature(first.field[2]) ? RatingsFormat::libsvm
                                                                                        : RatingsFormat::delimited;
}

}  // namespace

std::uint64_t Ratings::Parts::line_of(std::uint64_t entry) const {
  const auto after = std::upper_bound(other_lines.begin(), other_lines.end(), entry,
                                      [](std::uint64_t value, const auto& place) { return value < place.first; });
  return entry + 1 + (after == other_lines.begin() ? 0 : std::prev(after)->second);
}

void read_ratings(Input& input, const RatingsOptions& options, Ratings::Parts& parts) {
  if (input.peek(1).empty()) throw DataError(input.name() + ":1: the file is empty");
  RatingReader(input, options, parts)
      .read(options.format == RatingsFormat::automatic ? rating_format_of(input) : options.format);
}

void refuse_duplicates(const Ratings::Parts& parts, const std::string& file) {
  // Entries by user, then a mark for each item that the user has rated.
  std::vector<std::uint64_t> start(parts.users.size() + std::size_t{1}), order(parts.entries.size());
  for (const Rating& rating : parts.entries) ++start[rating.user + std::size_t{1}];
  for (std::size_t u = 1; u < start.size(); ++u) start[u] += start[u - 1];
  std::vector<std::uint64_t> next(start.begin(), start.end() - 1);
  for (std::uint64_t e = 0; e < parts.entries.size(); ++e) order[next[parts.entries[e].user]++] = e;
  std::vector<std::uint64_t> seen(parts.items.size(), 0);  // 1 + entry, of this user where it lies in its range
  for (std::size_t u = 0; u + 1 < start.size(); ++u)
    for (std::uint64_t at = start[u]; at < start[u + 1]; ++at) {
      const Rating& rating = parts.entries[order[at]];
      std::uint64_t& before = seen[rating.item];
      if (before > start[u]) {
        const std::uint64_t first = order[before - 1];
        const std::string pair =
            "user " + parts.users.name(rating.user) + " has rated item " + parts.items.name(rating.item);
        if (file.empty()) throw DataError(pair + " twice. Keep one rating of each pair");
        throw DataError(file + ":" + std::to_string(parts.line_of(order[at])) + ": " + pair + " already on line " +
                        std::to_string(parts.line_of(first)) + ". Keep one rating of each pair");
      }
      before = at + 1;
    }
}

}  // namespace sgmcmc
