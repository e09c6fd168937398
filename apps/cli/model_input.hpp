// From the MODEL and --data arguments to a model bound to its data.
#pragma once

#include "data/variables.hpp"
#include "service/outputs.hpp"
#include "settings/values.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/stan.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sgmcmc::cli {

/// The one operand of commands that take a model. Throws UsageError.
std::string model_path(const OptionValues& values);

struct ModelInput {
  std::string path;
  stan::ModelText text;
  std::optional<StanPosterior> posterior;
  stan::BoundModel* bound = nullptr;
};
ModelInput load_model(const OptionValues& values);
stan::BindOptions bind_options(const OptionValues& values);
/// What the files of --data have of the data that any of these programs declare.
DataVariables read_model_data(const OptionValues& values, const std::vector<stan::ModelText>& programs);

/// What the checker and the binding to data remarked, each once.
std::vector<stan::Warning> warnings_of(const ModelInput& input);
/// Warnings of the model, and remarks on a configuration file, to stderr.
void show_warnings(const OptionValues& values, const ModelInput& input);

}  // namespace sgmcmc::cli
