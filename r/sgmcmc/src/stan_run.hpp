// A run of a model in the Stan language, as R holds it.
#pragma once

#include "service/run_handle.hpp"

#include <sgmcmc/run.hpp>
#include <sgmcmc/stan.hpp>

#include <atomic>
#include <memory>
#include <optional>

namespace sgmcmc::r {

inline constexpr const char* run_tag = "run";

/// A run with its model. The flag of binding outlives the posterior.
struct StanRun {
  std::atomic<bool> binding_interrupted{false};
  std::optional<StanPosterior> posterior;
  std::unique_ptr<RunHandle> handle;  // the last: it uses the others
};

}  // namespace sgmcmc::r
