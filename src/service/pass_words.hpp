// Progress of a pass over rows read from disk, as text for a terminal.
#pragma once

#include <sgmcmc/model.hpp>
#include <sgmcmc/stan.hpp>

#include <functional>
#include <string>

namespace sgmcmc {

/// "finding the mode: 43 % of 8.4 GB, 1.2 GB/s, 4 s left"; empty if there is no current pass, or rows are in memory.
std::string pass_words(const Model& model);
/// The same for the verification of row files when a model is bound with these options.
std::function<std::string()> watch_row_files(StanBindOptions& options);

}  // namespace sgmcmc
