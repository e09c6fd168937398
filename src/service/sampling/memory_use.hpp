// Predicts the memory that a run will use, before it starts.
#pragma once

#include <sgmcmc/model.hpp>
#include <sgmcmc/sample_options.hpp>

#include <string>

namespace sgmcmc {

/// In bytes.
struct MemoryUse {
  double packed = 0;    ///< rows in the program's own memory
  double in_place = 0;  ///< rows read in place: in mapped files, or in arrays of the caller
  double per_row = 0;   ///< numbers that the method keeps for every row
  std::string per_row_words;

  double total() const { return packed + in_place + per_row; }
};

MemoryUse expected_memory(const Model& model, const SampleOptions& options);

/// One sentence for the user; empty if the memory is small. limit: in bytes; 0: none.
std::string memory_words(const MemoryUse& use, double limit = 0);

/// Why the run does not fit into the limit, and what to do; empty if it fits.
std::string too_much_memory(const MemoryUse& use, const Model& model, const SampleOptions& options, double limit);

}  // namespace sgmcmc
