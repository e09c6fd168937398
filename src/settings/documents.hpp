// Reads the options that lda and dpmix share.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/dynamics.hpp>

#include <cstdint>

namespace sgmcmc {

/// All throw UsageError that says where the option was given.
std::uint32_t small_count(const OptionValues& values, const char* name);
double positive_or_none(const OptionValues& values, const char* name);                   ///< 0 if not given
Schedule schedule_from(const OptionValues& values);                                      ///< option schedule
std::uint32_t documents_per_batch(const OptionValues& values, std::uint64_t documents);  ///< option batch-size

}  // namespace sgmcmc
