// Checks of the options that every run over documents has.
#pragma once

#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

inline void check_positive(const char* name, double value) {
  if (!(value > 0.0 && std::isfinite(value)))
    throw OptionError(std::string(name) + " is " + formatted("%g", value) + "; it must be positive and finite");
}

/// Of LdaOptions or DpmixOptions. Throws OptionError naming the option.
template <class Options>
void check_document_run(const Options& options) {
  options.schedule.validate();
  if (options.iterations == 0) throw OptionError("iterations is 0; at least one is needed");
  if (options.batch_size == 0) throw OptionError("batch_size is 0; at least one document is needed");
  if (!(options.holdout >= 0.0 && options.holdout < 1.0))
    throw OptionError("holdout is " + formatted("%g", options.holdout) +
                      "; it must be a share of the documents, from 0 to below 1");
  if (!(options.warmup >= 0.0 && options.warmup < 1.0))
    throw OptionError("warmup is " + formatted("%g", options.warmup) +
                      "; it must be a share of the iterations, from 0 to below 1");
  if (options.threads < 0)
    throw OptionError("threads is " + std::to_string(options.threads) + "; it must not be negative");
}

}  // namespace sgmcmc
