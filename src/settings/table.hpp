// Every option of every command, declared once: front ends, configuration files, run.json and docs/options.md read it.
#pragma once

#include <sgmcmc/error.hpp>
#include <sgmcmc/settings.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

enum class Command : std::uint8_t {
  sample,
  resume,
  optimize,
  log_density,
  check,
  summary,
  compare,
  diagnose,
  calibrate,
  lda,
  dpmix,
  factorize,
  report,
  plot,
  pack
};

/// What was asked for cannot be understood, or cannot be done.
class UsageError : public Error {
 public:
  using Error::Error;
};

std::string_view command_name(Command command);                 ///< "log-density"
std::optional<Command> command_by_name(std::string_view name);  ///< nothing: there is no such command

/// What the text of a value must be.
enum class ValueKind : std::uint8_t {
  flag,           ///< no value: given or not
  text,           ///< anything
  count,          ///< a non-negative whole number; 1e5 is one
  count_or_auto,  ///< a count, or auto: as if the option were not given
  number,         ///< a finite number
  batch_size,     ///< a count, or a fraction of the rows
  step_size,      ///< a number, numbers, or name=number pairs, separated by commas
  choice,         ///< one of `choices`
  sampler,        ///< an option of a sampler: its own reader decides
};

struct OptionDeclaration {
  std::string name;  ///< "batch-size"
  ValueKind kind = ValueKind::text;
  std::string placeholder;         ///< of the value in help: "NUMBER"
  std::string default_text;        ///< empty: none, or told by `help`
  std::string default_words = {};  ///< what help shows instead: "pi/2"; empty: the text itself
  std::string help;                ///< other options stand in backquotes: `out`
  std::string group;               ///< heading in help
  std::vector<Command> commands;
  std::vector<std::string> choices;   ///< of a choice
  bool repeatable = false;            ///< may be given several times
  bool hidden = false;                ///< left out where choices would be listed one by one
  std::vector<std::string> samplers;  ///< of a sampler option: those that have it
  /// Writes a value into the settings of a run; not set: the option is none of them.
  std::function<void(RunSettings& settings, const std::string& text)> write;
  bool left_open = false;  ///< if not given, the run chooses: the default is not written into the settings

  bool may_change = false;  ///< when a run is resumed: its draws do not depend on it, or it extends them

  bool is_setting() const { return write != nullptr; }
  bool belongs_to(Command command) const;
  std::string key() const;            ///< in files: "batch_size"
  std::string shown_default() const;  ///< in help
};

/// All options, in the order of help.
const std::vector<OptionDeclaration>& option_table();
std::vector<const OptionDeclaration*> options_of(Command command);
/// Null: the command has no such option. The name as on the command line or as in files.
const OptionDeclaration* find_option(Command command, std::string_view name);

/// The name of an option whose key is given: "batch-size" of "batch_size".
std::string option_name(std::string_view key);

// Reading values
// --------------------------------------------------------------------------------------------------------
std::optional<std::uint64_t> count_from(std::string_view text);
std::optional<double> number_from(std::string_view text);  ///< finite

int threads_from(std::string_view text);  ///< a count, at most 10^9

std::optional<BatchSize> batch_size_from(std::string_view text);

std::optional<NamedStepSizes> step_sizes_from(std::string_view text);

/// Why the text is no value of the option, as "'5oo' is not a count or a fraction"; empty when it is one.
std::string complaint_about(const OptionDeclaration& option, std::string_view text);

}  // namespace sgmcmc
