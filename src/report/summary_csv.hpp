// The summary of draws as a CSV file, for programs.
#pragma once

#include "report/summary_table.hpp"

#include <string>
#include <vector>

namespace sgmcmc {

/// A line with the names of the columns (name, mean, mcse_mean, sd, q5, q50, q95, ess, rhat), then one per row, with
/// every digit. Names with commas are quoted; what cannot be told is NA.
std::string summary_csv(const std::vector<SummaryRow>& rows);

}  // namespace sgmcmc
