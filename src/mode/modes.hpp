// The modes of a posterior that matter, found by searches from dispersed starts.
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

/// A place in the posterior, and scales there: searches start around it, and at `starts`.
struct Surroundings {
  std::vector<double> mean, sd;
  std::vector<std::vector<double>> starts = {};
};

/// The mode that a search from the mean ends at, then those that searches from elsewhere end at: from places as random
/// starts would be, and from places far from the mean in units of sd. The search uses some of the rows where there are
/// many. Nothing where modes tell nothing of the posterior: too many coordinates, scales that collapse, no mode within
/// reach of the mean. Models whose density is concave have one mode only, and are not searched.
std::vector<FoundMode> find_modes(const LogPosterior& posterior, const Surroundings& from, std::uint64_t seed,
                                  ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

/// Of the posterior, beside the other, by normal approximations of both.
double share_beside(const FoundMode& mode, const FoundMode& other);

/// As high and as wide: labels or signs that can be exchanged.
bool are_exchanged(const FoundMode& a, const FoundMode& b);

/// A mode with too small a share does not matter.
inline constexpr double least_share_of_mode = 0.02;

/// The modes that matter of several that were found.
struct SeveralModes {
  std::vector<FoundMode> modes;  ///< one of each set that can be exchanged; heaviest first
  std::vector<double> shares;    ///< of the posterior; add up to 1
  std::size_t found = 0;         ///< in all; 0 where one mode is all there is, or modes tell nothing
  bool exchanged = false;        ///< some are alike but for labels or signs

  std::string describe() const;  ///< "2 modes, which hold ..."; empty where none was found
};

/// Of the modes around the one given, with scales from the curvature there.
SeveralModes modes_that_matter(const LogPosterior& posterior, std::span<const double> mode, std::uint64_t seed,
                               ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

/// The mode at which each chain starts: every mode has a chain where there are enough of them, and the others go where
/// the share of the chains is most below that of the posterior.
std::vector<std::size_t> distribute_chains(std::span<const double> shares, std::size_t chains);

}  // namespace sgmcmc
