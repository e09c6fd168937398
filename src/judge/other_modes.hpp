// Finds modes other than that of the draws: chains that all stay in one of several modes look converged.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stein.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace sgmcmc {

/// Returns a mode that the draws have not visited, else the heaviest other mode. Empty if no other mode has relevant
/// mass, if modes do not describe the posterior, or once the flag is set. apart: chains that disagree, concatenated;
/// searches also start at a draw of each.
std::optional<OtherMode> find_other_mode(const LogPosterior& posterior, const SteinPoints& draws, std::uint64_t seed,
                                         ThreadPool& pool, std::size_t apart = 0,
                                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
