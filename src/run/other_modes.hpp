// Modes that no chain has seen: chains that agree on one of several look perfect.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stein.hpp>

#include <cstdint>
#include <optional>

namespace sgmcmc {

/// Searches from dispersed starts, on some of the rows where there are many. Nothing where the draws have
/// seen all that is found, or where modes say nothing of the posterior: too many coordinates, scales that collapse.
/// Models whose density is concave have no other mode.
std::optional<UnseenMode> find_unseen_mode(const LogPosterior& posterior, const SteinPoints& draws, std::uint64_t seed,
                                           ThreadPool& pool);

}  // namespace sgmcmc
