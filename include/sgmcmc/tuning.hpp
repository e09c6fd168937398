// Automatic tuning of step size, minibatch size and sampler, by short runs judged with Stein's identities.
//
// Candidates run in rounds; the better half continues, until one is left (successive halving). A candidate is scored by
// the error that the whole run would have with it: the bias of standard deviations and means, estimated from the
// gradients at its own draws (<sgmcmc/stein.hpp>), and the Monte Carlo error after as many iterations as the run can
// afford. Large steps fail by the first, small steps by the second. If no mode is known, short runs cannot estimate
// these errors: method auto then uses sghmc with the largest step size that the measured gradient noise permits.
//
// Unless a time is given, the budget is counted in rows visited, so that the same seed gives the same choice.
#pragma once

#include <sgmcmc/sample.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sgmcmc {

struct TuneOptions {
  double share = 0.3;      ///< budget of all candidates, as a share of the rows that the run visits
  double seconds = 0;      ///< time budget instead, approximate; the choice then depends on the machine. 0: use `share`
  bool batch_size = true;  ///< also try larger minibatches
  bool friction = true;    ///< of sghmc, and diffusion of sgnht: also try 0.1, if the user chose the sampler
  bool trajectory_length = true;  ///< of sghmc: also try others
  bool length = true;             ///< method auto: choose iterations and thin, if at their defaults
  bool warmup = true;             ///< method auto without a mode: choose warm-up, if 0

  void validate() const;  ///< throws OptionError naming the option
};

/// The score of a candidate after a round.
struct TuningPoint {
  std::uint64_t iterations = 0;  ///< iterations run so far
  double error = 0;
};

struct TuningCandidate {
  std::string method;    ///< "sgld-cv"
  double step_size = 0;  ///< mean over parameters
  bool step_per_coordinate = false;
  std::int64_t batch_size = 0;
  std::uint32_t trajectory_length = 0;  ///< of sghmc
  double friction = 0;                  ///< of sghmc; diffusion of sgnht
  std::uint64_t iterations = 0;         ///< iterations run
  std::uint32_t rounds = 0;             ///< rounds survived
  bool diverged = false;
  // Errors in posterior standard deviations, root mean square over coordinates; NaN if it diverged.
  double sd_error = 0;              ///< bias of log sd, corrected for Monte Carlo error
  double mean_error = 0;            ///< bias of means, likewise
  double monte_carlo = 0;           ///< Monte Carlo error of means and sds at the end of the run
  double score = 0;                 ///< combines the three
  double autocorrelation_time = 0;  ///< iterations per independent draw
  /// Kernel Stein discrepancy of the last points, U-statistic: expectation 0 for draws from the posterior.
  double kernel_stein = 0;
  /// If no mode is known, instead of the errors above: mean log likelihood over the last iterations, from a part of the
  /// rows. Else NaN.
  double log_likelihood = std::numeric_limits<double>::quiet_NaN();
  std::vector<TuningPoint> course;  ///< one point per round in which it ran and could be scored
  bool chosen = false;

  std::string name() const;  ///< "sghmc-cv L 5, 0.01": method, trajectory length, friction
};

struct TuningReport {
  std::vector<TuningCandidate> candidates;  ///< the chosen one first, then by rounds and score
  std::string why;                          ///< one or two sentences
  std::string mode;                         ///< how the search for the mode ended; empty if none was needed
  double rows_touched = 0;                  ///< by candidates
  double seconds = 0;

  /// A few lines for a terminal: the best `most_rows` candidates.
  std::string table(std::size_t most_rows = 6) const;

 private:
  std::string table_of_likelihoods() const;
};

struct Tuned {
  SampleOptions options;  ///< complete: sample() with these options repeats the run
  TuningReport report;
};

/// Whether the step size or the method is not set.
bool needs_tuning(const SampleOptions& options);

/// Chooses the options that are not set; returns the others unchanged. Throws DivergenceError with advice if every
/// candidate diverges.
Tuned tune(const Model& model, const SampleOptions& options, const TuneOptions& how = {});

}  // namespace sgmcmc
