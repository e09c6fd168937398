// Splits chains into halves, and pools them.
#include "diagnose/half_chains.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

std::size_t common_length(const QuantityDraws& draws) {
  std::size_t shortest = 0;
  for (const auto& chain : draws.chains)
    if (!chain.empty()) shortest = shortest == 0 ? chain.size() : std::min(shortest, chain.size());
  return shortest;
}

void append(std::vector<double>& to, const std::vector<double>& from, std::size_t begin, std::size_t end) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

std::vector<double> firsts_then_lasts(const std::vector<double>& pairs) {
  std::vector<double> result;
  for (std::size_t k = 0; k < pairs.size(); k += 2) result.push_back(pairs[k]);
  for (std::size_t k = 1; k < pairs.size(); k += 2) result.push_back(pairs[k]);
  return result;
}

PooledDraws pool(const QuantityDraws& draws, std::size_t most) {
  PooledDraws pooled;
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    const std::size_t length = std::min(most, draws.chains[c].size());
    append(pooled.values, draws.chains[c], 0, length);
    if (!draws.weights.empty()) append(pooled.weights, draws.weights[c], 0, length);
  }
  return pooled;
}

}  // namespace

HalfChains split_chains(const QuantityDraws& draws) {
  const std::size_t length = common_length(draws);
  HalfChains halves;
  halves.length = length == 1 ? 1 : length / 2;
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    if (draws.chains[c].empty()) continue;
    const auto split = [&](const std::vector<double>& from, std::vector<double>& to) {
      append(to, from, 0, halves.length);
      if (length > 1) append(to, from, length - halves.length, length);
    };
    split(draws.chains[c], halves.values);
    if (!draws.weights.empty()) split(draws.weights[c], halves.weights);
  }
  // Halves of a single draw: R's posterior treats the first draws of all chains as one series and the last as another.
  // We do the same for equal results, although they are not informative.
  if (halves.length == 1 && length > 1 && halves.values.size() > 2) {
    halves.length = halves.values.size() / 2;
    halves.values = firsts_then_lasts(halves.values);
    halves.weights = firsts_then_lasts(halves.weights);
  }
  return halves;
}

PooledDraws pooled_draws(const QuantityDraws& draws) { return pool(draws, common_length(draws)); }
PooledDraws all_draws(const QuantityDraws& draws) { return pool(draws, static_cast<std::size_t>(-1)); }

void check_weights(const QuantityDraws& draws) {
  if (draws.weights.empty()) return;
  if (draws.weights.size() != draws.chains.size())
    throw OptionError("there are " + std::to_string(draws.chains.size()) + " chains of draws but " +
                      std::to_string(draws.weights.size()) + " of weights; give every draw a weight, or none");
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    if (draws.weights[c].size() != draws.chains[c].size())
      throw OptionError("chain " + std::to_string(c + 1) + " has " + std::to_string(draws.chains[c].size()) +
                        " draws but " + std::to_string(draws.weights[c].size()) +
                        " weights; give every draw a weight, or none");
    for (std::size_t k = 0; k < draws.weights[c].size(); ++k)
      if (const double weight = draws.weights[c][k]; !(weight >= 0.0 && std::isfinite(weight)))
        throw OptionError("the weight of draw " + std::to_string(k + 1) + " of chain " + std::to_string(c + 1) +
                          " is " + std::to_string(weight) + "; weights must be finite and not negative");
  }
}

}  // namespace sgmcmc
