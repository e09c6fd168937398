// The text of a model, places in it, and messages that show the line with a caret.
#pragma once

#include <sgmcmc/error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// A range of the text: bytes [begin, end).
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct LineColumn {
  std::uint32_t line = 1;    ///< from 1
  std::uint32_t column = 1;  ///< from 1, in characters (UTF-8)
};

/// A piece of the text: from this byte, the text of a file, starting at one of its lines.
struct SourcePiece {
  std::uint32_t begin = 0;
  std::string name;
  std::uint32_t line = 1;
};

class Source {
 public:
  Source(std::string name, std::string text) : Source(name, std::move(text), {{0, name, 1}}) {}
  /// A text from several files; the pieces in order, the first starting at byte 0.
  Source(std::string name, std::string text, std::vector<SourcePiece> pieces)
      : name_(std::move(name)), text_(std::move(text)), pieces_(std::move(pieces)) {}
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const { return std::string_view(text_).substr(span.begin, span.end - span.begin); }
  LineColumn line_column(std::uint32_t offset) const;  ///< in the file that the byte comes from
  /// "model.stan:12:5".
  std::string where(Span span) const;
  /// "model.stan:12:5: error: MESSAGE", the line with carets under the span, then "help: HELP" if there is help.
  std::string render(Span span, std::string_view message, std::string_view help = {}) const;

 private:
  const SourcePiece& piece_of(std::size_t offset) const;

  std::string name_;
  std::string text_;
  std::vector<SourcePiece> pieces_;
};

/// An error in a model's text; what() is the text of Source::render.
class StanError : public ModelError {
 public:
  StanError(const Source& source, Span span, std::string_view message, std::string_view help = {})
      : ModelError(source.render(span, message, help)), span_(span) {}
  Span span() const { return span_; }

 private:
  Span span_;
};

}  // namespace sgmcmc::stan
