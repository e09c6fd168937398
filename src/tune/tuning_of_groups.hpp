// Chooses the method for hierarchical models.
#pragma once

#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <optional>
#include <string>

namespace sgmcmc {

/// A sampler with the parameters of groups integrated out. Empty if the model has no groups, if it would take too long,
/// or if no mode was found, which sets why_not. chooses_length: also choose the length of the run.
std::optional<Tuned> tune_groups(const Model& model, const SampleOptions& options, const TuneOptions& how,
                                 bool chooses_length, std::string& why_not);

}  // namespace sgmcmc
