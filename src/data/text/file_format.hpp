// Which format a file has, found from its first bytes.
#pragma once

#include "data/text/byte_source.hpp"

#include <cstdint>

namespace sgmcmc {

enum class FileFormat : std::uint8_t { json, csv, npy, idx, libsvm, rows };

/// The name for messages: "JSON", "CSV", ...
const char* format_name(FileFormat format);

/// Throws DataError for known formats that are not supported, and for an empty file.
FileFormat detect_format(Input& input);

}  // namespace sgmcmc
