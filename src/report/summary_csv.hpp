// The summary of draws as a CSV file, for programs.
#pragma once

#include "report/summary_table.hpp"

#include <string>
#include <vector>

namespace sgmcmc {

/// A header line (name, mean, mcse_mean, sd, q5, q50, q95, ess, rhat), then one line per row, with all digits. Names
/// with commas are quoted; unknown values are NA.
std::string summary_csv(const std::vector<SummaryRow>& rows);

}  // namespace sgmcmc
