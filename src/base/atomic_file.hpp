// Files that are replaced whole or not at all, and are on the disk when that is said.
#pragma once

#include <filesystem>
#include <string_view>

namespace sgmcmc {

/// Writes beside the file, waits until the disk has it, and then gives it its name. Whatever happens meanwhile, the
/// file is the old one or the new one. Throws FileError saying why it could not be written.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sgmcmc
