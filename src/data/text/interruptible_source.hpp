// A source of bytes that a flag ends.
#pragma once

#include "data/text/byte_source.hpp"

#include <atomic>
#include <memory>

namespace sgmcmc {

/// Reads a few megabytes at a time; reading throws InterruptedError once the flag is set. A null flag gives the source
/// itself.
std::unique_ptr<ByteSource> interruptible(std::unique_ptr<ByteSource> source, const std::atomic<bool>* interrupt);

}  // namespace sgmcmc
