// Draws rows with given probabilities in constant time: the alias method, 8 bytes per row.
#pragma once

#include "base/memory.hpp"

#include <cstdint>
#include <span>

namespace sgmcmc {

/// Walker's alias table built by Vose's two stacks: cell i is row i with probability threshold, else row alias.
/// Thresholds are floats. Their rounding does not bias anything, because probability() is that of the rounded table.
class AliasTable {
 public:
  /// probabilities: positive and finite, on any scale.
  explicit AliasTable(std::span<const double> probabilities);

  /// From two independent uniforms on (0, 1) with 52 bits.
  std::uint32_t pick(double cell_uniform, double side_uniform) const {
    const auto index = static_cast<std::uint32_t>(cell_uniform * static_cast<double>(cells_.size()));
    const Cell& cell = cells_[index];
    // Without a branch: it would be mispredicted half of the time, each time waiting for the cell to come from memory.
    const std::uint32_t own = side_uniform < static_cast<double>(cell.threshold) ? 0xFFFFFFFFu : 0u;
    return (index & own) | (cell.alias & ~own);
  }

  std::size_t size() const { return cells_.size(); }
  /// With which pick() gives each row; the probabilities asked for, normalised, up to the rounding of thresholds.
  AlignedBuffer<double> probabilities() const;

 private:
  struct Cell {
    float threshold;
    std::uint32_t alias;
  };
  AlignedBuffer<Cell> cells_;
};

}  // namespace sgmcmc
