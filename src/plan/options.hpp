// How a plan is made: precision, tile size, and which passes run.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace sgmcmc {

struct PlanOptions {
  /// Rows per tile; 0 chooses from the plan's footprint. Rounded up to the plan's row block; never changes results.
  int tile_rows = 0;
  /// Names of passes to omit (see plan_passes()); results agree up to rounding, only speed and memory change.
  std::set<std::string> disabled_passes;

  bool enabled(const char* pass) const { return !disabled_passes.count(pass); }
};

/// The names of all passes, in the order they run.
const std::vector<std::string>& plan_passes();

}  // namespace sgmcmc
