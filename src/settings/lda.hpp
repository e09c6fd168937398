// The options of sgmcmc lda, and from their values to the option structs of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/lda.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Those that say how documents are read are also of dpmix.
std::vector<OptionDeclaration> lda_option_declarations();

/// "256M", "2G", "64k", or a number of bytes.
std::optional<std::uint64_t> bytes_from(std::string_view text);

CorpusOptions corpus_options(const OptionValues& values);
LdaOptions lda_options(const OptionValues& values, std::uint64_t documents);

}  // namespace sgmcmc
