// Adds options to the table.
#include "settings/declare.hpp"

namespace sgmcmc {

DeclaredOption& DeclaredOption::repeatable() {
  option_.repeatable = true;
  return *this;
}

DeclaredOption& DeclaredOption::choices(std::vector<std::string> words) {
  option_.choices = std::move(words);
  return *this;
}

DeclaredOption& DeclaredOption::methods(std::vector<std::string> words) {
  option_.hidden = true;
  return choices(std::move(words));
}

DeclaredOption& DeclaredOption::samplers(std::vector<std::string> names) {
  option_.samplers = std::move(names);
  return *this;
}

DeclaredOption& DeclaredOption::adds_to(std::optional<std::vector<std::string>> RunSettings::*setting) {
  option_.write = [setting](RunSettings& settings, const std::string& text) {
    auto& list = settings.*setting;
    if (!list) list.emplace();
    list->push_back(text);
  };
  return *this;
}

DeclaredOption& DeclaredOption::sets_sampler_option() {
  option_.write = [key = option_.key()](RunSettings& settings, const std::string& text) {
    settings.sampler[key] = text;
  };
  return left_open();
}

DeclaredOption& DeclaredOption::left_open() {
  option_.left_open = true;
  return *this;
}

DeclaredOption& DeclaredOption::may_change() {
  option_.may_change = true;
  return *this;
}

DeclaredOption& DeclaredOption::shows_default(std::string words) {
  option_.default_words = std::move(words);
  return *this;
}

DeclaredOption OptionGroup::operator()(std::string name, ValueKind kind, std::string placeholder,
                                       std::string default_text, std::string help,
                                       std::vector<Command> commands) const {
  OptionDeclaration& option = table_.emplace_back();
  option.name = std::move(name);
  option.kind = kind;
  option.placeholder = std::move(placeholder);
  option.default_text = std::move(default_text);
  option.help = std::move(help);
  option.group = heading_;
  option.commands = commands.empty() ? commands_ : std::move(commands);
  return DeclaredOption(option);
}

}  // namespace sgmcmc
