// Help for a terminal, and the same as Markdown for docs/options.md.
#pragma once

#include "settings/table.hpp"

#include <cstddef>
#include <string>

namespace sgmcmc::cli {

std::string overview_help(std::size_t width);
std::string command_help(Command command, std::size_t width);
std::string options_markdown();

}  // namespace sgmcmc::cli
