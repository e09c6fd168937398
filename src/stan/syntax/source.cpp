// Places in a model's text, and the layout of messages: place and message, the line with carets, then help.
#include "stan/syntax/source.hpp"

#include "stan/syntax/characters.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace sgmcmc::stan {
namespace {

constexpr std::size_t tab_width = 4;
constexpr std::size_t widest_line = 100;  // longer ones are cut around the carets

bool starts_with_byte_order_mark(std::string_view text) { return text.substr(0, 3) == byte_order_mark; }

/// The line that holds a byte, without its line end.
struct Line {
  std::size_t begin, end;
};

Line line_of(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  Line line{newline == std::string_view::npos ? 0 : newline + 1, std::min(text.find('\n', offset), text.size())};
  if (line.begin == 0 && starts_with_byte_order_mark(text)) line.begin = byte_order_mark.size();
  if (line.end > line.begin && text[line.end - 1] == '\r') --line.end;
  return line;
}

bool is_combining(std::uint32_t code) { return (code >= 0x300 && code <= 0x36F) || (code >= 0xFE00 && code <= 0xFE0F); }

bool is_wide(std::uint32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x1F300 && code <= 0x1FAFF) ||
         (code >= 0x20000 && code <= 0x3FFFD);
}

/// The part of the line near the carets, so that long lines stay cheap.
Line near_carets(std::string_view text, Line line, std::size_t caret) {
  constexpr std::size_t reach = 16 * widest_line;
  const auto inside_character = [&](std::size_t k) { return (static_cast<unsigned char>(text[k]) & 0xC0) == 0x80; };
  if (caret > line.begin + reach) line.begin = caret - reach;
  if (line.end > caret + reach) line.end = caret + reach;
  while (line.begin < caret && inside_character(line.begin)) ++line.begin;
  return line;
}

/// The line as a terminal shows it, one entry per column: replaces tabs by spaces and invisible characters by question
/// marks.
class ShownLine {
 public:
  ShownLine(std::string_view text, Line line, std::size_t caret_begin, std::size_t caret_end) {
    for (std::size_t offset = line.begin; offset < line.end;) {
      if (offset <= caret_begin) caret_begin_ = columns_.size();
      const Character character = character_at(text, offset);
      show(character.code, text.substr(offset, character.length));
      offset += character.length;
      if (offset <= caret_begin) caret_begin_ = columns_.size();
      if (offset <= caret_end) caret_end_ = columns_.size();
    }
    caret_end_ = std::max(caret_end_, caret_begin_ + 1);
  }

  /// The text and the carets under it.
  std::pair<std::string, std::string> lines() const {
    std::size_t from = 0, to = columns_.size();
    if (columns_.size() > widest_line) {
      if (caret_end_ > widest_line) from = caret_begin_ - std::min(caret_begin_, widest_line / 3);
      from = std::min(from, columns_.size() - widest_line);
      to = from + widest_line;
    }
    std::string shown = from > 0 ? "..." : "";
    std::string carets(shown.size() + caret_begin_ - from, ' ');
    for (std::size_t k = from; k < to; ++k) shown += columns_[k];
    if (to < columns_.size()) shown += "...";
    carets.append(std::max<std::size_t>(1, std::min(caret_end_, std::max(to, caret_begin_)) - caret_begin_), '^');
    while (!shown.empty() && shown.back() == ' ') shown.pop_back();
    return {std::move(shown), std::move(carets)};
  }

 private:
  void show(std::uint32_t code, std::string_view bytes) {
    if (code == '\t') {
      do columns_.emplace_back(" ");
      while (columns_.size() % tab_width != 0);
    } else if (is_invisible(code)) {
      columns_.emplace_back("?");
    } else if (is_combining(code) && !columns_.empty()) {
      columns_.back() += bytes;
    } else {
      columns_.emplace_back(bytes);
      if (is_wide(code)) columns_.emplace_back();
    }
  }

  std::vector<std::string> columns_;
  std::size_t caret_begin_ = 0, caret_end_ = 0;
};

}  // namespace

const SourcePiece& Source::piece_of(std::size_t offset) const {
  const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), offset,
                                      [](std::size_t at, const SourcePiece& piece) { return at < piece.begin; });
  return *std::prev(after);
}

LineColumn Source::line_column(std::uint32_t offset) const {
  const std::string_view text = text_;
  const std::size_t end = std::min<std::size_t>(offset, text.size());
  const Line line = line_of(text, end);
  const SourcePiece& piece = piece_of(end);
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(piece.begin);
  LineColumn result;
  result.line =
      piece.line + static_cast<std::uint32_t>(std::count(begin, text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  for (std::size_t k = line.begin; k < std::min(end, line.end); k += character_at(text, k).length) ++result.column;
  return result;
}

std::string Source::where(Span span) const {
  const LineColumn place = line_column(span.begin);
  return piece_of(std::min<std::size_t>(span.begin, text_.size())).name + ':' + std::to_string(place.line) + ':' +
         std::to_string(place.column);
}

std::string Source::render(Span span, std::string_view message, std::string_view help) const {
  const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
  const auto [shown, carets] =
      ShownLine(text_, near_carets(text_, line_of(text_, begin), begin), begin, std::max<std::size_t>(span.end, begin))
          .lines();
  const std::string number = std::to_string(line_column(span.begin).line);
  const std::string margin = std::string(number.size() + 1, ' ') + '|';
  std::string result = where(span) + ": error: " + std::string(message) + '\n' + margin + '\n' + number + " |";
  if (!shown.empty()) result += ' ' + shown;
  result += '\n' + margin + ' ' + carets;
  if (!help.empty()) result += "\nhelp: " + std::string(help);
  return result;
}

}  // namespace sgmcmc::stan
