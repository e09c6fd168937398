// From option values to the option structs of the library.
#pragma once

#include "settings/values.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

Precision precision_of(const OptionValues& values);
RunSettings run_settings(const OptionValues& values);  ///< without initial values

/// The method asked for, or the one that suits the model. Throws ModelError with the reason when a minibatch method is
/// asked for a model whose likelihood has no rows.
std::string method_for(const OptionValues& values, const stan::BoundModel& bound);

GradientOptions gradient_options(const OptionValues& values, const std::string& estimator, const Model& model);
/// Throws UsageError naming the option, with a number to try where a step size is missing.
StepSize step_size_for(const OptionValues& values, const std::string& method, const Model& model);
SampleOptions sample_options(const OptionValues& values, const std::string& method, const stan::BoundModel& bound);

/// Options of the command line that this run does not use, a sentence each.
std::vector<std::string> options_without_effect(const OptionValues& values, const SampleOptions& options);

/// Fills in what was left open. remark: what was decided otherwise than asked for; empty: nothing.
Tuned tuned_options(const OptionValues& values, const Model& model, const SampleOptions& options, std::string& remark);

}  // namespace sgmcmc
