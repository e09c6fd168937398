// How far a pass over rows that are read from disk has come, in words for a terminal.
#pragma once

#include <sgmcmc/model.hpp>

#include <string>

namespace sgmcmc {

/// "finding the mode: 43 % of 8.4 GB, 1.2 GB/s, 4 s left"; empty where no pass is under way, or rows are in memory.
std::string pass_words(const Model& model);

}  // namespace sgmcmc
