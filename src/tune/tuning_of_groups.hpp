// What method auto takes for hierarchical models.
#pragma once

#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <optional>
#include <string>

namespace sgmcmc {

/// A sampler with the parameters of groups integrated out. Nothing where the model has no groups, where that would take
/// too long, or where no mode was found, for which why_not is filled in. chooses_length: the run may be as long as it
/// needs.
std::optional<Tuned> tune_groups(const Model& model, const SampleOptions& options, const TuneOptions& how,
                                 bool chooses_length, std::string& why_not);

}  // namespace sgmcmc
