// Limits on the statements and memory of a program, and the errors for exceeding them.
#pragma once

#include "stan/syntax/source.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// A program runs too long or needs too much memory. Ends the run, because later draws would fail too.
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
/// Statements in one while loop: a few seconds.
inline constexpr std::uint64_t most_while_statements = 5'000'000;
/// Maximum statements for the outputs of one draw after Ctrl-C: finishes the draw unless that takes too long.
inline constexpr std::uint64_t statements_after_interrupt = 1'000'000;

/// Empty if a container with these dimensions fits into memory, else "would have 10^12 elements ...", to follow its
/// name.
std::string beyond_memory(const std::vector<std::int64_t>& dims);

/// Whether memory is nearly exhausted, according to /proc/meminfo.
bool memory_is_short();
bool memory_is_short(std::istream& meminfo);

}  // namespace sgmcmc::stan
