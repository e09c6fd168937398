// The diagnosis of a run as text: its cost, the discrepancies, the worst coordinates, the verdict.
#pragma once

#include <sgmcmc/bias.hpp>

#include <cstddef>
#include <string>

namespace sgmcmc {

struct BiasTableOptions {
  std::size_t most_rows = 10;       ///< coordinates shown, the worst first; 0: all
  std::string how_to_see_all = {};  ///< shown if rows are omitted
};

/// Everything but the verdict, in lines of about 80 columns; long names make lines longer.
std::string bias_table(const BiasReport& report, const BiasTableOptions& options = {});

}  // namespace sgmcmc
