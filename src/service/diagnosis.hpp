// Diagnoses a finished run: compares its draws with the posterior that its record names.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stan.hpp>

#include <filesystem>

namespace sgmcmc {

/// Reads the options of `diagnose`. Throws UsageError.
BiasOptions bias_options(const OptionValues& values);

class Diagnosis {
 public:
  /// Reads the record of the run. values: the options of `diagnose`. Throws UsageError, FileError if there is no such
  /// record, and DataError if the model or data have changed since the run, or not all parameters were kept.
  Diagnosis(const OptionValues& values, const std::filesystem::path& folder);

  /// The options that made the run, with the model as operand.
  const OptionValues& call() const { return call_; }
  /// posterior: the model with all the data in call(); the run may have sampled a part of the rows. draws: those of the
  /// run. Throws UsageError.
  BiasReport report(const StanPosterior& posterior, const MemoryDraws& draws) const;

 private:
  OptionValues values_;
  BiasOptions options_;
  OptionValues call_;
  bool combined_ = false;  // the draws are those of `combine`
};

}  // namespace sgmcmc
