// The script and the style of pages, from the files in report/page/: CMake makes the definitions.
#pragma once

#include <string_view>

namespace sgmcmc {

std::string_view page_script();
std::string_view page_style();
/// SHA-256 of the script, in hexadecimal: what a page allows to run.
std::string_view page_script_hash();

}  // namespace sgmcmc
