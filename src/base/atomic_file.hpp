// Atomic and durable replacement of files.
#pragma once

#include <filesystem>
#include <string_view>

namespace sgmcmc {

/// Writes a temporary file, syncs it to disk, and renames it. At any time, the file is either the old one or the new
/// one. Throws FileError with the reason for a failure.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sgmcmc
