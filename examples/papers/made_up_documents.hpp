// Documents for experiments without data.
#pragma once

#include "five_chains.hpp"

#include <sgmcmc/corpus.hpp>
#include <sgmcmc/random.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Documents of forty words each about one or two of a dozen things, of which each has its own words of 500.
inline Corpus made_up_documents(std::uint32_t documents) {
  constexpr std::uint32_t words = 500, things = 12, length = 40;
  Corpus::Builder builder(words);
  const std::vector<double> shapes(words, 0.05);
  std::vector<double> topic(words * things), uniforms(2 * length + 2);
  for (std::uint32_t k = 0; k < things; ++k)
    fill_gamma({1, 0, k, Purpose::data}, shapes, std::span(topic).subspan(k * words, words));
  for (std::uint32_t d = 0; d < documents; ++d) {
    fill_uniform({1, 1, d, Purpose::data}, uniforms);
    std::vector<std::uint32_t> tokens;
    for (std::uint32_t i = 0; i < length; ++i) {
      const double chosen = uniforms[2 * length + (uniforms[2 * i] < 0.8 ? 0 : 1)];
      const auto thing = static_cast<std::uint32_t>(chosen * things);
      tokens.push_back(
          chosen_by_weight(std::span<const double>(topic).subspan(thing * words, words), uniforms[2 * i + 1]));
    }
    builder.add(tokens, std::vector<std::uint32_t>(tokens.size(), 1));
  }
  return builder.build();
}

}  // namespace sgmcmc
