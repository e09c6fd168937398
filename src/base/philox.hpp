// The counter-based generator behind all random streams: Philox 4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", 2011), for one counter or for eight at once.
//
// A stream's name maps to a counter and a key without hashing, so that two streams never share a block:
//   key words      seed bits 0-31, seed bits 32-63
//   counter word 0 block bits 0-31
//   counter word 1 block bits 32-39 | chain (24 bits) << 8
//   counter word 2 iteration bits 0-31
//   counter word 3 iteration bits 32-47 | purpose (16 bits) << 16
#pragma once

#include <array>
#include <cstdint>
#include <sgmcmc/random.hpp>

#include "base/pack.hpp"

namespace sgmcmc {

using PhiloxWords = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

namespace detail {

inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53, philox_multiplier_1 = 0xCD9E8D57;
inline constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9, philox_weyl_1 = 0xBB67AE85;
inline constexpr int philox_rounds = 10;

}  // namespace detail

/// One block of four random words.
inline PhiloxWords philox(PhiloxWords counter, PhiloxKey key) {
  for (int round = 0; round < detail::philox_rounds; ++round) {
    const std::uint64_t product_0 = std::uint64_t{detail::philox_multiplier_0} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{detail::philox_multiplier_1} * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += detail::philox_weyl_0;
    key[1] += detail::philox_weyl_1;
  }
  return counter;
}

/// Eight blocks at once, one per 64-bit lane: word w of block l is the low half of lane l of word[w]; the high halves
/// are garbage, which the products of the next round ignore.
struct PhiloxBlocks {
  VectorPack<std::uint64_t> word[4];
};

SGMCMC_INLINE PhiloxBlocks philox(PhiloxBlocks counter, PhiloxKey key) {
  using Words = VectorPack<std::uint64_t>;
  for (int round = 0; round < detail::philox_rounds; ++round) {
    const Words product_0 = multiply_low_halves(Words(detail::philox_multiplier_0), counter.word[0]);
    const Words product_1 = multiply_low_halves(Words(detail::philox_multiplier_1), counter.word[2]);
    counter.word[0] = (product_1 >> 32) ^ counter.word[1] ^ Words(key[0]);
    counter.word[2] = (product_0 >> 32) ^ counter.word[3] ^ Words(key[1]);
    counter.word[1] = product_1;
    counter.word[3] = product_0;
    key[0] += detail::philox_weyl_0;
    key[1] += detail::philox_weyl_1;
  }
  return counter;
}

/// A named stream as the blocks of its sequence. Throws OptionError when a part of the name is out of range.
class PhiloxStream {
 public:
  static constexpr int block_bits = 40;
  static constexpr std::uint64_t block_limit = std::uint64_t{1} << block_bits;
  static constexpr std::uint64_t iteration_limit = std::uint64_t{1} << 48;
  static constexpr std::uint32_t chain_limit = std::uint32_t{1} << 24;

  explicit PhiloxStream(const StreamKey& key);

  PhiloxWords block(std::uint64_t index) const {
    return philox(PhiloxWords{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32) | word_1_,
                              word_2_, word_3_},
                  key_);
  }

  SGMCMC_INLINE PhiloxBlocks blocks(const VectorPack<std::uint64_t>& index) const {
    using Words = VectorPack<std::uint64_t>;
    return philox(PhiloxBlocks{{index, (index >> 32) | Words(word_1_), Words(word_2_), Words(word_3_)}}, key_);
  }

 private:
  PhiloxKey key_;
  std::uint32_t word_1_, word_2_, word_3_;
};

/// 0, 1, ..., 7, to number the lanes of eight blocks.
SGMCMC_INLINE VectorPack<std::uint64_t> lane_numbers() {
  alignas(pack_bytes) static constexpr std::uint64_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return load_aligned(numbers);
}

/// Words 2 * half and 2 * half + 1 of each block as one 64-bit number.
SGMCMC_INLINE VectorPack<std::uint64_t> joined_words(const PhiloxBlocks& blocks, int half) {
  return bits_as<std::uint64_t>(blocks.word[2 * half] & VectorPack<std::int64_t>(0xffffffff)) |
         (blocks.word[2 * half + 1] << 32);
}

/// Uniforms in (0, 1) from the upper 52 bits: (2 k + 1) / 2^53.
SGMCMC_INLINE Pack<double> open_uniform(const VectorPack<std::uint64_t>& bits) {
  const auto in_one_to_two = (bits >> 12) | VectorPack<std::uint64_t>(0x3ff0000000000000);
  return bits_as<double>(in_one_to_two) - (1.0 - 0x1p-53);
}

/// Uniforms in [-1/2, 1/2) from the upper 52 bits.
SGMCMC_INLINE Pack<double> centred_uniform(const VectorPack<std::uint64_t>& bits) {
  const auto in_one_to_two = (bits >> 12) | VectorPack<std::uint64_t>(0x3ff0000000000000);
  return bits_as<double>(in_one_to_two) - 1.5;
}

/// Throws OptionError unless elements [first, first + count) lie below limit.
void check_positions(std::uint64_t first, std::size_t count, std::uint64_t limit);

}  // namespace sgmcmc
