// Formats the tables of commands and options.
#include "cli/help.hpp"

#include "cli/command_table.hpp"
#include "cli/terminal.hpp"
#include "report/words.hpp"

#include <sgmcmc/dynamics.hpp>

#include <algorithm>

namespace sgmcmc::cli {
namespace {

std::size_t usable(std::size_t width) { return std::clamp<std::size_t>(width, 30, 100); }

/// The help of an option and the values it takes.
std::string meaning(const OptionDeclaration& option) {
  if (option.kind != ValueKind::choice || option.hidden) return help_of(option);
  return help_of(option) + ". One of: " + list_text(option.choices);
}

/// Two columns; on a narrow terminal, or if the left column is long, the right one goes below.
std::string row(const std::string& left, const std::string& right, std::size_t width) {
  const bool narrow = width < 60;
  const std::size_t indent = narrow ? 6 : 26;
  std::string text = "  " + left;
  if (narrow || text.size() + 2 > indent) {
    text += '\n' + std::string(indent, ' ');
  } else {
    text += std::string(indent - text.size(), ' ');
  }
  return text + wrapped(right, width, indent, indent) + '\n';
}

std::string methods_text(std::size_t width) {
  std::string text = "\nMethods:\n";
  for (const auto& [name, what] : method_list()) text += row(name, what, width);
  return text;
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string option_words(const OptionDeclaration& option) {
  return option.kind == ValueKind::flag ? flag_of(option) : flag_of(option) + " " + option.placeholder;
}

std::string option_help(const OptionDeclaration& option) {
  if (option.kind == ValueKind::flag || option.default_text.empty()) return meaning(option);
  return meaning(option) + " [" + option.shown_default() + "]";
}

std::vector<std::pair<std::string, std::string>> method_list() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& sampler : sampler_names())
    all.emplace_back(sampler, std::visit([](const auto& options) { return std::string(options.summary); },
                                         sampler_options(sampler)));
  all.emplace_back("(alone)", "gradients from minibatches; nuts, hmc, mala and laplace: from all rows");
  all.emplace_back("-cv", "control variates centred at the mode, which is found first; the most robust choice");
  all.emplace_back("-saga", "control variates from the last gradient of every row; stores rows x parameters numbers");
  all.emplace_back("-svrg", "control variates centred at an earlier position of the chain, renewed periodically");
  all.emplace_back("-full", "all rows at every step");
  return all;
}

std::string overview_help(std::size_t width) {
  width = usable(width);
  std::string text = "usage: sgmcmc COMMAND ...\n\n";
  text += wrapped("Bayesian posteriors from minibatches of data, for models in the Stan language.", width, 0) + "\n\n";
  text += "Commands:\n";
  for (const auto& command : command_table()) text += row(command.name, command.summary, width);
  text += "\n  " + wrapped("sgmcmc COMMAND --help lists the options of a command.", width, 2, 2) + "\n";
  text += "\nA first run:\n";
  for (const std::string example : {"sgmcmc check model.stan --data data.json",
                                    "sgmcmc sample model.stan --data data.json --out run", "sgmcmc diagnose run"})
    text += "  " + wrapped(example, width, 6, 2) + "\n";
  text += "\nOther:\n" + row("--version", "show the version", width) + row("--help", "show this help", width) +
          row("--options-markdown", "show all options as Markdown", width) +
          row("--man-page", "show the manual page, for man -l -", width);
  return text;
}

std::string command_help(Command command, std::size_t width) {
  width = usable(width);
  const auto& declaration = declaration_of(command);
  std::string text = wrapped("usage: sgmcmc " + declaration.name + " " + declaration.operands +
                                 (command == Command::log_density ? " --data FILE --at FILE" : "") + " [OPTION...]",
                             width, 7) +
                     "\n\n";
  for (const auto& paragraph : declaration.description) text += wrapped(paragraph, width, 0) + "\n";
  std::string group;
  for (const auto* option : options_of(command)) {
    if (option->group != group) text += "\n" + option->group + ":\n";
    group = option->group;
    text += row(option_words(*option), option_help(*option), width);
  }
  if (command == Command::sample || command == Command::calibrate) text += methods_text(width);
  text += "\nExamples:\n";
  for (const auto& example : declaration.examples) text += "  " + wrapped(example, width, 6, 2) + "\n";
  return text;
}

std::string options_markdown() {
  std::string text =
      "# Options of the program\n\n"
      "`sgmcmc --options-markdown` generates this page from the table of options that the program uses.\n\n"
      "Give the value of an option after a space or `=`. Options can also be in a file given with `--config`, as "
      "`key = value`\nlines (TOML) or as JSON, with the same names (`batch_size` and `batch-size` are equivalent); the "
      "command line takes precedence.\nThe same file can be used with all commands. `sgmcmc sample --out DIR` writes "
      "such a file, `run.json`, which repeats the run exactly.\n\n"
      "The exit status is 0 on success, 1 after an error, 2 for a wrong command line, 3 or 4 if the verdict on the "
      "draws "
      "is\n\"do not trust\" or \"cannot tell\" (see `--exit-status`), and 130 after Ctrl-C.\n";
  for (const auto& command : command_table()) {
    text += "\n## sgmcmc " + command.name + " " + escaped(command.operands) + "\n\n";
    for (const auto& paragraph : command.description) text += paragraph + "\n";
    text += "\n| option | default | |\n|---|---|---|\n";
    for (const auto* option : options_of(command.command)) {
      const bool plain = option->kind == ValueKind::flag;
      text += "| `" + escaped(option_words(*option)) + "` | " +
              (plain || option->default_text.empty() ? "" : "`" + option->shown_default() + "`") + " | " +
              escaped(meaning(*option)) + " |\n";
    }
  }
  return text;
}

}  // namespace sgmcmc::cli
