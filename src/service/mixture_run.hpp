// A run of `dpmix`: from options and documents to clusters and output files.
#pragma once

#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <sgmcmc/dpmix.hpp>

#include <atomic>
#include <functional>
#include <string>

namespace sgmcmc {

/// Checks the options of the run, then reads its documents. Throws UsageError, OptionError and FileError.
Corpus read_documents_for_mixture(const OptionValues& values, const std::string& path);

struct MixtureRun {
  DpmixOptions options;
  DpmixResult result;
};
/// Samples clusters, and writes files and record if there is a folder. interrupt: once set, the run ends with the
/// results so far. progress: called now and then from the caller's thread.
MixtureRun run_mixture(const OptionValues& values, const Corpus& corpus, RunFolder& folder,
                       const std::atomic<bool>* interrupt = nullptr,
                       const std::function<void(const DpmixPoint&)>& progress = {});

}  // namespace sgmcmc
