// Modes beside that of the draws: chains that agree on one of several look perfect.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stein.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace sgmcmc {

/// One that the draws have not seen, else the heaviest that they have. Nothing where no other mode matters, or where
/// modes tell nothing of the posterior. apart: chains that disagree, whose draws follow one another; searches start
/// at a draw of each, too. Once the flag is set, ends with nothing.
std::optional<OtherMode> find_other_mode(const LogPosterior& posterior, const SteinPoints& draws, std::uint64_t seed,
                                         ThreadPool& pool, std::size_t apart = 0,
                                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
