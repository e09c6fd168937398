// Selects one part of the rows, if the model allows it.
#include "service/given/parts.hpp"

#include "base/text.hpp"
#include "combine/part_checks.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

void check_part(const Model& whole, const Subposterior& which, std::vector<RunWarning>& warnings) {
  if (which.part == 0)
    throw SettingError("subposterior", "all parts cannot be sampled into one place; name one, such as 1/" +
                                           std::to_string(which.parts) + ", or sample each into a folder of its own");
  if (const std::string reason = why_not_in_parts(whole); !reason.empty()) throw SettingError("subposterior", reason);
  const auto improper = improper_powers(whole, which.parts);
  if (improper.empty()) return;
  const bool one = improper.size() == 1;
  warnings.push_back({"the prior of " + quoted_list(improper) + " is proper, but not its power 1/" +
                          std::to_string(which.parts) + ": the rows of the part alone must determine " +
                          (one ? "it" : "them"),
                      "", false});
}

/// Runs work(); converts an OptionError to a SettingError about `subposterior`.
template <class Work>
auto naming_setting(Work&& work) {
  try {
    return work();
  } catch (const SettingError&) {
    throw;
  } catch (const OptionError& error) {
    std::string text = error.what();
    const std::string own = "subposterior: ";
    if (text.starts_with(own)) text = text.substr(own.size());
    throw SettingError("subposterior", text);
  }
}

}  // namespace

StanPosterior posterior_for(const StanPosterior& given, const RunSettings& settings,
                            std::vector<RunWarning>& warnings) {
  if (!settings.subposterior) return given;
  const Subposterior& which = *settings.subposterior;
  return naming_setting([&] {
    if (given.part()) return given.subposterior(which);  // checked when the part was made
    if (which.part > 0 && !given.row_axis().empty()) check_part(given.model(), which, warnings);
    if (which.part == 0) check_part(given.model(), which, warnings);
    return given.subposterior(which);
  });
}

Model posterior_for(const Model& given, const RunSettings& settings, std::vector<RunWarning>& warnings) {
  if (!settings.subposterior) return given;
  const Subposterior& which = *settings.subposterior;
  return naming_setting([&] {
    if (which.part == 0 || given.row_log_likelihood()) check_part(given, which, warnings);
    return subposterior(given, which);
  });
}

}  // namespace sgmcmc
