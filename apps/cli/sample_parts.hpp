// Sampling all parts of the rows, one after another, into folders of their own.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/subposterior.hpp>

#include <optional>

namespace sgmcmc::cli {

/// Of option subposterior all/PARTS; nothing where it is not given, or names one part.
std::optional<Subposterior> all_parts(const OptionValues& values);

/// Samples each part that is not finished. A second call goes on where the first one was stopped. Returns the exit
/// status.
int sample_all_parts(const OptionValues& values, const Subposterior& all);

}  // namespace sgmcmc::cli
