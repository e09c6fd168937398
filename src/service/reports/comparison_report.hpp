// The comparison of two sets of draws as one HTML file.
#pragma once

#include "service/compare_draws.hpp"
#include "service/reports/run_report.hpp"

#include <filesystem>

namespace sgmcmc {

/// a, b: what the operands name. result: of the two.
RunReport report_on_comparison(const OptionValues& values, const Comparison& result, const DrawSet& a,
                               const DrawSet& b);

/// The file that option `out` names; default: comparison.html. Throws UsageError where it is given for nothing.
std::filesystem::path comparison_path(const OptionValues& values);

}  // namespace sgmcmc
