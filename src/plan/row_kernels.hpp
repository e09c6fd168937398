// Kernels of per-row ops on tiles, and of sums over rows.
#pragma once

#include "plan/kernel.hpp"
#include "plan/row_access.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace sgmcmc {

/// The arguments for creating a kernel: the value, its operands in memory, and the place of the result. For sums over
/// rows, `out` is the accumulator, contiguous.
template <class Real>
struct KernelSpec {
  const Value* value = nullptr;
  std::vector<Operand<Real>> inputs;
  Operand<Real> out;
  std::int64_t tile_rows = 0;
  std::function<std::shared_ptr<ColumnTile<Real>>(const ColumnView&)> column_tile;
};

template <class Real>
std::unique_ptr<Kernel<Real>> make_row_kernel(const KernelSpec<Real>& spec);  ///< per-row result
template <class Real>
std::unique_ptr<Kernel<Real>> make_row_sum_kernel(const KernelSpec<Real>& spec);  ///< row_sum and similar ops

/// The 0-based table entry that lane i of an integer operand points at.
template <class Real>
inline std::int64_t table_entry(const Operand<Real>& index, const TileRows& tile, std::uint32_t i, std::int64_t element,
                                std::int64_t base) {
  if (index.in_place) {
    const std::uint32_t row = tile.row(i < tile.count ? i : tile.count - 1);
    return index.column->integer(row, element) - base;
  }
  return static_cast<std::int64_t>(index.data[element * index.component_stride + i]) - base;
}

/// A pack of component c of an operand: lanes, or one global number for all lanes.
template <class Real>
SGMCMC_INLINE Pack<Real> lanes_of(const Operand<Real>& operand, std::int64_t component, std::size_t lane) {
  const Real* at = operand.data + component * operand.component_stride;
  return operand.per_row ? load(at + lane) : Pack<Real>(*at);
}

}  // namespace sgmcmc
