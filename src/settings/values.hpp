// The options of one call: what was given, where, and the defaults of the rest.
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

  /// Checks and keeps a value. `where` opens messages: "batch_size", "run.toml:3: batch_size". Values of repeatable
  /// options are added, others replaced. Throws UsageError.
  void set(const OptionDeclaration& option, std::string text, const std::string& where);
  /// Takes over what `other` has and this has not: a file's values after the command line's.
  void fill_from(const OptionValues& other);

  bool given(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// The value given, else the default, else an empty text.
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;  ///< of a repeatable option
  bool flag(std::string_view name) const { return text(name) == "true"; }
  std::uint64_t count(std::string_view name) const;
  double number(std::string_view name) const;
  int threads() const;  ///< of option threads
  /// The option as a front end writes it, or the place in a file: what opens a message about the value.
  std::string where(std::string_view name) const;
  /// The option as a front end writes it, with a value or without.
  std::string written(std::string_view name, std::string_view value = "") const;
  bool asked(std::string_view name) const;  ///< given in the call itself, not in a file

  /// How messages write an option. Not set: as in files, "batch_size".
  std::function<std::string(std::string_view option)> writer;
  std::vector<std::string> operands;  ///< MODEL, or folders and files
  std::vector<std::string> notes;     ///< remarks on the configuration file, to be shown

 private:
  struct Given {
    std::vector<std::string> texts;
    std::string where;
  };
  Command command_;
  std::map<std::string, Given, std::less<>> values_;
};

}  // namespace sgmcmc
