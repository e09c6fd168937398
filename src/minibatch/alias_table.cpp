// Builds the alias table. The rounding error of each threshold goes to the row that fills the rest of its cell.
#include "minibatch/alias_table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

// Rounds to the nearest positive multiple of 2^-52. A uniform on the odd multiples of 2^-53 falls below such a
// threshold with exactly that probability. Every float of 2^-28 or more is already a multiple of 2^-52.
float realisable(double threshold) {
  if (threshold >= 0x1p-28) return static_cast<float>(std::min(threshold, 1.0));
  return static_cast<float>(std::max(1.0, std::round(threshold * 0x1p52)) * 0x1p-52);
}

}  // namespace

AliasTable::AliasTable(std::span<const double> probabilities) : cells_(probabilities.size()) {
  const std::size_t size = probabilities.size();
  // Scale by the largest first, because the sum of finite numbers can overflow.
  const double largest = size == 0 ? 1.0 : *std::max_element(probabilities.begin(), probabilities.end());
  double sum = 0;
  for (const double value : probabilities) sum += value / largest;

  // `left` is the probability of each row not yet assigned, in units of one cell. Rows with less than one cell wait on
  // one stack, the others on a second. Each row is on one stack only, so both share one array and grow from its two
  // ends.
  std::vector<double> left(size);
  std::vector<std::uint32_t> waiting(size);
  std::size_t small = 0, large = size;  // waiting[0, small) and waiting[large, size), tops towards the middle
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
  // Only rounding error is left: these rows fill their own cells.
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
