// The description of a bound model in run.json: its text, the kind of each statement, and sizes.
#pragma once

#include <sgmcmc/sample.hpp>
#include <sgmcmc/stan.hpp>

#include <nlohmann/json.hpp>

namespace sgmcmc {

/// {"text": ..., "statements": [{"kind": "prior", "begin": 120, "end": 141}, ...], "rows": ..., "coordinates": ...};
/// positions are bytes of the text. Adds "groups": {...} if the sampler integrates out the parameters of groups.
nlohmann::ordered_json described_model(const StanPosterior& posterior, const SampleOptions& options);

}  // namespace sgmcmc
