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

/// Draws what option `what` says of the folder or files that are the operands. Throws UsageError where the run has no
/// such thing, and FileError.
RunPlot plot_run(const OptionValues& values);

}  // namespace sgmcmc
