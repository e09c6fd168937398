// Formats command lines.
#include "settings/command_line.hpp"

#include "report/json_text.hpp"
#include "settings/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sgmcmc {

std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("/._-+,:=@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string option_text(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() || value.is_array() || value.is_object()) return "";
  return json_text(value);
}

namespace {

/// Options that affect this call only, not the draws.
bool is_about_output(std::string_view name) {
  return name == "overwrite" || name == "json" || name == "quiet" || name == "only" || name == "all" ||
         name == "report";
}

bool same_value(const std::string& text, const std::string& other) {
  if (text == other) return true;
  const auto a = number_from(text), b = number_from(other);
  return a && b && *a == *b;
}

}  // namespace

std::string command_line_of(const nlohmann::ordered_json& record) {
  const auto command = command_by_name(record.value("command", ""));
  if (!command || !record.contains("options") || !record["options"].is_object()) return "";
  std::string line = "sgmcmc " + std::string(command_name(*command));
  if (record.contains("parts") && record["parts"].is_array()) {
    for (const auto& part : record["parts"])
      if (part.is_object()) line += " " + shell_word(part.value("folder", ""));
  } else if (record.contains("model") && record["model"].is_object()) {
    line += " " + shell_word(record["model"].value("file", ""));
  }
  for (const auto* option : options_of(*command)) {
    const auto found = record["options"].find(option->key());
    if (found == record["options"].end()) continue;
    if (is_about_output(option->name)) continue;
    if (found->is_array()) {
      for (const auto& value : *found) line += " --" + option->name + " " + shell_word(option_text(value));
    } else if (const std::string text = option_text(*found); option->kind == ValueKind::flag) {
      if (text == "true") line += " --" + option->name;
    } else if (!text.empty() && !same_value(text, option->default_text)) {
      line += " --" + option->name + " " + shell_word(text);
    }
  }
  return line;
}

std::string repeating_command(const std::string& command, const std::string& folder) {
  const auto option = [](std::string_view name, const std::string& value) {
    return " --" + std::string(name) + " " + shell_word(value);
  };
  return "sgmcmc " + command + option("config", folder + "/run.json") + option("out", "again");
}

}  // namespace sgmcmc
