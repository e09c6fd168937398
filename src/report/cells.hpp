// Numbers as the cells of tables, and as JSON: shared by all tables of the program.
#pragma once

#include <cstddef>
#include <string>

namespace sgmcmc {

/// The power of ten of the first digit; 0 for 0.
int magnitude(double value);

/// With this many decimals, fewer where the cell is too narrow, and with powers of ten where zeros would fill it. What
/// is not finite is "-", "inf" or "-inf", here and below.
std::string number_cell(double value, int decimals, std::size_t width);
std::string size_cell(double value);  ///< an effective sample size
std::string rhat_cell(double value);
std::string short_cell(double value);  ///< three digits

/// What a terminal shows, not bytes: a name may have letters beyond ASCII.
std::size_t width_of(const std::string& text);

/// The end of a line about what a table leaves out: how to see it, where that is known.
std::string hint_line(const std::string& how_to_see_all);

void append_json_string(std::string& json, const std::string& text);
void append_json_number(std::string& json, double value);  ///< null where it is not finite
/// , "name": value; null where it is not finite.
void append_json_number(std::string& json, const char* name, double value);

}  // namespace sgmcmc
