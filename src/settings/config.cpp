// Reads both formats into one JSON object with the line of each key, then into option values.
#include "settings/config.hpp"

#include "base/text.hpp"
#include "report/json_text.hpp"
#include "settings/run_record.hpp"
#include "settings/toml.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : json_text(value); }

/// Values as typed on the command line: one per element for a repeatable option, else a list or table joined by commas.
std::vector<std::string> words_of(const OptionDeclaration& option, const Json& value) {
  std::vector<std::string> words;
  if (value.is_array()) {
    for (const auto& element : value) words.push_back(text_of(element));
  } else if (value.is_object()) {
    for (const auto& [name, element] : value.items()) words.push_back(name + "=" + text_of(element));
  } else {
    words.push_back(text_of(value));
  }
  if (option.repeatable) return words;
  return {joined(words, ",")};
}

bool some_command_has(const std::string& key) {
  return std::any_of(option_table().begin(), option_table().end(),
                     [&](const auto& option) { return option.name == key || option.key() == key; });
}

}  // namespace

OptionValues read_config_text(Command command, const std::string& path, const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool is_json = first != std::string::npos && text[first] == '{';
  Json contents;
  std::map<std::string, int> lines;
  OptionValues values(command);
  if (is_json) {
    try {
      contents = parsed_json(text);
    } catch (const Json::parse_error& error) {
      throw UsageError(json_mistake(path, text, error.byte, error.what()));
    }
    if (is_run_record(contents)) {
      for (const auto& change : changes_since(contents)) values.notes.push_back(path + ": " + change);
      contents = options_of_record(contents);
    }
  } else {
    contents = read_toml(path, text, lines);
  }

  std::vector<std::string> known = {"model"};
  for (const auto* option : options_of(command)) known.push_back(option->key());
  for (const auto& [key, value] : contents.items()) {
    const auto line = lines.find(key);
    const std::string where = path + (line == lines.end() ? "" : ":" + std::to_string(line->second)) + ": " + key;
    if (value.is_null()) continue;  // run.json writes null for options not given
    if (key == "model") {
      if (!value.is_string()) throw UsageError(where + ": expected the name of a file");
      if (command != Command::summary && command != Command::compare && command != Command::diagnose &&
          command != Command::combine)
        values.operands = {value.get<std::string>()};
      continue;
    }
    if (key == "config" || key == "help") throw UsageError(where + ": allowed on the command line only");
    const auto* option = find_option(command, key);
    if (!option) {
      if (some_command_has(key)) continue;
      throw UsageError(where + ": unknown option." + did_you_mean(key, known));
    }
    for (auto& word : words_of(*option, value)) values.set(*option, std::move(word), where);
  }
  return values;
}

OptionValues read_config(Command command, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw UsageError("config: cannot read '" + path + "'");
  std::ostringstream text;
  text << file.rdbuf();
  return read_config_text(command, path, text.str());
}

}  // namespace sgmcmc
