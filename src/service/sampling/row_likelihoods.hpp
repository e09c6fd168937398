// The log likelihood of each row at each draw, as asked for: what ArviZ's loo and waic are made of.
#pragma once

#include "draws/netcdf.hpp"
#include "service/sampling/kept_names.hpp"
#include "settings/values.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// The generated quantity that log likelihoods are taken from, log_lik; empty: the rows of the model are, or nothing
/// was asked for. Throws UsageError where a model has neither.
std::string log_likelihood_output(const OptionValues& values, const stan::BoundModel& bound);

/// Throws UsageError where draws are not kept of what log likelihoods are made of.
void check_log_likelihood_kept(const OptionValues& values, const Model& model, const KeptNames& kept,
                               const std::vector<std::string>& names, const std::string& output);

/// Throws UsageError where the log likelihoods of these draws take more room than draws may.
void check_log_likelihood_size(const OptionValues& values, const stan::BoundModel& bound, const SampleOptions& options,
                               const std::string& output);

/// Writes the file, with log likelihoods where they were asked for; warns where they cannot be had after all.
void write_with_log_likelihood(const std::filesystem::path& path, NetcdfContents contents, const OptionValues& values,
                               const StanPosterior& posterior, const std::string& output, const RunHooks& hooks);

}  // namespace sgmcmc
