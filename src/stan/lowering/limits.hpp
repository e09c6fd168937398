// Limits on what a program may run and allocate, and the errors that end it there.
#pragma once

#include "stan/syntax/source.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// A program that runs endlessly or asks for more memory than there is. A draw that ends so ends the run: later draws
/// would, too.
class LimitError : public StanError {
 public:
  using StanError::StanError;
};

/// Ctrl-C while a program ran.
class InterruptedError : public StanError {
 public:
  using StanError::StanError;
};

/// Statements of one run of a program.
inline constexpr std::uint64_t most_statements = 200'000'000;
/// Statements in the turns of one while loop: some seconds.
inline constexpr std::uint64_t most_while_statements = 5'000'000;
/// Statements that the outputs of one draw may take after Ctrl-C: the draw is finished unless that takes too long.
inline constexpr std::uint64_t statements_after_interrupt = 1'000'000;

/// Empty where a container with these dimensions fits into the memory of the machine, else "would have 10^12 elements
/// ...": to be preceded by its name.
std::string beyond_memory(const std::vector<std::int64_t>& dims);

/// Whether the machine is about to end programs for their memory; from what Linux says in /proc/meminfo.
bool memory_is_short();
bool memory_is_short(std::istream& meminfo);

}  // namespace sgmcmc::stan
