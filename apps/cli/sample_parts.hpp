// Samples all parts of the rows into separate folders.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/subposterior.hpp>

#include <optional>

namespace sgmcmc {
class RankJob;
}

namespace sgmcmc::cli {

/// The value of option subposterior if it is all/PARTS; empty if it is not given, or names one part.
std::optional<Subposterior> all_parts(const OptionValues& values);

/// Samples each part that is not finished, on these ranks if there are any. Giving the same command again continues an
/// interrupted call. Returns the exit status.
int sample_all_parts(const OptionValues& values, const Subposterior& all, RankJob* ranks);

}  // namespace sgmcmc::cli
