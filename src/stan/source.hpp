// The text of a model, places in it, and messages that show the line with a caret.
#pragma once

#include <sgmcmc/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sgmcmc::stan {

/// A stretch of the text: bytes begin up to, not including, end.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct LineColumn {
  std::uint32_t line = 1;    ///< from 1
  std::uint32_t column = 1;  ///< from 1, in characters (UTF-8)
};

class Source {
 public:
  Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const { return std::string_view(text_).substr(span.begin, span.end - span.begin); }
  LineColumn line_column(std::uint32_t offset) const;
  /// "model.stan:12:5".
  std::string where(Span span) const;
  /// "model.stan:12:5: error: MESSAGE", the line with carets under the span, then "help: HELP" where there is one.
  std::string render(Span span, std::string_view message, std::string_view help = {}) const;

 private:
  std::string name_;
  std::string text_;
};

/// A mistake in a model's text; what() is Source::render's text.
class StanError : public ModelError {
 public:
  StanError(const Source& source, Span span, std::string_view message, std::string_view help = {})
      : ModelError(source.render(span, message, help)), span_(span) {}
  Span span() const { return span_; }

 private:
  Span span_;
};

}  // namespace sgmcmc::stan
