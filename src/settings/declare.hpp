// Declares options: name, kind of value, help, and the run setting they set.
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

/// Values of a setting, each with its name.
template <class Value>
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Names given by a function of the library.
template <class Value>
NamedValues<Value> named(std::string_view (*name)(Value), const std::vector<Value>& values) {
  NamedValues<Value> all;
  for (const Value value : values) all.emplace_back(std::string(name(value)), value);
  return all;
}

/// Sets further properties of the option added last. Valid until another option is added.
class DeclaredOption {
 public:
  explicit DeclaredOption(OptionDeclaration& option) : option_(option) {}

  DeclaredOption& repeatable();
  DeclaredOption& choices(std::vector<std::string> words);
  DeclaredOption& methods(std::vector<std::string> words);   ///< choices that help does not list
  DeclaredOption& samplers(std::vector<std::string> names);  ///< the samplers that have this option and parse its value

  /// Makes the option a run setting. `read` converts the text of a value that passed the checks.
  template <class Value, class Read>
  DeclaredOption& sets(Value RunSettings::*setting, Read read) {
    option_.write = [setting, read](RunSettings& settings, const std::string& text) { settings.*setting = read(text); };
    return *this;
  }
  /// Text, count or number.
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
  /// One of `values`, which become the choices.
  template <class Setting, class Value>
  DeclaredOption& sets_choice(Setting RunSettings::*setting, const NamedValues<Value>& values) {
    for (const auto& value : values) option_.choices.push_back(value.first);
    return sets(setting, [values](const std::string& text) {
      return std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == text; })->second;
    });
  }
  /// Appends each value given to a list.
  DeclaredOption& adds_to(std::optional<std::vector<std::string>> RunSettings::*setting);
  /// A sampler option; if not given, each sampler uses its own default.
  DeclaredOption& sets_sampler_option();
  /// If the option is not given, the run chooses, and the default is not written into the settings.
  DeclaredOption& left_open();
  DeclaredOption& may_change();                      ///< when a run is resumed
  DeclaredOption& shows_default(std::string words);  ///< in help

 private:
  OptionDeclaration& option_;
};

/// Adds options to the table, under one heading of help.
class OptionGroup {
 public:
  /// `commands` is the default list of commands for the options of this group.
  OptionGroup(OptionTable& table, std::string heading, std::vector<Command> commands = {})
      : table_(table), heading_(std::move(heading)), commands_(std::move(commands)) {}
  DeclaredOption operator()(std::string name, ValueKind kind, std::string placeholder, std::string default_text,
                            std::string help, std::vector<Command> commands = {}) const;

 private:
  OptionTable& table_;
  std::string heading_;
  std::vector<Command> commands_;
};

// Lists of commands, for options that several commands share.
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

// The sections of the table, in the order of `help`.
void declare_data_options(OptionTable& table);
void declare_comparison_options(OptionTable& table);
void declare_method_options(OptionTable& table);
void declare_length_options(OptionTable& table);
void declare_sampler_options(OptionTable& table);  ///< collected from the option structs of all samplers
void declare_start_options(OptionTable& table);
void declare_diagnosis_options(OptionTable& table);
void declare_lda_options(OptionTable& table);
void declare_dpmix_options(OptionTable& table);  ///< options for reading documents are declared with lda
void declare_factorize_options(OptionTable& table);
void declare_combine_options(OptionTable& table);
void declare_output_options(OptionTable& table);
void declare_general_options(OptionTable& table);

}  // namespace sgmcmc
