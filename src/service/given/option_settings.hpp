// Converts option values to the option structs of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/run.hpp>
#include <sgmcmc/stan.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

StanData data_of(const OptionValues& values);              ///< the files of option `data`
StanBindOptions bind_options(const OptionValues& values);  ///< without callbacks
/// The part of the rows selected by option subposterior; all rows if it is not given. Throws UsageError.
StanPosterior part_for(const OptionValues& values, const StanPosterior& posterior);
std::uint64_t memory_of(const OptionValues& values);  ///< of option `memory`, in bytes; 0: no limit
Precision precision_of(const OptionValues& values);
RunSettings run_settings(const OptionValues& values);                      ///< without initial values
RunSettings run_settings(const OptionValues& values, const Model& model);  ///< with those of option `initial`

/// Runs work(); converts a SettingError to a UsageError that names the option as it was given.
template <class Work>
auto naming_options(const OptionValues& values, Work&& work) {
  try {
    return work();
  } catch (const SettingError& error) {
    throw UsageError(values.where(option_name(error.setting())) + ": " + error.problem());
  }
}

/// The requested method, or the one that suits the model. Throws ModelError with the reason if a minibatch method is
/// requested for a model whose likelihood has no rows.
std::string method_for(const OptionValues& values, const stan::BoundModel& bound);

/// Throws UsageError naming the option.
SampleOptions sample_options(const OptionValues& values, const std::string& method, const stan::BoundModel& bound);

/// The options of the command line that have no effect on this run, one sentence each.
std::vector<std::string> options_without_effect(const OptionValues& values, const SampleOptions& options);

}  // namespace sgmcmc
