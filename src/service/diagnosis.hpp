// The diagnosis of a finished run: its draws compared with the posterior that its record names.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stan.hpp>

#include <filesystem>

namespace sgmcmc {

/// How to diagnose, by the options of `diagnose`. Throws UsageError.
BiasOptions bias_options(const OptionValues& values);

class Diagnosis {
 public:
  /// Reads the record of the run. values: of `diagnose`. Throws UsageError, FileError where there is no such record,
  /// and DataError where model or data have changed since the run, or not all parameters were kept.
  Diagnosis(const OptionValues& values, const std::filesystem::path& folder);

  /// The options that made the run, with the model as operand.
  const OptionValues& call() const { return call_; }
  /// posterior: the model and all data of call(), of which the run may have sampled a part. draws: of the run. Throws
  /// UsageError.
  BiasReport report(const StanPosterior& posterior, const MemoryDraws& draws) const;

 private:
  OptionValues values_;
  BiasOptions options_;
  OptionValues call_;
  bool combined_ = false;  // draws of a combination
};

}  // namespace sgmcmc
