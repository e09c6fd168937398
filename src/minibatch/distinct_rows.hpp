// Draws n distinct rows of N, every subset equally likely. If n is small, work and memory do not grow with N.
#pragma once

#include <sgmcmc/random.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class DistinctRows {
 public:
  /// `count` is from 1 to `rows`. Memory: 32 to 64 bytes per chosen row, or one bit per data row for large fractions.
  DistinctRows(std::uint32_t rows, std::uint32_t count);

  /// Writes `count` rows, which depend on the key alone. Small fractions of the data come in the order drawn, large
  /// ones in ascending order (faster to read from memory).
  void fill(const StreamKey& key, std::span<std::uint32_t> out);

 private:
  void fill_by_table(const StreamKey& key, std::span<std::uint32_t> out);
  void fill_by_bits(const StreamKey& key, std::span<std::uint32_t> out);

  std::uint32_t rows_;
  std::uint32_t count_;
  std::vector<std::uint32_t> table_;  ///< open addressing; a slot holds a row
  // One bit per row; used instead of the table if the batch is a large fraction of the rows.
  std::vector<std::uint64_t> bits_;
};

}  // namespace sgmcmc
