// Draws as a NetCDF file in the layout of ArviZ's InferenceData: groups posterior, sample_stats, log_likelihood and
// observed_data are written, the first two read.
#pragma once

#include "draws/stan_csv.hpp"

#include <sgmcmc/draws.hpp>
#include <sgmcmc/shape.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
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

/// The log likelihood of each row at each draw: for group log_likelihood.
struct RowLogLikelihoods {
  std::string name;  ///< of the variable: of what was observed, as in group observed_data
  std::size_t rows = 0;
  /// Computes those of one draw (both from 0), while the file is written.
  std::function<void(std::size_t chain, std::size_t draw, std::span<double> values)> at;
};

struct NetcdfContents {
  const MemoryDraws* draws = nullptr;    ///< beta[1], beta[2] become one variable beta (chain, draw, beta_dim_0)
  const MemoryDraws* sampler = nullptr;  ///< lp__, stepsize__, ...: group sample_stats; may be null
  std::vector<ObservedArray> observed;
  /// Attributes of the file and of group posterior: what made the draws.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::optional<RowLogLikelihoods> log_likelihood = {};
  bool compressed = false;  ///< numbers are the same, the file smaller and slower to write
};

/// Whether files can be written here; they cannot where libnetcdf is not installed.
bool netcdf_is_installed();

/// Replaces the file at once when it is complete: a reader never finds half a file. Every number in it is
/// finite (but for log likelihoods, which are as given): a variable that is not finite at some draw is left out, and so
/// are, where chains were stopped at different lengths, those outside the largest rectangle of chains and draws. Throws
/// FileError naming the file.
void write_netcdf(const std::filesystem::path& path, const NetcdfContents& contents);

bool is_netcdf(const std::filesystem::path& path);  ///< by its first bytes

/// The groups posterior and sample_stats of a file of this program, of ArviZ or of whatever writes its layout. Elements
/// are counted from 1, statistics named as in CmdStan's files. Throws FileError.
StanCsvDraws read_netcdf(const std::filesystem::path& path);

/// Draws from folders that runs wrote (from draws.nc where there is no chain-1.csv), files of CmdStan's dialect, or one
/// NetCDF file. Throws FileError.
StanCsvDraws read_draws(const std::vector<std::filesystem::path>& folders_or_files);

/// "lp__" of "lp", "accept_stat__" of "acceptance_rate": what CmdStan calls a statistic of ArviZ.
std::string csv_statistic_name(const std::string& name);

}  // namespace sgmcmc
