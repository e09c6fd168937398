// Which samplers are Fisher scoring: what they need of a run, others do not.
#pragma once

#include <sgmcmc/dynamics.hpp>

#include <variant>

namespace sgmcmc {

/// Whether it learns from the spread of the gradients of a batch's rows: sgfs-full, sgfs-diagonal.
inline bool is_fisher_scoring(const SamplerOptions& options) {
  return std::holds_alternative<SgfsFullOptions>(options) || std::holds_alternative<SgfsDiagonalOptions>(options);
}

}  // namespace sgmcmc
