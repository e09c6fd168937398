// The places of rows in a file that keeps the rows of a group together: groups in random order, and the rows of each
// group in random order, too.
#pragma once

#include "data/row_files/scatter.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sgmcmc {

/// The number of groups whose rows are counted at a time, in a table that takes up to 128 MB.
inline constexpr std::size_t most_groups_at_once = 2'000'000;

/// What happens while places are found.
struct PlaceWatch {
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double share)> progress;  ///< which part of the work is done; may be empty
};

/// labels: the group of each row. Writes the place of each row in the row file to `places`. The places depend on labels
/// and key only; with more groups than `at_once`, it reads the labels several times. Throws FileError,
/// and InterruptedError; then call it again.
void find_places_by_group(const NumbersOnDisk& labels, std::uint64_t rows, std::uint64_t key,
                          const NumbersOnDisk& places, std::size_t at_once = most_groups_at_once,
                          const PlaceWatch& watch = {});

}  // namespace sgmcmc
