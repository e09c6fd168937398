// Detects biased draws even if the chains agree: Stein diagnostics, gradient noise, and a verdict.
//
// Chains of a stochastic gradient sampler whose steps are too large, or whose gradients are too noisy, agree with one
// another and forget their start quickly: R-hat and effective sample sizes look perfect, but standard deviations are
// wrong. Gradients of the log posterior at the draws reveal this (<sgmcmc/stein.hpp>), at a small fraction of the cost
// of the run.
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

/// How the gradients at the draws are computed.
enum class DrawGradients : std::uint8_t {
  automatic,        ///< full if that is cheap
  full,             ///< all rows at every draw
  control_variate,  ///< around the mean of the draws, an independent minibatch for each draw
};

struct BiasOptions {
  std::size_t most_draws = 2000;  ///< more are thinned evenly; beyond 10,000 coordinates the limit is lower
  DrawGradients gradients = DrawGradients::automatic;
  std::int64_t batch_size = 0;           ///< of control variates; 0: chosen so that their noise is negligible
  double most_passes = 200;              ///< maximum cost of the gradients at the draws, in passes over all rows
  double most_full_passes = 2000;        ///< the same for full gradients that take only a second or two
  std::uint64_t halving_iterations = 0;  ///< per chain, at half the step size; 0: skip this check
  SteinKernelOptions kernel;
  FiniteSetOptions finite_set;
  std::uint64_t seed = 1;
  int threads = 0;     ///< 0: all processors. Does not affect results
  std::string remedy;  ///< advice for biased coordinates; empty: advice that suits the sampler

  // Tolerances of the verdict: relative errors of standard deviations, and errors of means in posterior standard
  // deviations.
  double sd_harmless = 0.05;   ///< errors below this are harmless
  double sd_tolerance = 0.12;  ///< estimates beyond this are not trusted
  double sd_wrong = 0.20;      ///< beyond this, draws are wrong
  double mean_harmless = 0.10;
  double mean_tolerance = 0.25;
  double mean_wrong = 0.40;

  void validate() const;  ///< throws OptionError naming the option
};

enum class Trust : std::uint8_t { trust, caution, do_not_trust, cannot_tell };
std::string_view trust_words(Trust trust);  ///< "trust", "caution", "do not trust", "cannot tell"

/// Results for one unconstrained coordinate.
struct CoordinateBias {
  std::string name;
  CoordinateMoments moments;
  double rhat = 0, ess = 0;  ///< of the draws examined
  /// Variance that gradient noise adds in a step (for sghmc, a trajectory), divided by the variance of the injected
  /// noise. 0 for full gradients; NaN if unknown.
  double noise_ratio = 0;
  /// Standard deviation of sgld relative to that of the target, for a normal target of the estimated precision: due to
  /// step size and gradient noise, and due to step size alone. NaN if unknown, infinite if it would diverge.
  double predicted_sd_ratio = 0;
  double predicted_from_step = 0;
  Trust trust = Trust::cannot_tell;
  std::string advice;  ///< one sentence; may be empty
};

/// Compares draws at half the step size, continued from the ends of the chains, with the draws of the run.
struct HalvingCoordinate {
  double log_sd_change = 0, log_sd_change_error = 0;  ///< log of sd at half the step / sd of the run
  double mean_change = 0, mean_change_error = 0;      ///< in standard deviations of the run
};
struct HalvingCheck {
  std::uint64_t iterations = 0;  ///< of each chain; the first half is discarded
  std::vector<HalvingCoordinate> coordinates;
};

struct Verdict {
  Trust trust = Trust::cannot_tell;
  std::vector<std::string> sentences;  ///< the first states the verdict, the others reasons and advice
  bool smaller_step = false;           ///< the draws are not trustworthy, and a smaller step size would help
};

/// How slowly the log density decays in the tails.
enum class SlowTail : std::uint8_t {
  flat,     ///< not at all: the posterior is improper
  no_mean,  ///< too slowly for a mean, and so for a standard deviation
  no_sd,    ///< too slowly for a standard deviation
};
struct SlowDirection {
  SlowTail kind = SlowTail::flat;
  std::vector<std::string> names;  ///< coordinates that change along this direction, largest change first
};

/// Above this R-hat, chains are in different places.
inline constexpr double rhat_of_chains_apart = 1.1;

/// A mode other than that of the draws.
struct OtherMode {
  double share = 0;           ///< of the posterior mass of both modes, by normal approximations
  double share_of_draws = 0;  ///< share of the draws closer to this mode than to their own
  bool unseen = false;        ///< the chains visited it never or hardly ever
  bool exchanged = false;     ///< as high and wide as the mode of the draws: from exchangeable labels or signs
};

/// Elements of parameters that can be permuted, or change sign, without changing the likelihood.
struct Exchangeable {
  std::vector<std::string> names;  ///< of the parameters that change together
  bool signs = false;              ///< sign changes, not permutations
};

/// A jump of the log density, which gradients do not show.
struct Jump {
  double size = 0;                 ///< between two draws
  std::vector<std::string> names;  ///< coordinates that cause it, if few
};

struct BiasReport {
  std::size_t draws = 0;   ///< of all chains
  std::size_t points = 0;  ///< number of draws at which gradients were computed
  std::size_t chains = 0;
  std::size_t dropped = 0;  ///< draws omitted: on the boundary of a constraint, or with a non-finite gradient
  bool full_gradients = true;
  std::int64_t batch_size = 0;  ///< rows per draw; all rows for full gradients
  double rows_touched = 0;      ///< rows visited by the diagnosis
  double passes = 0;            ///< the same, in passes over all rows; 0 if there are no rows
  double seconds = 0;
  double worst_rhat = 0, least_ess = 0;  ///< of the parameters, all draws
  std::string worst_rhat_name, least_ess_name;
  SteinDiscrepancy kernel;
  FiniteSetDiscrepancy finite_set;
  bool jointly = false;  ///< coordinates were analysed jointly; else one by one
  std::vector<CoordinateBias> coordinates;
  std::optional<SlowDirection> slow;         ///< the direction of slowest decay, if too slow
  std::optional<Exchangeable> exchangeable;  ///< searched for if chains disagree
  std::optional<OtherMode> other_mode;       ///< an unseen mode, else the heaviest
  double impossible = 0;                     ///< share of the draws at which the density is zero
  std::optional<Jump> jump;                  ///< looked for if the sampler relies on gradients alone
  /// Zero-variance posterior means (linear control variates) from the draws examined and their gradients, one per
  /// column of the draws; empty with more than 200 coordinates.
  std::vector<ZeroVarianceEstimate> zero_variance;
  std::optional<double> step_within_five_percent;  ///< factor for the step size, if the bias of sgld can be predicted
  std::optional<HalvingCheck> halving;
  Verdict verdict;
};

/// `run`: the options the draws were made with. The draws must contain the parameters of the model by name, on the
/// constrained scale, and may contain other variables. Throws DataError if a parameter is missing or no usable draw is
/// left.
BiasReport diagnose_bias(const Model& model, const SampleOptions& run, const MemoryDraws& draws,
                         const BiasOptions& options = {});

/// Whether the step size of a sampler biases its draws: false for exact samplers, and for sgfs, which has none.
bool step_shows(const SamplerOptions& sampler);

/// Judges each coordinate, then the draws: fills in trust, advice and verdict of an otherwise complete report.
void judge(BiasReport& report, const SampleOptions& run, const BiasOptions& options = {});

/// Coordinates, the least trustworthy first, then by size of the error.
std::vector<const CoordinateBias*> worst_first(const BiasReport& report);

}  // namespace sgmcmc
