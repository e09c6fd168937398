// From the settings of a run to the options of the library, checked against the model.
#pragma once

#include "settings/methods.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>

namespace sgmcmc {

/// The method asked for, or the one that suits the model. Throws ModelError with the reason where a minibatch method is
/// asked for a model whose likelihood has no rows.
std::string method_for(const RunSettings& settings, const stan::BoundModel& bound);
/// The same of any model: has_rows says whether there are rows to draw minibatches from.
std::string method_for(const RunSettings& settings, bool has_rows);

GradientOptions gradient_options(const RunSettings& settings, const std::string& estimator, const Model& model,
                                 Precision precision);
/// Throws SettingError, with a number to try where a step size is missing.
StepSize step_size_for(const RunSettings& settings, const std::string& method, const Model& model);
SampleOptions sample_options(const RunSettings& settings, const std::string& method, const Model& model,
                             Precision precision);

/// What tuning may choose: whatever is not set.
TuneOptions tune_options(const RunSettings& settings);
/// Tunes, and keeps what is set. remark: what was decided otherwise than asked for; empty: nothing.
Tuned tuned_options(const RunSettings& settings, const Model& model, const SampleOptions& options, std::string& remark);

}  // namespace sgmcmc
