// Loads a model and its data from the MODEL and --data arguments.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/stan.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::cli {

/// The MODEL operand of commands that take a model. Throws UsageError.
std::string model_path(const OptionValues& values);

struct ModelInput {
  StanModel model;
  StanPosterior posterior;
};
/// share: the rows that this rank reads; null: all.
ModelInput load_model(const OptionValues& values, std::shared_ptr<const RowShare> share = nullptr);

/// Prints remarks on a configuration file and warnings about a model to stderr.
void show_warnings(const OptionValues& values, const std::vector<std::string>& model_warnings);

}  // namespace sgmcmc::cli
