// Sources that unpack what another source has packed: gzip, zstd, xz.
#pragma once

#include "data/text/byte_source.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace sgmcmc {

/// Whether these first bytes (six, fewer at the end) open a format that unpacked() knows.
bool is_packed(std::string_view first_bytes);

/// first_bytes have been taken from the packed source already. name is for messages.
std::unique_ptr<ByteSource> unpacked(const std::string& name, std::unique_ptr<ByteSource> packed,
                                     std::string_view first_bytes);

}  // namespace sgmcmc
