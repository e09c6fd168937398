// How far a writer of a row file has come, on disk beside the file.
#pragma once

#include "data/storage_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

struct PackState {
  std::uint64_t identity = 0;        ///< of layout and sources: a state of others is of no use
  std::uint64_t source = 0;          ///< the source under way; all of them: rows are scattered
  std::uint64_t rows = 0;            ///< of that source, scattered
  std::uint64_t blocks = 0;          ///< put in order and written
  std::vector<IntegerRange> ranges;  ///< of every column, of the rows scattered; empty of real columns

  void save(const std::string& path) const;  ///< throws FileError
};

/// Nothing where there is none, or none that can be read.
std::optional<PackState> saved_pack_state(const std::string& path);

}  // namespace sgmcmc
