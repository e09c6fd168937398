// The Feistel network behind shuffled epochs; its rounds are plain 32-bit arithmetic, so that they vectorise.
#include "base/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

// A number below `bound` (at most 2^16) from a small number and two keys: the high bits of a keyed product of products.
std::uint32_t round_value(std::uint32_t half, std::uint32_t first_key, std::uint32_t second_key, std::uint32_t bound) {
  std::uint32_t mixed = (half ^ first_key) * 0x9E3779B1u;
  mixed ^= mixed >> 15;
  mixed = (mixed + second_key) * 0x85EBCA6Bu;
  mixed ^= mixed >> 16;
  // mixed * bound / 2^32 without 64-bit lanes: nothing overflows because bound is at most 2^16.
  return ((mixed >> 16) * bound + ((mixed & 0xFFFFu) * bound >> 16)) >> 16;
}

std::uint32_t add_modulo(std::uint32_t left, std::uint32_t right, std::uint32_t size) {
  const std::uint32_t sum = left + right;  // both below 2^17
  return sum >= size ? sum - size : sum;
}

}  // namespace

Permutation::Permutation(std::uint32_t rows, const StreamKey& key) : rows_(rows) {
  // At least 8 x 8: on a smaller board the few possible rounds would favour some orders.
  const auto root = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(rows))));
  right_size_ = std::max<std::uint32_t>(8, root);
  left_size_ =
      std::max<std::uint32_t>(8, static_cast<std::uint32_t>((std::uint64_t{rows} + right_size_ - 1) / right_size_));
  fill_below(key, std::numeric_limits<std::uint32_t>::max(), keys_);
}

void Permutation::shuffle(std::uint32_t* left, std::uint32_t* right, std::size_t count) const {
  // Round by round over the whole stretch: the positions are independent, so the inner loops vectorise, given that
  // sizes and keys are copied where no store can reach them.
  const std::uint32_t left_size = left_size_, right_size = right_size_;
  for (std::size_t round = 0; round < rounds; round += 2) {
    const std::array<std::uint32_t, 4> keys = {keys_[2 * round], keys_[2 * round + 1], keys_[2 * round + 2],
                                               keys_[2 * round + 3]};
    for (std::size_t j = 0; j < count; ++j) {
      left[j] = add_modulo(left[j], round_value(right[j], keys[0], keys[1], left_size), left_size);
    }
    for (std::size_t j = 0; j < count; ++j) {
      right[j] = add_modulo(right[j], round_value(left[j], keys[2], keys[3], right_size), right_size);
    }
  }
}

void Permutation::fill(std::uint32_t first, std::span<std::uint32_t> out) const {
  std::array<std::uint32_t, 128> left, right;
  const std::uint32_t rows = rows_, right_size = right_size_;
  std::uint32_t next_left = first / right_size, next_right = first % right_size;
  for (std::size_t done = 0; done < out.size(); done += left.size()) {
    const std::size_t count = std::min(left.size(), out.size() - done);
    for (std::size_t j = 0; j < count;) {  // a run of positions with the same left half
      const std::size_t end = std::min(count, j + (right_size - next_right));
      for (; j < end; ++j) {
        left[j] = next_left;
        right[j] = next_right++;
      }
      if (next_right == right_size) {
        next_right = 0;
        ++next_left;
      }
    }
    shuffle(left.data(), right.data(), count);
    // Every position of the board is below 2^32, because rows are and the board is the smallest that holds them.
    std::uint32_t* const chunk = out.data() + done;
    std::uint32_t outside = 0;
    for (std::size_t j = 0; j < count; ++j) {
      chunk[j] = left[j] * right_size + right[j];
      outside |= chunk[j] >= rows ? 1u : 0u;
    }
    for (std::size_t j = 0; outside != 0 && j < count; ++j) {
      while (chunk[j] >= rows) {
        shuffle(&left[j], &right[j], 1);
        chunk[j] = left[j] * right_size + right[j];
      }
    }
  }
}

}  // namespace sgmcmc
