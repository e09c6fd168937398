// n different rows of N, every subset equally likely, without work or memory that grows with N where n is small.
#pragma once

#include <sgmcmc/random.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class DistinctRows {
 public:
  /// count from 1 to rows. Memory: 32 to 64 bytes per chosen row, or one bit per row of the data where that is less.
  DistinctRows(std::uint32_t rows, std::uint32_t count);

  /// Writes count rows: a function of the key alone. In the order drawn for small fractions of the data; in ascending
  /// order (kinder to memory) for large ones.
  void fill(const StreamKey& key, std::span<std::uint32_t> out);

 private:
  void fill_by_table(const StreamKey& key, std::span<std::uint32_t> out);
  void fill_by_bits(const StreamKey& key, std::span<std::uint32_t> out);

  std::uint32_t rows_;
  std::uint32_t count_;
  std::vector<std::uint32_t> table_;  ///< open addressing; a slot holds a row
  // One bit per row; used instead of the table where a large part of the rows is wanted.
  std::vector<std::uint64_t> bits_;
};

}  // namespace sgmcmc
