// The script and style of pages, from the files in report/page/; CMake generates the definitions.
#pragma once

#include <string_view>

namespace sgmcmc {

std::string_view page_script();
std::string_view page_style();
/// SHA-256 of the script, in hexadecimal: the only script that a page allows to run.
std::string_view page_script_hash();

}  // namespace sgmcmc
