// Warnings about the draws of a run: reduced step sizes, variables left out, groups not drawn.
#pragma once

#include <sgmcmc/run.hpp>

#include <vector>

namespace sgmcmc {

/// some_groups: the draws contain the parameters of some groups only.
std::vector<RunWarning> warnings_about_draws(const SampleResult& result, const std::vector<LeftOut>& left_out,
                                             bool some_groups, const RunSettings& settings);

}  // namespace sgmcmc
