// What there is to know about the terminal: whether there is one, how wide it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sgmcmc::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
/// Columns of the terminal; without one, those of the variable COLUMNS, else 80.
std::size_t terminal_width();

/// Text broken at spaces into lines of at most `width` columns, every line but the first begun with `indent` spaces;
/// the first begins at column `start`. A word longer than a line stands alone in one.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t start = 0);

}  // namespace sgmcmc::cli
