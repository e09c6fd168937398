// The comparison of two sets of draws as one HTML file.
#pragma once

#include "service/compare_draws.hpp"
#include "service/reports/run_report.hpp"

#include <filesystem>

namespace sgmcmc {

/// a, b: the draws that the operands name. result: their comparison.
RunReport report_on_comparison(const OptionValues& values, const Comparison& result, const DrawSet& a,
                               const DrawSet& b);

/// The file that option `out` names; default: comparison.html. Throws UsageError if `out` is given without `report`.
std::filesystem::path comparison_path(const OptionValues& values);

}  // namespace sgmcmc
