// The verdict at the end of a run in a line or two, and as an exit status.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/bias.hpp>

#include <optional>
#include <string>

namespace sgmcmc::cli {

/// One paragraph: the verdict, then why and what to do. more: where the rest of it is; empty: nowhere.
std::string verdict_text(const Verdict& verdict, const std::string& more);
/// Of the process, as --exit-status asks: 0, or 3 for "do not trust" and 4 for "cannot tell".
int exit_status(const OptionValues& values, const std::optional<Verdict>& verdict);

}  // namespace sgmcmc::cli
