// Readers of ratings, one for each format: they collect entries in one list, and report errors with file and line.
#pragma once

#include "data/text/byte_source.hpp"
#include "factors/ratings/id_table.hpp"
#include "factors/ratings/single_precision.hpp"

#include <sgmcmc/ratings.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

struct Ratings::Parts {
  std::vector<Rating> entries;
  IdTable users, items;
  SinglePrecisionCheck precision;  ///< of those that a program adds
  /// Positions of lines without ratings: from this entry on, the number of such lines before it.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> other_lines;

  std::uint64_t line_of(std::uint64_t entry) const;  ///< from 1
};

/// Appends to `parts`, whose tables may hold ids already. Throws DataError.
void read_ratings(Input& input, const RatingsOptions& options, Ratings::Parts& parts);

/// Throws DataError if a pair is rated twice; `where` returns the position of an entry.
void refuse_duplicates(const Ratings::Parts& parts, const std::string& file);

}  // namespace sgmcmc
