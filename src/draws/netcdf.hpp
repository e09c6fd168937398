// Draws as a NetCDF file in the layout of ArviZ's InferenceData: groups posterior, sample_stats, observed_data.
#pragma once

#include <sgmcmc/draws.hpp>
#include <sgmcmc/shape.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

/// An array that was observed: for group observed_data.
struct ObservedArray {
  std::string name;
  Shape shape;                 ///< row-major; a scalar has none
  std::vector<double> values;  ///< written as integers where whole_numbers
  bool whole_numbers = false;
};

struct NetcdfContents {
  const MemoryDraws* draws = nullptr;    ///< beta[1], beta[2] become one variable beta (chain, draw, beta_dim_0)
  const MemoryDraws* sampler = nullptr;  ///< lp__, stepsize__, ...: group sample_stats; may be null
  std::vector<ObservedArray> observed;
  /// Attributes of the file and of group posterior: what made the draws.
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// Whether files can be written here; they cannot where libnetcdf is not installed.
bool netcdf_is_installed();

/// Replaces the file at once when it is complete: a reader never finds half a file. Every number in it is
/// finite: a variable that is not finite at some draw is left out, and so are, where chains were stopped at different
/// lengths, those outside the largest rectangle of chains and draws. Throws FileError naming the file.
void write_netcdf(const std::filesystem::path& path, const NetcdfContents& contents);

}  // namespace sgmcmc
