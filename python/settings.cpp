// Which options of the program are settings in Python.
#include "settings.hpp"

#include "base/text.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace nb = nanobind;

namespace sgmcmc::python {
namespace {

enum class Use { setting, about_files, elsewhere };

/// What is no setting of `sample` is about the files of a run, an argument of a function here, or for a terminal; other
/// commands have such options, too.
Use use_of(const OptionDeclaration& option) {
  const auto* of_sample = find_option(Command::sample, option.name);
  if (option.is_setting() || !of_sample || of_sample->is_setting()) return Use::setting;
  static constexpr std::array<std::string_view, 5> about_files = {"overwrite", "checkpoint-every", "draws-limit",
                                                                  "compress", "log-likelihood"};
  return std::find(about_files.begin(), about_files.end(), option.name) != about_files.end() ? Use::about_files
                                                                                             : Use::elsewhere;
}

nb::list described_settings() {
  nb::list all;
  for (const auto* option : options_of(Command::sample))
    if (use_of(*option) != Use::elsewhere)
      all.append(nb::make_tuple(option->key(), option->default_text, option->help, option->choices));
  return all;
}

}  // namespace

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

void add_settings(nb::module_& m) { m.def("settings", &described_settings); }

}  // namespace sgmcmc::python
