// Numbers, lists of names, and suggestions for mistyped names, as the messages of front ends write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// With this many digits after the decimal point, right-aligned in `width` columns.
std::string fixed_text(double number, int decimals, int width = 0);
/// With this many significant digits and no trailing zeros, right-aligned in `width` columns.
std::string digits_text(double number, int digits, int width = 0);

std::string list_text(const std::vector<std::string>& words, std::string_view separator = ", ");  ///< "a, b, c"
std::string quoted_list_text(const std::vector<std::string>& names);                              ///< "'a', 'b', 'c'"

/// The known name closest to a mistyped one; empty if none is close.
std::string nearest_known(std::string_view name, const std::vector<std::string>& known);
/// " Did you mean 'x'?", to append to a message; if no name is close, lists the known names.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace sgmcmc
