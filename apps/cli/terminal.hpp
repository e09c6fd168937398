// The terminal: whether there is one, how wide it is, and text wrapped to its width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sgmcmc::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
/// Columns of the terminal; without one, the environment variable COLUMNS, else 80.
std::size_t terminal_width();

/// Wraps text at spaces into lines of at most `width` columns. Indents every line but the first by `indent` spaces; the
/// first begins at column `start`. A longer word gets its own line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t start = 0);

}  // namespace sgmcmc::cli
