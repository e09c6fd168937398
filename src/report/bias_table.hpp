// The diagnosis of a run as text: what was spent, the discrepancies, the worst coordinates, the verdict.
#pragma once

#include <sgmcmc/bias.hpp>

#include <cstddef>
#include <string>

namespace sgmcmc {

struct BiasTableOptions {
  std::size_t most_rows = 10;       ///< coordinates shown, the worst first; 0: all
  std::string how_to_see_all = {};  ///< said of what is left out
};

/// Everything but the verdict: lines of about 80 columns, longer where names are.
std::string bias_table(const BiasReport& report, const BiasTableOptions& options = {});

}  // namespace sgmcmc
