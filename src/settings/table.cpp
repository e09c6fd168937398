// The table of options.
#include "settings/table.hpp"

#include "settings/declare.hpp"

#include <algorithm>
#include <array>

namespace sgmcmc {
namespace {

constexpr std::array<std::string_view, 17> command_names = {
    "sample", "resume", "optimize",  "log-density", "check",  "summary", "compare", "diagnose", "calibrate",
    "lda",    "dpmix",  "factorize", "combine",     "report", "plot",    "data",    "pack"};  // in the order of Command

std::vector<OptionDeclaration> make_table() {
  OptionTable table;
  declare_data_options(table);
  declare_comparison_options(table);
  declare_method_options(table);
  declare_length_options(table);
  declare_sampler_options(table);
  declare_start_options(table);
  declare_diagnosis_options(table);
  declare_lda_options(table);
  declare_dpmix_options(table);
  declare_factorize_options(table);
  declare_combine_options(table);
  declare_output_options(table);
  declare_general_options(table);
  return table;
}

}  // namespace

std::string_view command_name(Command command) { return command_names[static_cast<std::size_t>(command)]; }

std::optional<Command> command_by_name(std::string_view name) {
  const auto found = std::find(command_names.begin(), command_names.end(), name);
  if (found == command_names.end()) return std::nullopt;
  return static_cast<Command>(found - command_names.begin());
}

const std::vector<OptionDeclaration>& option_table() {
  static const std::vector<OptionDeclaration> table = make_table();
  return table;
}

bool OptionDeclaration::belongs_to(Command command) const {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

std::string OptionDeclaration::key() const {
  std::string text = name;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::string OptionDeclaration::shown_default() const { return default_words.empty() ? default_text : default_words; }

std::string option_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<const OptionDeclaration*> options_of(Command command) {
  std::vector<const OptionDeclaration*> options;
  for (const auto& option : option_table())
    if (option.belongs_to(command)) options.push_back(&option);
  return options;
}

const OptionDeclaration* find_option(Command command, std::string_view name) {
  for (const auto* option : options_of(command))
    if (option->name == name || option->key() == name) return option;
  return nullptr;
}

}  // namespace sgmcmc
