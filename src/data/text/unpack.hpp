// Sources that decompress another source: gzip, zstd, xz.
#pragma once

#include "data/text/byte_source.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace sgmcmc {

/// Whether these first bytes (six, or fewer at the end) are those of a format that unpacked() supports.
bool is_packed(std::string_view first_bytes);

/// first_bytes: already taken from the compressed source. name: for messages.
std::unique_ptr<ByteSource> unpacked(const std::string& name, std::unique_ptr<ByteSource> packed,
                                     std::string_view first_bytes);

}  // namespace sgmcmc
