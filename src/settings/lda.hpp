// Converts option values of sgmcmc lda to the option structs of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/lda.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace sgmcmc {

/// "256M", "2G", "64k", or a number of bytes.
std::optional<std::uint64_t> bytes_from(std::string_view text);

CorpusOptions corpus_options(const OptionValues& values);
LdaOptions lda_options(const OptionValues& values, std::uint64_t documents);

}  // namespace sgmcmc
