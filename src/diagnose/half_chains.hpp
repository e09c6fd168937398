// The draws of one quantity cut into half chains of one length, as the diagnostics compare them.
#pragma once

#include <sgmcmc/diagnose.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// `values` holds half chains of `length` numbers one after the other; `weights` likewise, or nothing: all equal.
struct HalfChains {
  std::vector<double> values;
  std::vector<double> weights;
  std::size_t length = 0;

  std::size_t count() const { return length == 0 ? 0 : values.size() / length; }
  std::span<const double> half(std::size_t number) const { return {values.data() + number * length, length}; }
  std::span<const double> half_weights(std::size_t number) const {
    return weights.empty() ? std::span<const double>{}
                           : std::span<const double>{weights}.subspan(number * length, length);
  }
};

/// All draws in one row, with their weights: for what does not compare chains.
struct PooledDraws {
  std::vector<double> values;
  std::vector<double> weights;  ///< or nothing: all equal
};

/// Chains are first cut to the shortest that has draws. Of an odd length the middle draw is left out; a single draw
/// stays what it is.
/// Of two or three draws per chain, see the definition.
HalfChains split_chains(const QuantityDraws& draws);
/// The draws that split_chains() starts from, chains cut to one length.
PooledDraws pooled_draws(const QuantityDraws& draws);
/// Every draw.
PooledDraws all_draws(const QuantityDraws& draws);

/// Throws OptionError when weights are negative, not finite, or not as many as draws.
void check_weights(const QuantityDraws& draws);

}  // namespace sgmcmc
