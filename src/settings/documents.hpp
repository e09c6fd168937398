// What the options of runs over documents, lda and dpmix, have in common.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/dynamics.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// Options of one command, declared one by one.
class CommandOptions {
 public:
  explicit CommandOptions(Command command) : command_(command) {}

  OptionDeclaration& add(const char* group, const char* name, ValueKind kind, const char* placeholder,
                         const std::string& default_text, const std::string& help);
  /// Those so far are also of another command.
  void share_with(Command command);
  std::vector<OptionDeclaration> take() { return std::move(table_); }

 private:
  Command command_;
  std::vector<OptionDeclaration> table_;
};

/// The rest of this page throws UsageError, with the place of the option.
std::uint32_t small_count(const OptionValues& values, const char* name);
double positive_or_none(const OptionValues& values, const char* name);                   ///< 0 where it is not given
Schedule schedule_from(const OptionValues& values);                                      ///< of option schedule
std::uint32_t documents_per_batch(const OptionValues& values, std::uint64_t documents);  ///< of option batch-size

}  // namespace sgmcmc
