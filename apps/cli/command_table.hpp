// The table of commands: names, operands, help and examples.
#pragma once

#include "settings/table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::cli {

struct CommandDeclaration {
  Command command;
  std::string name;
  std::string operands;  ///< as in the usage line: "MODEL"
  std::string summary;   ///< one line
  std::vector<std::string> description;
  std::vector<std::string> examples;
};
const std::vector<CommandDeclaration>& command_table();
const CommandDeclaration& declaration_of(Command command);
const CommandDeclaration* find_command(std::string_view name);  ///< null: unknown command

/// "--batch-size".
std::string flag_of(const OptionDeclaration& option);
/// Help text of an option, with references to other options written as on the command line.
std::string help_of(const OptionDeclaration& option);

}  // namespace sgmcmc::cli
