// Help for a terminal, and the same as Markdown for docs/options.md and as a manual page.
#pragma once

#include "settings/table.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::cli {

std::string overview_help(std::size_t width);
std::string command_help(Command command, std::size_t width);
std::string options_markdown();
std::string manual_page();  ///< sgmcmc(1), for troff

/// "--batch-size COUNT".
std::string option_words(const OptionDeclaration& option);
/// The help of an option, the values it takes, and its default.
std::string option_help(const OptionDeclaration& option);
/// Names and descriptions of samplers, then of estimators.
std::vector<std::pair<std::string, std::string>> method_list();

}  // namespace sgmcmc::cli
