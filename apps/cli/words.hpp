// Texts that several commands use.
#pragma once

namespace sgmcmc::cli {

/// Shown where a table omits lines.
inline constexpr const char* how_to_see_all = "--all shows them";

}  // namespace sgmcmc::cli
