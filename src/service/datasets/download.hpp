// Downloads by the programs curl or wget, whichever is installed.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

namespace sgmcmc {

/// Writes what the address has to the file. Throws FileError with the words of the program that failed, and
/// InterruptedError once the flag is set.
void download_file(const std::string& address, const std::filesystem::path& target,
                   const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
