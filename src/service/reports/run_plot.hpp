// Figures of a run as SVG files.
#pragma once

#include "settings/values.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

struct RunPlot {
  std::filesystem::path file;
  std::vector<std::string> warnings;  ///< of reading the run
};

/// Plots what option `what` names, for the folder or files given as operands. Throws UsageError if the run does not
/// contain it, and FileError.
RunPlot plot_run(const OptionValues& values);

}  // namespace sgmcmc
