// Progress of a pass over rows read from disk, as text for a terminal.
#pragma once

#include <sgmcmc/model.hpp>

#include <string>

namespace sgmcmc {

/// "finding the mode: 43 % of 8.4 GB, 1.2 GB/s, 4 s left"; empty if there is no current pass, or rows are in memory.
std::string pass_words(const Model& model);

}  // namespace sgmcmc
