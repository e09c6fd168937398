// Declaring options: what each is called, takes and does, and which setting of a run it is.
#pragma once

#include "settings/table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sgmcmc {

using OptionTable = std::vector<OptionDeclaration>;

/// Values of a setting, each with the word for it.
template <class Value>
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Named by the function that the library has for it.
template <class Value>
NamedValues<Value> named(std::string_view (*name)(Value), const std::vector<Value>& values) {
  NamedValues<Value> all;
  for (const Value value : values) all.emplace_back(std::string(name(value)), value);
  return all;
}

/// An option that was just added to the table, and what else is said of it. Valid until another is added.
class DeclaredOption {
 public:
  explicit DeclaredOption(OptionDeclaration& option) : option_(option) {}

  DeclaredOption& repeatable();
  DeclaredOption& choices(std::vector<std::string> words);
  DeclaredOption& methods(std::vector<std::string> words);   ///< choices that help does not list one by one
  DeclaredOption& samplers(std::vector<std::string> names);  ///< of a sampler option: those that read its text

  /// The option is a setting of runs; read: from the text of a value, which has been checked.
  template <class Value, class Read>
  DeclaredOption& sets(Value RunSettings::*setting, Read read) {
    option_.write = [setting, read](RunSettings& settings, const std::string& text) { settings.*setting = read(text); };
    return *this;
  }
  /// A text, a count or a number.
  template <class Value>
  DeclaredOption& sets(Value RunSettings::*setting) {
    if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, std::optional<std::string>>) {
      return sets(setting, [](const std::string& text) { return text; });
    } else if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>) {
      return sets(setting, [](const std::string& text) { return number_from(text).value_or(0.0); });
    } else {
      static_assert(std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, std::optional<std::uint64_t>>);
      return sets(setting, [](const std::string& text) { return count_from(text).value_or(0); });
    }
  }
  /// One of these values, which are the choices.
  template <class Setting, class Value>
  DeclaredOption& sets_choice(Setting RunSettings::*setting, const NamedValues<Value>& values) {
    for (const auto& value : values) option_.choices.push_back(value.first);
    return sets(setting, [values](const std::string& text) {
      return std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == text; })->second;
    });
  }
  /// Each value given is added to a list.
  DeclaredOption& adds_to(std::optional<std::vector<std::string>> RunSettings::*setting);
  /// A sampler option; where it is not given, each sampler has its own default.
  DeclaredOption& sets_sampler_option();
  /// Where the option is not given, the run chooses, and its default stays out of the settings.
  DeclaredOption& left_open();
  DeclaredOption& may_change();                      ///< when a run is resumed
  DeclaredOption& shows_default(std::string words);  ///< in help

 private:
  OptionDeclaration& option_;
};

/// Adds options to the table, under one heading of help.
class OptionGroup {
 public:
  /// commands: those that the options belong to, unless others are named with an option.
  OptionGroup(OptionTable& table, std::string heading, std::vector<Command> commands = {})
      : table_(table), heading_(std::move(heading)), commands_(std::move(commands)) {}
  DeclaredOption operator()(std::string name, ValueKind kind, std::string placeholder, std::string default_text,
                            std::string help, std::vector<Command> commands = {}) const;

 private:
  OptionTable& table_;
  std::string heading_;
  std::vector<Command> commands_;
};

// Commands that options belong to.
inline const std::vector<Command> only_sample = {Command::sample};
inline const std::vector<Command> only_optimize = {Command::optimize};
inline const std::vector<Command> only_calibrate = {Command::calibrate};
inline const std::vector<Command> with_model = {Command::sample, Command::optimize, Command::log_density,
                                                Command::check, Command::calibrate};
inline const std::vector<Command> with_data = {Command::sample, Command::optimize,  Command::log_density,
                                               Command::check,  Command::calibrate, Command::pack};
inline const std::vector<Command> only_pack = {Command::pack};
inline const std::vector<Command> with_gradient = {Command::sample, Command::optimize, Command::calibrate};
inline const std::vector<Command> with_draws = {Command::sample, Command::calibrate};
inline const std::vector<Command> with_initial = {Command::sample, Command::optimize};

// The sections of the table, in the order of help.
void declare_data_options(OptionTable& table);
void declare_comparison_options(OptionTable& table);
void declare_method_options(OptionTable& table);
void declare_length_options(OptionTable& table);
void declare_sampler_options(OptionTable& table);  ///< those of all samplers, as their structs list them
void declare_start_options(OptionTable& table);
void declare_diagnosis_options(OptionTable& table);
void declare_lda_options(OptionTable& table);
void declare_dpmix_options(OptionTable& table);  ///< those for reading documents are declared with lda's
void declare_factorize_options(OptionTable& table);
void declare_output_options(OptionTable& table);
void declare_general_options(OptionTable& table);

}  // namespace sgmcmc
