// Finds #include lines outside comments, and reads the files they name.
#include "stan/syntax/include_files.hpp"

#include "stan/syntax/characters.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace sgmcmc::stan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view include_word = "#include";

std::optional<std::string> contents(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  std::string read = text.str();
  if (read.starts_with(byte_order_mark)) read.erase(0, byte_order_mark.size());
  return read;
}

bool is_blank_in_line(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Includer {
 public:
  explicit Includer(const std::vector<std::string>& folders) : folders_(folders) {}

  void add(const std::string& name, const std::string& text) {
    open_.push_back(name);
    pieces_.push_back({static_cast<std::uint32_t>(text_.size()), name, 1});
    bool in_comment = false;
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t newline = text.find('\n', at);
      const std::size_t end = newline == std::string::npos ? text.size() : newline + 1;
      const std::size_t first = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                 text.begin() + static_cast<std::ptrdiff_t>(end), is_blank_in_line) -
                                text.begin();
      if (!in_comment && text.compare(first, include_word.size(), include_word) == 0) {
        add_file(name, text, first, end);
        pieces_.push_back({static_cast<std::uint32_t>(text_.size()), name, line + 1});
      } else {
        text_.append(text, at, end - at);
        in_comment = comment_goes_on(std::string_view(text).substr(at, end - at), in_comment);
      }
      at = end;
    }
    open_.pop_back();
  }

  IncludedText result(std::string name) {
    return {std::make_shared<const Source>(std::move(name), std::move(text_), std::move(pieces_)), std::move(files_)};
  }

 private:
  /// Whether a /* comment is open at the end of a line.
  static bool comment_goes_on(std::string_view line, bool in_comment) {
    bool in_text = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string_view two = line.substr(at, 2);
      if (in_comment) {
        if (two == "*/") in_comment = false, ++at;
      } else if (line[at] == '"') {
        in_text = !in_text;
      } else if (!in_text && two == "//") {
        return false;
      } else if (!in_text && two == "/*") {
        in_comment = true;
        ++at;
      }
    }
    return in_comment;
  }

  /// The file that the line text[first, end) names.
  void add_file(const std::string& name, const std::string& text, std::size_t first, std::size_t end) {
    std::size_t from = first + include_word.size(), to = std::min(text.find("//", from), end);
    while (from < to && is_blank_in_line(text[from])) ++from;
    while (to > from && (is_blank_in_line(text[to - 1]) || text[to - 1] == '\n')) --to;
    const Source own(name, text);
    const Span span{static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(std::max(to, from + 1))};
    std::string file = text.substr(from, to - from);
    const bool quoted =
        file.size() > 2 && ((file.front() == '"' && file.back() == '"') || (file.front() == '<' && file.back() == '>'));
    if (quoted) file = file.substr(1, file.size() - 2);
    if (file.empty()) throw StanError(own, span, "#include without a file name", "write #include FILE");
    std::vector<fs::path> places{fs::path(name).parent_path()};
    if (!fs::path(file).is_absolute()) places.insert(places.end(), folders_.begin(), folders_.end());
    std::string tried;
    for (const auto& place : places) {
      const std::string path = (place / file).string();
      const auto found = contents(path);
      if (!found) {
        tried += (tried.empty() ? "" : ", ") + (place.empty() ? std::string(".") : place.string());
        continue;
      }
      const auto same = [&](const std::string& other) {
        std::error_code ignored;
        return other == path || fs::equivalent(other, path, ignored);
      };
      if (std::any_of(open_.begin(), open_.end(), same))
        throw StanError(own, span, "'" + file + "' includes itself", "remove one of the #include lines");
      if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
      add(path, *found);
      if (!text_.empty() && text_.back() != '\n') text_ += '\n';
      return;
    }
    throw StanError(own, span, "the file '" + file + "' was not found in " + tried,
                    "add the folder it is in to the include folders");
  }

  const std::vector<std::string>& folders_;
  std::vector<std::string> open_;  // files whose text is being read
  std::vector<std::string> files_;
  std::string text_;
  std::vector<SourcePiece> pieces_;
};

}  // namespace

IncludedText include_files(std::string name, const std::string& text, const std::vector<std::string>& folders) {
  Includer includer(folders);
  includer.add(name, text);
  return includer.result(std::move(name));
}

}  // namespace sgmcmc::stan
