// Reading the options that runs over documents, lda and dpmix, have in common.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/dynamics.hpp>

#include <cstdint>

namespace sgmcmc {

/// All throw UsageError, with the place of the option.
std::uint32_t small_count(const OptionValues& values, const char* name);
double positive_or_none(const OptionValues& values, const char* name);                   ///< 0 where it is not given
Schedule schedule_from(const OptionValues& values);                                      ///< of option schedule
std::uint32_t documents_per_batch(const OptionValues& values, std::uint64_t documents);  ///< of option batch-size

}  // namespace sgmcmc
