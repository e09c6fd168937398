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
  combine,
  report,
  plot,
  data,
  pack
};

/// A wrong or impossible request by the user.
class UsageError : public Error {
 public:
  using Error::Error;
};

std::string_view command_name(Command command);                 ///< "log-density"
std::optional<Command> command_by_name(std::string_view name);  ///< empty: unknown command

/// The kind of value that an option takes.
enum class ValueKind : std::uint8_t {
  flag,           ///< takes no value
  text,           ///< anything
  count,          ///< a non-negative whole number; may be written as 1e5
  count_or_auto,  ///< a count, or auto: as if the option were not given
  number,         ///< a finite number
  batch_size,     ///< a count, or a fraction of the rows
  step_size,      ///< a number, numbers, or name=number pairs, separated by commas
  part,           ///< 3/20: the third of twenty parts; all/20
  choice,         ///< one of `choices`
  sampler,        ///< an option of a sampler, which parses and checks the value itself
};

struct OptionDeclaration {
  std::string name;  ///< "batch-size"
  ValueKind kind = ValueKind::text;
  std::string placeholder;         ///< name of the value in help: "NUMBER"
  std::string default_text;        ///< empty: no default, or explained in `help`
  std::string default_words = {};  ///< shown in help instead: "pi/2"; empty: show default_text
  std::string help;                ///< refers to other options in backquotes: `out`
  std::string group;               ///< heading in help
  std::vector<Command> commands;
  std::vector<std::string> choices;   ///< for Kind::choice
  bool repeatable = false;            ///< may be given several times
  bool hidden = false;                ///< help does not list the choices
  std::vector<std::string> samplers;  ///< the samplers that have this option
  /// Writes a value into the run settings; not set: the option is not a run setting.
  std::function<void(RunSettings& settings, const std::string& text)> write;
  bool left_open = false;  ///< if not given, the run chooses: the default is not written into the settings

  bool may_change = false;  ///< may differ when a run is resumed: it does not change existing draws

  bool is_setting() const { return write != nullptr; }
  bool belongs_to(Command command) const;
  std::string key() const;            ///< in files: "batch_size"
  std::string shown_default() const;  ///< in help
};

/// All options, in the order of help.
const std::vector<OptionDeclaration>& option_table();
std::vector<const OptionDeclaration*> options_of(Command command);
/// Takes the name as on the command line or as in files. Null: the command has no such option.
const OptionDeclaration* find_option(Command command, std::string_view name);

/// The name of an option from its key: "batch-size" from "batch_size".
std::string option_name(std::string_view key);

// Reading values
// --------------------------------------------------------------------------------------------------------
std::optional<std::uint64_t> count_from(std::string_view text);
std::optional<double> number_from(std::string_view text);  ///< finite

int threads_from(std::string_view text);  ///< a count, at most 10^9

std::optional<BatchSize> batch_size_from(std::string_view text);

std::optional<NamedStepSizes> step_sizes_from(std::string_view text);

std::optional<Subposterior> subposterior_from(std::string_view text);

/// Why the text is not a valid value of the option, such as "'5oo' is not a count or a fraction"; empty if it is valid.
std::string complaint_about(const OptionDeclaration& option, std::string_view text);

}  // namespace sgmcmc
