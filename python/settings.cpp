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

template <std::size_t Size>
bool is_among(const std::array<std::string_view, Size>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_setting(const OptionDeclaration& option, bool files) {
  // Arguments of functions here, or words for a terminal.
  static constexpr std::array<std::string_view, 14> others = {"data",  "include", "rows", "precision",  "initial",
                                                              "out",   "only",    "all",  "columns",    "json",
                                                              "quiet", "config",  "help", "exit-status"};
  static constexpr std::array<std::string_view, 6> about_files = {"overwrite", "checkpoint-every", "draws-limit",
                                                                  "keep",      "compress",         "log-likelihood"};
  return !is_among(others, option.name) && (files || !is_among(about_files, option.name));
}

nb::list described_settings() {
  nb::list all;
  for (const auto* option : options_of(Command::sample))
    if (is_setting(*option, true))
      all.append(nb::make_tuple(option->key(), option->default_text, option->help, option->choices));
  return all;
}

}  // namespace

OptionValues option_values(Command command, const GivenSettings& given, bool files) {
  OptionValues values(command);
  std::vector<std::string> known;
  for (const auto* option : options_of(command))
    if (is_setting(*option, files)) known.push_back(option->key());
  for (const auto& [name, text] : given) {
    const auto* option = find_option(command, name);
    if (!option || !is_setting(*option, true))
      throw OptionError("there is no setting '" + name + "'." + did_you_mean(name, known));
    if (!is_setting(*option, files)) throw OptionError(name + ": it is about the files of a run; add out=\"folder\"");
    values.set(*option, text, name);
  }
  return values;
}

void add_settings(nb::module_& m) { m.def("settings", &described_settings); }

}  // namespace sgmcmc::python
