// A random order of 0 .. N-1 whose entries can be computed one by one, in constant memory.
#pragma once

#include <sgmcmc/random.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace sgmcmc {

/// A Feistel network over pairs (left, right) with left * right_size + right >= N barely covering the rows; positions
/// that fall outside are sent round again (cycle walking), which keeps it a permutation of the rows. J. Black and P.
/// Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002, section 5.
class Permutation {
 public:
  /// rows at least 1; the order is a function of the key alone.
  Permutation(std::uint32_t rows, const StreamKey& key);

  /// Entries first .. first + out.size() of the order; all positions must be below rows.
  void fill(std::uint32_t first, std::span<std::uint32_t> out) const;

 private:
  void shuffle(std::uint32_t* left, std::uint32_t* right, std::size_t count) const;

  static constexpr std::size_t rounds = 8;
  std::uint32_t rows_;
  std::uint32_t left_size_;
  std::uint32_t right_size_;
  std::array<std::uint32_t, 2 * rounds> keys_;
};

}  // namespace sgmcmc
