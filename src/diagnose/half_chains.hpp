// The draws of one quantity, split into half chains of equal length, as diagnostics compare them.
#pragma once

#include <sgmcmc/diagnose.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// `values` holds consecutive half chains of `length` numbers; `weights` likewise; empty: all equal.
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

/// All draws concatenated, with their weights: for summaries that do not compare chains.
struct PooledDraws {
  std::vector<double> values;
  std::vector<double> weights;  ///< empty: all equal
};

/// First cuts chains to the length of the shortest non-empty one. Drops the middle draw of an odd length; keeps a
/// single draw. For two or three draws per chain, see the definition.
HalfChains split_chains(const QuantityDraws& draws);
/// The draws before splitting, with chains cut to equal length.
PooledDraws pooled_draws(const QuantityDraws& draws);
/// Every draw.
PooledDraws all_draws(const QuantityDraws& draws);

/// Throws OptionError if weights are negative, not finite, or not one per draw.
void check_weights(const QuantityDraws& draws);

}  // namespace sgmcmc
