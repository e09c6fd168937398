// Parses a command line: --name value, --name=value, flags, operands, and -- before operands that begin with a dash.
#include "cli/parse.hpp"

#include "cli/command_table.hpp"
#include "report/words.hpp"
#include "settings/config.hpp"

#include <map>

namespace sgmcmc::cli {
namespace {

const std::map<std::string, std::string, std::less<>> short_names = {
    {"-h", "--help"}, {"-o", "--out"}, {"-d", "--data"}, {"-q", "--quiet"}, {"-j", "--threads"}};

[[noreturn]] void refuse_unknown(Command command, const std::string& flag) {
  const auto& declaration = declaration_of(command);
  std::vector<std::string> known;
  for (const auto* option : options_of(command)) known.push_back(flag_of(*option));
  const std::string near = nearest_known(flag, known);
  std::string message = flag + ": " + declaration.name + " has no such option.";
  const auto is_of = [&](Command other) { return find_option(other, flag.substr(2)) != nullptr; };
  if (command == Command::resume &&
      (is_of(Command::sample) || is_of(Command::lda) || is_of(Command::dpmix) || is_of(Command::factorize))) {
    message += " A resumed run keeps its options; to change them, start a new run";
  } else if (!near.empty()) {
    message += " Did you mean " + near + "?";
  } else {
    std::vector<std::string> others;
    for (const auto& other : command_table())
      if (find_option(other.command, flag.substr(std::min<std::size_t>(2, flag.size())))) others.push_back(other.name);
    if (!others.empty()) message += " It is an option of " + list_text(others) + ".";
    message += " See sgmcmc " + declaration.name + " --help";
  }
  throw UsageError(message);
}

bool looks_like_an_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !number_from(word);  // -1e5 is a value
}

}  // namespace

OptionValues parse_arguments(Command command, const std::vector<std::string>& words) {
  OptionValues values(command);
  values.writer = [](std::string_view option) { return "--" + std::string(option); };
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (only_operands || !looks_like_an_option(word)) {
      values.operands.push_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    if (const auto found = short_names.find(word); found != short_names.end()) word = found->second;
    const auto equals = word.find('=');
    const std::string flag = word.substr(0, equals);
    const auto* option = flag.starts_with("--") ? find_option(command, flag.substr(2)) : nullptr;
    if (!option) refuse_unknown(command, flag);
    if (equals != std::string::npos) {
      values.set(*option, word.substr(equals + 1), flag_of(*option));
    } else if (option->kind == ValueKind::flag) {
      values.set(*option, "true", flag_of(*option));
    } else if (i + 1 < words.size() && !looks_like_an_option(words[i + 1])) {
      values.set(*option, words[++i], flag_of(*option));
    } else {
      const std::string found = i + 1 < words.size() ? "'" + words[i + 1] + "' follows" : "nothing follows";
      throw UsageError(flag_of(*option) + ": missing value: expected " + flag_of(*option) + " " + option->placeholder +
                       ", but " + found);
    }
  }
  if (values.given("config") && !values.flag("help")) values.fill_from(read_config(command, values.text("config")));
  return values;
}

}  // namespace sgmcmc::cli
