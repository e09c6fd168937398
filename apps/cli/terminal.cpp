// Queries the terminal and wraps text to its width.
#include "cli/terminal.hpp"

#include "settings/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sgmcmc::cli {
namespace {

/// Width of a UTF-8 text in columns: its number of characters.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

std::size_t terminal_width() {
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size{};
    if (isatty(file) == 1 && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const auto count = columns ? count_from(columns) : std::nullopt;
  return count && *count > 0 && *count < 100000 ? static_cast<std::size_t>(*count) : 80;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t start) {
  std::string result;
  std::size_t column = start;
  bool first_of_line = true;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t columns = columns_of(word);
    if (!first_of_line && column + 1 + columns > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
      first_of_line = true;
    }
    if (!first_of_line) {
      result += ' ';
      ++column;
    }
    result += word;
    column += columns;
    first_of_line = false;
  }
  return result;
}

}  // namespace sgmcmc::cli
