// The parameters of a run for its report page: summaries, plots, pairs and energies.
#pragma once

#include "service/page/reported_run.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

/// How much space the plots of parameters may take in the page.
struct PictureBudget {
  std::size_t fine = 200;                ///< parameters with detailed plots, the worst first
  std::size_t coarse_bytes = 2'700'000;  ///< for coarse plots of the others
};

struct PageParameters {
  nlohmann::ordered_json json;
  std::vector<std::size_t> worst;  ///< columns of the draws, least trusted first
  std::vector<SummaryRow> rows;    ///< of all columns
};
PageParameters parameters_json(const ReportedRun& run, int threads, const PictureBudget& budget = {});

/// Scatter plots of the few parameters that are least trusted or most involved in divergences; null: none.
nlohmann::ordered_json pairs_json(const ReportedRun& run, const PageParameters& parameters);
/// Energies of an exact sampler; null if there are none.
nlohmann::ordered_json energy_json(const ReportedRun& run);

/// Sd ratios and mean shifts of coordinates; null if unknown.
nlohmann::ordered_json bias_json(const ReportedRun& run);

}  // namespace sgmcmc
