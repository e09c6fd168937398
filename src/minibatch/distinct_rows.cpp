// Draws rows one at a time and rejects repeats: exact, and nearly free while n is far below N.
#include "minibatch/distinct_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace sgmcmc {
namespace {

constexpr std::uint32_t no_row = 0xFFFFFFFFu;  // rows are below 2^32 - 1

}  // namespace

DistinctRows::DistinctRows(std::uint32_t rows, std::uint32_t count) : rows_(rows), count_(count) {
  // Scanning all bits costs one word per 64 rows, so above a fraction of 1/64 the scan costs less than drawing the
  // rows.
  if (count > rows / 64) {
    bits_.assign(rows / 64 + 1, 0);
  } else {
    // The table is kept sparse: a collision costs a mispredicted branch, which is more than clearing eight slots.
    table_.assign(std::bit_ceil(std::size_t{8} * count), no_row);
  }
}

void DistinctRows::fill(const StreamKey& key, std::span<std::uint32_t> out) {
  if (bits_.empty()) {
    fill_by_table(key, out);
  } else {
    fill_by_bits(key, out);
  }
}

void DistinctRows::fill_by_table(const StreamKey& key, std::span<std::uint32_t> out) {
  std::fill(table_.begin(), table_.end(), no_row);
  std::uint32_t* const table = table_.data();
  const std::size_t mask = table_.size() - 1;
  std::size_t kept = 0;
  std::uint64_t drawn = 0;
  while (kept < out.size()) {
    // New draws go into the free part of `out`; accepted ones are then moved down over the rejected ones.
    const auto fresh = out.subspan(kept);
    fill_below(key, rows_, fresh, drawn);
    drawn += fresh.size();
    for (const std::uint32_t row : fresh) {
      std::size_t slot = row & mask;  // rows are uniform, so their low bits serve as the hash
      while (table[slot] != no_row && table[slot] != row) slot = (slot + 1) & mask;
      if (table[slot] == row) continue;
      table[slot] = row;
      out[kept++] = row;
    }
  }
}

void DistinctRows::fill_by_bits(const StreamKey& key, std::span<std::uint32_t> out) {
  // Above one half it is cheaper to draw the rows that are not in the batch.
  const bool complement = count_ > rows_ / 2;
  std::uint32_t missing = complement ? rows_ - count_ : count_;
  std::array<std::uint32_t, 256> drawn;
  std::uint64_t position = 0;
  while (missing > 0) {
    const auto chunk = std::span(drawn).first(std::min<std::size_t>(missing, drawn.size()));
    fill_below(key, rows_, chunk, position);
    position += chunk.size();
    for (const std::uint32_t row : chunk) {
      const std::uint64_t bit = std::uint64_t{1} << (row % 64);
      missing -= (bits_[row / 64] & bit) == 0 ? 1 : 0;
      bits_[row / 64] |= bit;
    }
  }
  std::size_t kept = 0;
  for (std::size_t word = 0; word < bits_.size(); ++word) {
    std::uint64_t chosen = complement ? ~bits_[word] : bits_[word];
    bits_[word] = 0;
    for (; chosen != 0 && kept < out.size(); chosen &= chosen - 1) {
      out[kept++] = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(chosen)));
    }
  }
}

}  // namespace sgmcmc
