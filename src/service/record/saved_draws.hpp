// Draws read from the files of a run, of CmdStan or of ArviZ, with the facts in these files.
#pragma once

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace sgmcmc {

struct SavedDraws {
  MemoryDraws draws;                                          ///< of parameters and outputs
  SamplerReport sampler;                                      ///< of an exact sampler: divergences, tree depths
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< that sampling took; NaN: the files do not say
  std::string model;                                          ///< its name; empty: the files do not say
  std::vector<std::string> warnings;                          ///< for example a file that ends in the middle of a line
};

/// Reads folders written by runs, CSV files in the format of CmdStan, or one NetCDF file. Throws FileError.
SavedDraws read_saved_draws(const std::vector<std::filesystem::path>& folders_or_files);

}  // namespace sgmcmc
