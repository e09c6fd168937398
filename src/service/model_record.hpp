// What run.json keeps of a model bound to its data: text, what each statement is, and sizes.
#pragma once

#include <sgmcmc/sample.hpp>
#include <sgmcmc/stan.hpp>

#include <nlohmann/json.hpp>

namespace sgmcmc {

/// {"text": ..., "statements": [{"kind": "prior", "begin": 120, "end": 141}, ...], "rows": ..., "coordinates": ...},
/// with places in bytes of the text, and "groups": {...} where the sampler integrates parameters of groups out.
nlohmann::ordered_json described_model(const StanPosterior& posterior, const SampleOptions& options);

}  // namespace sgmcmc
