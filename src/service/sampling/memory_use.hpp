// What a run will take of memory, said before it starts.
#pragma once

#include <sgmcmc/model.hpp>
#include <sgmcmc/sample_options.hpp>

#include <string>

namespace sgmcmc {

/// In bytes.
struct MemoryUse {
  double packed = 0;    ///< rows in memory of the program
  double in_place = 0;  ///< rows read where they are: in mapped files, or arrays of the caller
  double per_row = 0;   ///< numbers that the method keeps for every row
  std::string per_row_words;

  double total() const { return packed + in_place + per_row; }
};

MemoryUse expected_memory(const Model& model, const SampleOptions& options);

/// One sentence for the user; empty where it is not much. limit: in bytes, 0: none.
std::string memory_words(const MemoryUse& use, double limit = 0);

/// Why the run does not fit into so many bytes, and what to do; empty where it does.
std::string too_much_memory(const MemoryUse& use, const SampleOptions& options, double limit);

}  // namespace sgmcmc
