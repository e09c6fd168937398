// The results of a calibration: a table with small histograms, and the verdict in words.
#pragma once

#include <sgmcmc/calibrate.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

/// One character per bin, whose height is the bin's share of the ranks; uniform ranks have half height.
std::string rank_histogram(const std::vector<std::uint64_t>& counts);

struct CalibrationTableOptions {
  std::vector<bool> shown;          ///< by quantity; empty: all
  std::size_t most_rows = 60;       ///< if there are more, the least uniform are shown; 0: all
  std::string how_to_see_all = {};  ///< shown if rows are omitted
};

/// Name, p-values of the three tests, whether the ECDF stays in its band, and the histogram.
std::string calibration_table(const Calibration& calibration, const CalibrationTableOptions& options = {});

/// Sentences: what was run, which quantities fail and what their histograms look like, and the conclusion.
std::vector<std::string> calibration_verdict(const Calibration& calibration);

}  // namespace sgmcmc
