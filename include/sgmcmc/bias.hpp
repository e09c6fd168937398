// Whether the draws of a run are wrong although its chains agree: Stein diagnostics, gradient noise, and a verdict.
//
// Chains of a stochastic gradient sampler whose steps are too large, or whose gradients are too noisy, agree with one
// another and forget their start quickly: R-hat and effective sample sizes look perfect, and standard deviations are
// off. Gradients of the log posterior at the draws tell (<sgmcmc/stein.hpp>), at a price that is far below that of the
// run.
#pragma once

#include <sgmcmc/draws.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/stein.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// How the gradients at the draws are found.
enum class DrawGradients : std::uint8_t {
  automatic,        ///< full where that is cheap
  full,             ///< every row at every draw
  control_variate,  ///< around the mean of the draws, an independent minibatch for each draw
};

struct BiasOptions {
  std::size_t most_draws = 2000;  ///< more are thinned evenly; fewer are looked at beyond 10,000 coordinates
  DrawGradients gradients = DrawGradients::automatic;
  std::int64_t batch_size = 0;           ///< of control variates; 0: chosen so that their noise hardly matters
  double most_passes = 200;              ///< what the gradients at the draws may cost at most, in passes over all rows
  double most_full_passes = 2000;        ///< the same for full gradients where these are a matter of a second or two
  std::uint64_t halving_iterations = 0;  ///< run each chain on for so many at half the step; 0: no such check
  SteinKernelOptions kernel;
  FiniteSetOptions finite_set;
  std::uint64_t seed = 1;
  int threads = 0;     ///< 0: all there are. Never changes results.
  std::string remedy;  ///< what to do about coordinates that are off; empty: what suits the sampler

  // What the verdict lets pass: standard deviations relative to those of the posterior, means in units of them.
  double sd_harmless = 0.05;   ///< nobody minds
  double sd_tolerance = 0.12;  ///< estimates beyond this are not trusted
  double sd_wrong = 0.20;      ///< beyond this, draws are wrong
  double mean_harmless = 0.10;
  double mean_tolerance = 0.25;
  double mean_wrong = 0.40;

  void validate() const;  ///< throws OptionError naming the option
};

enum class Trust : std::uint8_t { trust, caution, do_not_trust, cannot_tell };
std::string_view trust_words(Trust trust);  ///< "trust", "caution", "do not trust", "cannot tell"

/// What is known of one unconstrained coordinate.
struct CoordinateBias {
  std::string name;
  CoordinateMoments moments;
  double rhat = 0, ess = 0;  ///< of the draws looked at
  /// Variance that the noise of the gradient estimates adds in a step (a trajectory, for sghmc), divided by that of the
  /// noise the sampler itself injects. 0 for full gradients; NaN where it is not known.
  double noise_ratio = 0;
  /// sgld on a normal target with the precision found: its standard deviation over that of the target, as the step and
  /// the gradient noise make it, and as the step alone would. NaN where not known, infinite where it would diverge.
  double predicted_sd_ratio = 0;
  double predicted_from_step = 0;
  Trust trust = Trust::cannot_tell;
  std::string advice;  ///< one sentence; empty where there is nothing to say
};

/// Draws at half the step, from where the chains ended, beside the draws of the run.
struct HalvingCoordinate {
  double log_sd_change = 0, log_sd_change_error = 0;  ///< log of sd at half the step / sd of the run
  double mean_change = 0, mean_change_error = 0;      ///< in standard deviations of the run
};
struct HalvingCheck {
  std::uint64_t iterations = 0;  ///< of each chain; the first half is dropped
  std::vector<HalvingCoordinate> coordinates;
};

struct Verdict {
  Trust trust = Trust::cannot_tell;
  std::vector<std::string> sentences;  ///< the first says what to think of the draws, the others why and what to do
  bool smaller_step = false;           ///< the draws are not to be trusted, and smaller steps would mend some of it
};

/// How slowly the log density falls, far from the draws.
enum class SlowTail : std::uint8_t {
  flat,     ///< not at all: there is no posterior
  no_mean,  ///< too slowly for a mean, and so for a standard deviation
  no_sd,    ///< too slowly for a standard deviation
};
struct SlowDirection {
  SlowTail kind = SlowTail::flat;
  std::vector<std::string> names;  ///< of the coordinates that change along it, most first
};

/// Above it, chains are in different places.
inline constexpr double rhat_of_chains_apart = 1.1;

/// A mode beside that of the draws.
struct OtherMode {
  double share = 0;           ///< of the posterior, beside the mode of the draws, by normal approximations of both
  double share_of_draws = 0;  ///< of those closer to it than to the mode of the draws
  bool unseen = false;        ///< no chain, or hardly any, has seen it
  bool exchanged = false;     ///< as high and as wide as the mode of the draws: labels or signs that can be exchanged
};

/// Elements of parameters that can be exchanged, or change their signs, without changing the likelihood.
struct Exchangeable {
  std::vector<std::string> names;  ///< of the parameters that change together
  bool signs = false;              ///< signs, not places
};

struct BiasReport {
  std::size_t draws = 0;   ///< of all chains
  std::size_t points = 0;  ///< at which gradients were taken
  std::size_t chains = 0;
  std::size_t dropped = 0;  ///< draws left out: on the border of a constraint, or without a finite gradient
  bool full_gradients = true;
  std::int64_t batch_size = 0;  ///< rows per draw; all where gradients are full
  double rows_touched = 0;      ///< by everything done here
  double passes = 0;            ///< the same, in passes over all rows; 0 where there are none
  double seconds = 0;
  double worst_rhat = 0, least_ess = 0;  ///< of the parameters, all draws
  std::string worst_rhat_name, least_ess_name;
  SteinDiscrepancy kernel;
  FiniteSetDiscrepancy finite_set;
  bool jointly = false;  ///< coordinates were looked at together; else one by one
  std::vector<CoordinateBias> coordinates;
  std::optional<SlowDirection> slow;         ///< the slowest there is, if any is too slow
  std::optional<Exchangeable> exchangeable;  ///< looked for where chains disagree
  std::optional<OtherMode> other_mode;       ///< the one unseen, or the heaviest
  /// Posterior means by linear control variates, from the draws looked at and the gradients there: of every column of
  /// the draws, in their order; empty with more than 200 coordinates.
  std::vector<ZeroVarianceEstimate> zero_variance;
  std::optional<double> step_within_five_percent;  ///< factor of the step size, where sgld can be predicted
  std::optional<HalvingCheck> halving;
  Verdict verdict;
};

/// `run`: the options the draws were made with. The draws hold the parameters of the model, on the constrained scale
/// and by their names, and whatever else. Throws DataError where a parameter is missing or nothing is left to look at.
BiasReport diagnose_bias(const Model& model, const SampleOptions& run, const MemoryDraws& draws,
                         const BiasOptions& options = {});

/// Whether the step size of a sampler shows in its draws: not of exact ones, nor of sgfs, which
/// has none.
bool step_shows(const SamplerOptions& sampler);

/// Judges each coordinate, then the draws: fills in trust, advice and verdict of a report that has everything else.
void judge(BiasReport& report, const SampleOptions& run, const BiasOptions& options = {});

/// Coordinates, the gravest first, then by how far they are off.
std::vector<const CoordinateBias*> worst_first(const BiasReport& report);

}  // namespace sgmcmc
