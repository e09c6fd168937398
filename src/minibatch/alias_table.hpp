// Draws rows with given probabilities in constant time: the alias method, 8 bytes per row.
#pragma once

#include "base/memory.hpp"

#include <cstdint>
#include <span>

namespace sgmcmc {

/// Walker's alias table built by Vose's two stacks: cell i gives row i with probability `threshold`, else row `alias`.
/// Thresholds are floats. Rounding them does not bias estimates, because probabilities() returns those of the rounded
/// table.
class AliasTable {
 public:
  /// probabilities: positive and finite, on any scale.
  explicit AliasTable(std::span<const double> probabilities);

  /// Draws a row from two independent uniforms on (0, 1) with 52 bits each.
  std::uint32_t pick(double cell_uniform, double side_uniform) const {
    const auto index = static_cast<std::uint32_t>(cell_uniform * static_cast<double>(cells_.size()));
    const Cell& cell = cells_[index];
    // Branch-free: a branch would often be mispredicted, and each time only after the cell had arrived from memory.
    const std::uint32_t own = side_uniform < static_cast<double>(cell.threshold) ? 0xFFFFFFFFu : 0u;
    return (index & own) | (cell.alias & ~own);
  }

  std::size_t size() const { return cells_.size(); }
  /// The probability with which pick() returns each row: the requested probabilities, normalised, up to the rounding of
  /// thresholds.
  AlignedBuffer<double> probabilities() const;

 private:
  struct Cell {
    float threshold;
    std::uint32_t alias;
  };
  AlignedBuffer<Cell> cells_;
};

}  // namespace sgmcmc
