// Downloads files with curl or wget, whichever is installed.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

namespace sgmcmc {

/// Downloads the address to the file. Throws FileError with the error message of the program, and InterruptedError once
/// the flag is set.
void download_file(const std::string& address, const std::filesystem::path& target,
                   const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
