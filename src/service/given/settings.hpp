// Converts run settings to the options of the library, checked against the model.
#pragma once

#include "settings/methods.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>

namespace sgmcmc {

/// The requested method, or the one that suits the model. Throws ModelError with the reason if a minibatch method is
/// requested for a model whose likelihood has no rows.
std::string method_for(const RunSettings& settings, const stan::BoundModel& bound);
/// The same for any model. has_rows: whether there are rows to draw minibatches from.
std::string method_for(const RunSettings& settings, bool has_rows);

GradientOptions gradient_options(const RunSettings& settings, const std::string& estimator, const Model& model,
                                 Precision precision);
/// Throws SettingError; if the step size is missing, the message suggests a number to try.
StepSize step_size_for(const RunSettings& settings, const std::string& method, const Model& model);
SampleOptions sample_options(const RunSettings& settings, const std::string& method, const Model& model,
                             Precision precision);

/// Lets tuning choose everything that the settings leave open.
TuneOptions tune_options(const RunSettings& settings);
/// Tunes, but keeps the settings that are given. remark: receives a note on any setting that was overridden, else stays
/// empty.
Tuned tuned_options(const RunSettings& settings, const Model& model, const SampleOptions& options, std::string& remark);

}  // namespace sgmcmc
