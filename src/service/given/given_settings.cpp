// Decides which command-line options are settings in other languages.
#include "service/given/given_settings.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sgmcmc {
namespace {

enum class Use { setting, about_files, elsewhere };

/// Options of `sample` that are not settings concern the files of a run, are function arguments in other languages, or
/// control the terminal. Other commands share these options.
Use use_of(const OptionDeclaration& option) {
  const auto* of_sample = find_option(Command::sample, option.name);
  if (option.is_setting() || !of_sample || of_sample->is_setting()) return Use::setting;
  static constexpr std::array<std::string_view, 5> about_files = {"overwrite", "checkpoint-every", "draws-limit",
                                                                  "compress", "log-likelihood"};
  return std::find(about_files.begin(), about_files.end(), option.name) != about_files.end() ? Use::about_files
                                                                                             : Use::elsewhere;
}

}  // namespace

std::vector<const OptionDeclaration*> settings_of_sample() {
  std::vector<const OptionDeclaration*> all;
  for (const auto* option : options_of(Command::sample))
    if (use_of(*option) != Use::elsewhere) all.push_back(option);
  return all;
}

OptionValues option_values(Command command, const GivenSettings& given, bool files) {
  OptionValues values(command);
  std::vector<std::string> known;
  for (const auto* option : options_of(command))
    if (const Use use = use_of(*option); use == Use::setting || (files && use == Use::about_files))
      known.push_back(option->key());
  for (const auto& [name, text] : given) {
    const auto* option = find_option(command, name);
    if (!option || use_of(*option) == Use::elsewhere)
      throw OptionError("there is no setting '" + name + "'." + did_you_mean(name, known));
    if (use_of(*option) == Use::about_files && !files)
      throw OptionError(name + ": it is about the files of a run; add out=\"folder\"");
    values.set(*option, text, name);
  }
  return values;
}

}  // namespace sgmcmc
