// From option values to the option structs of the library.
#pragma once

#include "cli/option_values.hpp"
#include "stan/model_file.hpp"

#include <sgmcmc/sample.hpp>

#include <string>
#include <vector>

namespace sgmcmc::cli {

/// The method asked for, or the one that suits the model. Throws ModelError with the reason when a minibatch method is
/// asked for a model whose likelihood has no rows.
std::string method_for(const OptionValues& values, const stan::BoundModel& bound);

GradientOptions gradient_options(const OptionValues& values, const std::string& estimator, const Model& model);
/// Throws UsageError naming the option, with a number to try where a step size is missing.
StepSize step_size_for(const OptionValues& values, const std::string& method, const Model& model);
SampleOptions sample_options(const OptionValues& values, const std::string& method, const stan::BoundModel& bound);

/// Options of the command line that this run does not use, a sentence each.
std::vector<std::string> options_without_effect(const OptionValues& values, const SampleOptions& options);

/// What follows the dash of a method; "minibatch" where there is none.
std::string estimator_of(const std::string& method);

}  // namespace sgmcmc::cli
