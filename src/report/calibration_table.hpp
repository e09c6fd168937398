// What a calibration found: a table with small histograms, and the verdict in words.
#pragma once

#include <sgmcmc/calibrate.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

/// One character a bin, as high as its share of the ranks: half height is what uniform ranks have.
std::string rank_histogram(const std::vector<std::uint64_t>& counts);

struct CalibrationTableOptions {
  std::vector<bool> shown;          ///< by quantity; empty: all
  std::size_t most_rows = 60;       ///< of more, those are shown that are least uniform; 0: all
  std::string how_to_see_all = {};  ///< said of what is left out
};

/// Name, p-values of the three tests, whether the ECDF stays in its band, and the histogram.
std::string calibration_table(const Calibration& calibration, const CalibrationTableOptions& options = {});

/// Sentences: what was run, which quantities fail and what their histograms look like, and the conclusion.
std::vector<std::string> calibration_verdict(const Calibration& calibration);

}  // namespace sgmcmc
