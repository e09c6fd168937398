// The parameters of a run for its page: summaries, pictures, pairs and energies.
#pragma once

#include "service/page/reported_run.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

/// How much room the pictures of parameters may take in the page.
struct PictureBudget {
  std::size_t fine = 200;                ///< parameters, the worst first, with fine pictures
  std::size_t coarse_bytes = 2'700'000;  ///< for coarse pictures of the others
};

struct PageParameters {
  nlohmann::ordered_json json;
  std::vector<std::size_t> worst;  ///< columns of the draws, those in most doubt first
  std::vector<SummaryRow> rows;    ///< of all columns
};
PageParameters parameters_json(const ReportedRun& run, int threads, const PictureBudget& budget = {});

/// Draws of the few parameters in most doubt, or most involved in divergences, against one another; null: none.
nlohmann::ordered_json pairs_json(const ReportedRun& run, const PageParameters& parameters);
/// Energies of an exact sampler; null: there are none.
nlohmann::ordered_json energy_json(const ReportedRun& run);

/// Sd ratios and mean shifts of coordinates; null: not known.
nlohmann::ordered_json bias_json(const ReportedRun& run);

}  // namespace sgmcmc
