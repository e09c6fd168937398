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

/// An observed array, for group observed_data.
struct ObservedArray {
  std::string name;
  Shape shape;                 ///< row-major; empty for a scalar
  std::vector<double> values;  ///< written as integers if whole_numbers
  bool whole_numbers = false;
};

/// The log likelihood of each row at each draw, for group log_likelihood.
struct RowLogLikelihoods {
  std::string name;  ///< the name of the observed variable, as in group observed_data
  std::size_t rows = 0;
  /// Computes the log likelihoods of one draw while the file is written. Chains and draws are counted from 0.
  std::function<void(std::size_t chain, std::size_t draw, std::span<double> values)> at;
};

struct NetcdfContents {
  const MemoryDraws* draws = nullptr;    ///< beta[1], beta[2] become one variable beta (chain, draw, beta_dim_0)
  const MemoryDraws* sampler = nullptr;  ///< lp__, stepsize__, ...: group sample_stats; may be null
  std::vector<ObservedArray> observed;
  /// Attributes of the file and of group posterior that say how the draws were made.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::optional<RowLogLikelihoods> log_likelihood = {};
  bool compressed = false;  ///< lossless; the file is smaller and slower to write
};

/// Whether libnetcdf is installed; NetCDF files cannot be written or read without it.
bool netcdf_is_installed();

/// Replaces the file atomically once it is complete, so a reader never finds a partial file. Every number in it is
/// finite, except that log likelihoods are written as given: a variable that is non-finite at some draw is left out. If
/// chains stopped at different lengths, draws outside the largest rectangle of chains and draws are left out too.
/// Throws FileError naming the file.
void write_netcdf(const std::filesystem::path& path, const NetcdfContents& contents);

bool is_netcdf(const std::filesystem::path& path);  ///< judged by its first bytes

/// Reads the groups posterior and sample_stats of a file written by this program, by ArviZ or in the same layout.
/// Indices are counted from 1 and statistics are named as in CmdStan's files. Throws FileError.
StanCsvDraws read_netcdf(const std::filesystem::path& path);

/// Reads draws from output folders of runs (from draws.nc if there is no chain-1.csv), CSV files in CmdStan's format,
/// or one NetCDF file. Throws FileError.
StanCsvDraws read_draws(const std::vector<std::filesystem::path>& folders_or_files);

/// CmdStan's name for an ArviZ statistic: "lp__" for "lp", "accept_stat__" for "acceptance_rate".
std::string csv_statistic_name(const std::string& name);

}  // namespace sgmcmc
