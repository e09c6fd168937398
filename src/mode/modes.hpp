// Finds the relevant modes of a posterior by searches from dispersed starts.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

struct FoundMode {
  std::vector<double> theta;  ///< unconstrained
  double height = 0;          ///< log density
  double narrowness = 0;      ///< half the log determinant of minus the Hessian
};

/// A point in the posterior with scales: searches start around it, and at `starts`.
struct Surroundings {
  std::vector<double> mean, sd;
  std::vector<std::vector<double>> starts = {};
};

/// The mode found from the mean, then other modes, found from random starts and from points several sds away from the
/// mean. Searches use part of the rows if there are many. Empty if modes do not describe the posterior: too many
/// coordinates, collapsing scales, or no mode near the mean. Models with log-concave density have one mode and are not
/// searched.
std::vector<FoundMode> find_modes(const LogPosterior& posterior, const Surroundings& from, std::uint64_t seed,
                                  ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

/// Share of a mode in the posterior mass of two modes, by normal approximations.
double share_beside(const FoundMode& mode, const FoundMode& other);

/// Whether two modes are equally high and wide: from exchangeable labels or signs.
bool are_exchanged(const FoundMode& a, const FoundMode& b);

/// The share below which a mode is negligible.
inline constexpr double least_share_of_mode = 0.02;

/// The relevant ones of several modes.
struct SeveralModes {
  std::vector<FoundMode> modes;  ///< one of each exchangeable set; heaviest first
  std::vector<double> shares;    ///< of the posterior; add up to 1
  std::size_t found = 0;         ///< total number; 0 if there is one mode only, or modes do not describe the posterior
  bool exchanged = false;        ///< some differ only by labels or signs

  std::string describe() const;  ///< "2 modes, which hold ..."; empty if none was found
};

/// Searches around the given mode, with scales from the Hessian there.
SeveralModes modes_that_matter(const LogPosterior& posterior, std::span<const double> mode, std::uint64_t seed,
                               ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

/// The mode at which each chain starts: one chain per mode if there are enough, and further chains where the share of
/// the chains is most below that of the posterior.
std::vector<std::size_t> distribute_chains(std::span<const double> shares, std::size_t chains);

}  // namespace sgmcmc
