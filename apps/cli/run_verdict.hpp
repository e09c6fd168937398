// The verdict at the end of a run, as text and as an exit status.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/bias.hpp>

#include <optional>
#include <string>

namespace sgmcmc::cli {

/// One paragraph: the verdict, its reasons and advice. `more`: where to find details; may be empty.
std::string verdict_text(const Verdict& verdict, const std::string& more);
/// Exit status according to --exit-status: 0, or 3 for "do not trust" and 4 for "cannot tell".
int exit_status(const OptionValues& values, const std::optional<Verdict>& verdict);

}  // namespace sgmcmc::cli
