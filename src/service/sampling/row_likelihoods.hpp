// The log likelihood of each row at each draw, if requested, for loo and waic in ArviZ.
#pragma once

#include "draws/netcdf.hpp"
#include "service/sampling/kept_names.hpp"
#include "settings/values.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// The generated quantity that holds the log likelihoods, log_lik. Empty if they are computed from the rows of the
/// model, or were not requested. Throws UsageError if the model provides neither.
std::string log_likelihood_output(const OptionValues& values, const stan::BoundModel& bound);

/// Throws UsageError if draws needed to compute log likelihoods are not kept.
void check_log_likelihood_kept(const OptionValues& values, const Model& model, const KeptNames& kept,
                               const std::vector<std::string>& names, const std::string& output);

/// Throws UsageError if the log likelihoods of these draws exceed the size limit of draws.
void check_log_likelihood_size(const OptionValues& values, const stan::BoundModel& bound, const SampleOptions& options,
                               const std::string& output);

/// Writes the file, with log likelihoods if requested; warns if they cannot be computed after all.
void write_with_log_likelihood(const std::filesystem::path& path, NetcdfContents contents, const OptionValues& values,
                               const StanPosterior& posterior, const std::string& output, const RunHooks& hooks);

}  // namespace sgmcmc
