// Formats numbers as table cells and as JSON; used by all tables of the program.
#pragma once

#include <cstddef>
#include <string>

namespace sgmcmc {

/// The exponent of the leading decimal digit; 0 for 0.
int magnitude(double value);

/// Uses this many decimals, fewer if the cell is too narrow, and scientific notation if zeros would fill it. Here and
/// below, non-finite numbers are "-", "inf" or "-inf".
std::string number_cell(double value, int decimals, std::size_t width);
std::string size_cell(double value);  ///< an effective sample size
std::string rhat_cell(double value);
std::string short_cell(double value);  ///< three significant digits

/// The width on a terminal, in characters rather than bytes: a name may contain non-ASCII letters.
std::size_t width_of(const std::string& text);

/// The end of a line about omitted rows, which says how to see them if that is known.
std::string hint_line(const std::string& how_to_see_all);

void append_json_string(std::string& json, const std::string& text);
void append_json_number(std::string& json, double value);  ///< null if non-finite
/// Appends `, "name": value`; null if non-finite.
void append_json_number(std::string& json, const char* name, double value);

}  // namespace sgmcmc
