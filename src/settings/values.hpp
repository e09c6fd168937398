// The option values of one call: those given, where they were given, and defaults.
#pragma once

#include "settings/table.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {

class OptionValues {
 public:
  explicit OptionValues(Command command) : command_(command) {}
  Command command() const { return command_; }

  /// Checks and stores a value. Messages begin with `where`: "batch_size", "run.toml:3: batch_size". Appends values of
  /// repeatable options, replaces others. Throws UsageError.
  void set(const OptionDeclaration& option, std::string text, const std::string& where);
  /// Adds the values of `other` for options not given here: those of a file after those of the command line.
  void fill_from(const OptionValues& other);

  bool given(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// The given value, else the default, else an empty string.
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;  ///< of a repeatable option
  bool flag(std::string_view name) const { return text(name) == "true"; }
  std::uint64_t count(std::string_view name) const;
  double number(std::string_view name) const;
  int threads() const;  ///< of option threads
  /// The beginning of a message about the value: the option as the front end writes it, or its place in a file.
  std::string where(std::string_view name) const;
  /// The option as the front end writes it, with or without a value.
  std::string written(std::string_view name, std::string_view value = "") const;
  bool asked(std::string_view name) const;  ///< given in the call itself, not in a file

  /// How messages write an option; if not set, as in files: "batch_size".
  std::function<std::string(std::string_view option)> writer;
  std::vector<std::string> operands;  ///< MODEL, or folders and files
  std::vector<std::string> notes;     ///< remarks on the configuration file, to show to the user

 private:
  struct Given {
    std::vector<std::string> texts;
    std::string where;
  };
  Command command_;
  std::map<std::string, Given, std::less<>> values_;
};

}  // namespace sgmcmc
