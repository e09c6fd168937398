// Building the alias table, with the rounding of each threshold passed on to the row that fills the rest of its cell.
#include "minibatch/alias_table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

// The nearest threshold that a uniform on the odd multiples of 2^-53 meets with exactly that probability: a positive
// multiple of 2^-52 (from 2^-28 up every float is one).
float realisable(double threshold) {
  if (threshold >= 0x1p-28) return static_cast<float>(std::min(threshold, 1.0));
  return static_cast<float>(std::max(1.0, std::round(threshold * 0x1p52)) * 0x1p-52);
}

}  // namespace

AliasTable::AliasTable(std::span<const double> probabilities) : cells_(probabilities.size()) {
  const std::size_t size = probabilities.size();
  // Scaled by the largest first: the sum of finite numbers need not be finite.
  const double largest = size == 0 ? 1.0 : *std::max_element(probabilities.begin(), probabilities.end());
  double sum = 0;
  for (const double value : probabilities) sum += value / largest;

  // What is left of each row, in cells; rows below one cell wait on one stack, the others on the second.
  // Both stacks in one array, from its two ends: a row is on one of them.
  std::vector<double> left(size);
  std::vector<std::uint32_t> waiting(size);
  std::size_t small = 0, large = size;  // waiting[0, small) and waiting[large, size), their tops inside
  for (std::size_t row = 0; row < size; ++row) {
    left[row] = probabilities[row] / largest / sum * static_cast<double>(size);
    waiting[left[row] < 1 ? small++ : --large] = static_cast<std::uint32_t>(row);
  }
  while (small > 0 && large < size) {
    const std::uint32_t row = waiting[--small], filler = waiting[large];
    const float threshold = realisable(left[row]);
    cells_[row] = {threshold, filler};
    left[filler] -= 1 - static_cast<double>(threshold);
    if (left[filler] < 1) {
      ++large;
      waiting[small++] = filler;
    }
  }
  // Only rounding is left: these rows fill their own cells.
  for (std::size_t k = 0; k < small; ++k) cells_[waiting[k]] = {1.0f, waiting[k]};
  for (std::size_t k = large; k < size; ++k) cells_[waiting[k]] = {1.0f, waiting[k]};
}

AlignedBuffer<double> AliasTable::probabilities() const {
  AlignedBuffer<double> result(cells_.size());
  for (std::size_t row = 0; row < cells_.size(); ++row) {
    const auto threshold = static_cast<double>(cells_[row].threshold);
    result[row] += threshold;
    result[cells_[row].alias] += 1 - threshold;
  }
  for (double& value : result) value /= static_cast<double>(cells_.size());
  return result;
}

}  // namespace sgmcmc
