// Words that several commands use.
#pragma once

namespace sgmcmc::cli {

/// Said where a table leaves something out.
inline constexpr const char* how_to_see_all = "--all shows them";

}  // namespace sgmcmc::cli
