// A source of bytes that can be interrupted by a flag.
#pragma once

#include "data/text/byte_source.hpp"

#include <atomic>
#include <memory>

namespace sgmcmc {

/// Reads a few megabytes at a time, and throws InterruptedError once the flag is set. If the flag is null, returns the
/// source itself.
std::unique_ptr<ByteSource> interruptible(std::unique_ptr<ByteSource> source, const std::atomic<bool>* interrupt);

}  // namespace sgmcmc
