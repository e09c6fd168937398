// Uniform, normal, exponential and integer sequences: whole groups of Philox blocks turned into numbers in registers.
//
// The source of element i of a sequence must never change, because results depend on it. Sources, with l the lane:
//   uniform, exponential  i = 16 g + 8 h + l          block 8 g + l, words 2 h and 2 h + 1
//   normal, double        i = 16 g + 8 h + l          block 8 g + l, Box-Muller of words (0, 1) and (2, 3):
//                                                     cosine for h = 0, sine for h = 1
//   normal, float         i = 64 g + 32 p + 16 h + l  block 16 g + l, words 2 p and 2 p + 1: cosine, sine
//   below                 i = 32 g + 16 h + 2 l + s   block 8 g + l, word 2 h + s; rejected words are replaced from
//                                                     separate blocks
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cstring>
#include <sgmcmc/error.hpp>
#include <string>

#include "base/elementary.hpp"
#include "base/levels.hpp"
#include "base/philox.hpp"
#include "base/trigonometric.hpp"

namespace sgmcmc {

PhiloxStream::PhiloxStream(const StreamKey& key)
    : key_{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)},
      word_1_(key.chain << 8),
      word_2_(static_cast<std::uint32_t>(key.iteration)),
      word_3_(static_cast<std::uint32_t>(key.iteration >> 32) | static_cast<std::uint32_t>(key.purpose) << 16) {
  if (key.iteration >= iteration_limit) {
    throw OptionError("iteration " + std::to_string(key.iteration) + " of a random stream is out of range: below 2^48");
  }
  if (key.chain >= chain_limit) {
    throw OptionError("chain " + std::to_string(key.chain) + " of a random stream is out of range: below 2^24");
  }
}

void check_positions(std::uint64_t first, std::size_t count, std::uint64_t limit) {
  if (first > limit || count > limit - first) {
    throw OptionError("a random stream ends at element " + std::to_string(limit) + ", asked for " +
                      std::to_string(count) + " elements from " + std::to_string(first) +
                      ": use another iteration, purpose or chain for the rest");
  }
}

namespace {

/// Writes elements [first, first + out.size()) where make(g, to) writes group g of group_size elements.
template <std::size_t group_size, class Value, class Make>
SGMCMC_INLINE void fill_groups(std::span<Value> out, std::uint64_t first, Make make) {
  // One call of make for whole and partial groups, so that short requests set up constants only once.
  Value whole[group_size];
  Value* to = out.data();
  std::size_t left = out.size();
  std::size_t skip = first % group_size;
  for (std::uint64_t group = first / group_size; left != 0; ++group) {
    const std::size_t taken = std::min(left, group_size - skip);
    const bool is_cut = taken != group_size;
    make(group, is_cut ? whole : to);
    if (is_cut) std::memcpy(to, whole + skip, taken * sizeof(Value));
    to += taken;
    left -= taken;
    skip = 0;
  }
}

SGMCMC_INLINE PhiloxBlocks eight_blocks(const PhiloxStream& stream, std::uint64_t group) {
  return stream.blocks(VectorPack<std::uint64_t>(8 * group) + lane_numbers());
}

constexpr std::uint64_t uniform_limit = 2 * PhiloxStream::block_limit;
constexpr std::uint64_t float_normal_limit = 4 * PhiloxStream::block_limit;

// Replacements of rejected integers: blocks with the top bit set, 16 (so 64 words) to each element.
constexpr std::uint64_t replacement_start = PhiloxStream::block_limit / 2;
constexpr std::uint64_t replacement_blocks = 16;
constexpr std::uint64_t below_limit = replacement_start / replacement_blocks;

/// The first of element's replacement words that is not rejected.
std::uint32_t replacement_below(const PhiloxStream& stream, std::uint64_t element, std::uint32_t bound,
                                std::uint32_t threshold) {
  std::uint64_t product = 0;
  for (std::uint64_t attempt = 0; attempt < replacement_blocks; ++attempt) {
    for (const std::uint32_t word : stream.block(replacement_start + replacement_blocks * element + attempt)) {
      product = std::uint64_t{word} * bound;
      if (static_cast<std::uint32_t>(product) >= threshold) return static_cast<std::uint32_t>(product >> 32);
    }
  }
  return static_cast<std::uint32_t>(product >> 32);  // after 64 rejections: probability below 2^-64
}

/// 32-bit words of 16 blocks, as Box-Muller uniforms: (word + 1/2) / 2^32 with all the precision a float has near 0.
SGMCMC_INLINE Pack<float> open_uniform(const VectorPack<std::uint32_t>& words) {
  const auto high = convert<float>(bits_as<std::int32_t>(words >> 16));
  const auto low = convert<float>(bits_as<std::int32_t>(words) & VectorPack<std::int32_t>(0xffff));
  return (fma(high, Pack<float>(65536.0F), low) + 0.5F) * 0x1p-32F;
}

void fill_uniform_here(const StreamKey& key, std::span<double> out, std::uint64_t first) {
  const PhiloxStream stream(key);
  check_positions(first, out.size(), uniform_limit);
  fill_groups<16>(out, first, [&](std::uint64_t group, double* to) SGMCMC_INLINE_LAMBDA {
    const PhiloxBlocks blocks = eight_blocks(stream, group);
    store(to, open_uniform(joined_words(blocks, 0)));
    store(to + 8, open_uniform(joined_words(blocks, 1)));
  });
}

void fill_exponential_here(const StreamKey& key, std::span<double> out, std::uint64_t first) {
  const PhiloxStream stream(key);
  check_positions(first, out.size(), uniform_limit);
  fill_groups<16>(out, first, [&](std::uint64_t group, double* to) SGMCMC_INLINE_LAMBDA {
    const PhiloxBlocks blocks = eight_blocks(stream, group);
    store(to, -detail::log_of_normal(open_uniform(joined_words(blocks, 0))));
    store(to + 8, -detail::log_of_normal(open_uniform(joined_words(blocks, 1))));
  });
}

void fill_normal_here(const StreamKey& key, std::span<double> out, std::uint64_t first) {
  const PhiloxStream stream(key);
  check_positions(first, out.size(), uniform_limit);
  fill_groups<16>(out, first, [&](std::uint64_t group, double* to) SGMCMC_INLINE_LAMBDA {
    const PhiloxBlocks blocks = eight_blocks(stream, group);
    const Pack<double> radius = sqrt(detail::log_of_normal(open_uniform(joined_words(blocks, 0))) * -2.0);
    const SinCos<double> angle = sincos_2pi(centred_uniform(joined_words(blocks, 1)));
    store(to, radius * angle.cos);
    store(to + 8, radius * angle.sin);
  });
}

void fill_normal_here(const StreamKey& key, std::span<float> out, std::uint64_t first) {
  const PhiloxStream stream(key);
  check_positions(first, out.size(), float_normal_limit);
  using Words = VectorPack<std::uint32_t>;
  const auto draw = [&](std::uint64_t group, Words* words) SGMCMC_INLINE_LAMBDA {
    // Even blocks in one set of lanes, odd blocks in the other, so that low and high halves join in order.
    const auto even_index = VectorPack<std::uint64_t>(16 * group) + (lane_numbers() << 1);
    const PhiloxBlocks even = stream.blocks(even_index);
    const PhiloxBlocks odd = stream.blocks(even_index + std::uint64_t{1});
    for (int w = 0; w < 4; ++w) {
      words[w] = bits_as<std::uint32_t>((even.word[w] & VectorPack<std::int64_t>(0xffffffff)) | (odd.word[w] << 32));
    }
  };
  const auto transform = [](const Words& first_word, const Words& second_word, float* to) SGMCMC_INLINE_LAMBDA {
    const Pack<float> radius = sqrt(detail::log_of_normal(open_uniform(first_word)) * -2.0F);
    const Pack<float> turn = convert<float>(bits_as<std::int32_t>(second_word)) * 0x1p-32F;
    const SinCos<float> angle = sincos_2pi(turn);
    store(to, radius * angle.cos);
    store(to + 16, radius * angle.sin);
  };
  // Both are long chains of dependent operations. Four groups at a time, first all the words, then all the normals,
  // give the processor independent work while one chain waits.
  constexpr std::size_t several = 4;
  std::size_t done = 0;
  if (first % 64 == 0) {
    for (; out.size() - done >= 64 * several; done += 64 * several) {
      Words words[4 * several];
      for (std::size_t g = 0; g < several; ++g) draw((first + done) / 64 + g, words + 4 * g);
      for (std::size_t p = 0; p < 2 * several; ++p)
        transform(words[2 * p], words[2 * p + 1], out.data() + done + 32 * p);
    }
  }
  fill_groups<64>(out.subspan(done), first + done, [&](std::uint64_t group, float* to) SGMCMC_INLINE_LAMBDA {
    Words words[4];
    draw(group, words);
    transform(words[0], words[1], to);
    transform(words[2], words[3], to + 32);
  });
}

void fill_below_here(const StreamKey& key, std::uint32_t bound, std::span<std::uint32_t> out, std::uint64_t first) {
  if (bound == 0) throw OptionError("cannot draw integers below 0: bound must be at least 1");
  const PhiloxStream stream(key);
  check_positions(first, out.size(), below_limit);
  using Wide = VectorPack<std::uint64_t>;
  using Narrow = VectorPack<std::uint32_t>;
  // The high half of word * bound is uniform if products whose low half is below 2^32 mod bound are rejected.
  const std::uint32_t threshold = (0U - bound) % bound;
  fill_groups<32>(out, first, [&](std::uint64_t group, std::uint32_t* to) SGMCMC_INLINE_LAMBDA {
    const PhiloxBlocks blocks = eight_blocks(stream, group);
    Narrow low[2];
    for (int half = 0; half < 2; ++half) {
      const Wide even = multiply_low_halves(blocks.word[2 * half], Wide(bound));
      const Wide odd = multiply_low_halves(blocks.word[2 * half + 1], Wide(bound));
      const VectorPack<std::int64_t> low_half(0xffffffff);
      store(to + 16 * half, bits_as<std::uint32_t>((even >> 32) | (odd & ~low_half)));
      low[half] = bits_as<std::uint32_t>((even & low_half) | (odd << 32));
    }
    for (int half = 0; half < 2; ++half) {
      const auto is_rejected = low[half] < Narrow(threshold);
      if (!any(is_rejected)) continue;
      for (int lane = 0; lane < 16; ++lane) {
        if (is_rejected[lane] == 0) continue;
        const std::uint64_t element = 32 * group + static_cast<std::uint64_t>(16 * half + lane);
        to[16 * half + lane] = replacement_below(stream, element, bound, threshold);
      }
    }
  });
}

}  // namespace

SGMCMC_DISPATCHED(void, fill_uniform, (const StreamKey& key, std::span<double> out, std::uint64_t first),
                  (key, out, first))
SGMCMC_DISPATCHED(void, fill_exponential, (const StreamKey& key, std::span<double> out, std::uint64_t first),
                  (key, out, first))
SGMCMC_DISPATCHED(void, fill_normal, (const StreamKey& key, std::span<double> out, std::uint64_t first),
                  (key, out, first))
SGMCMC_DISPATCHED(void, fill_normal, (const StreamKey& key, std::span<float> out, std::uint64_t first),
                  (key, out, first))
SGMCMC_DISPATCHED(void, fill_below,
                  (const StreamKey& key, std::uint32_t bound, std::span<std::uint32_t> out, std::uint64_t first),
                  (key, bound, out, first))

}  // namespace sgmcmc
