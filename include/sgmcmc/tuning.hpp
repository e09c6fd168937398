// Finding what nobody knows beforehand: step size, minibatch size and sampler, by short runs judged with Stein's
// identities.
//
// Candidates run side by side, and the better half goes on, until one is left (successive halving). What a candidate is
// judged by is the error the whole run would have with it: how far standard deviations and means are off, as the
// gradients it took at its own draws tell (<sgmcmc/stein.hpp>), and the Monte Carlo error of as many iterations as the
// run can afford. Steps too large fail by the first, steps too small by the second. Where no mode is known short runs
// tell little of that: method auto then takes sghmc with steps as long as the noise of gradients permits, measured by
// chains that go where the posterior is.
//
// The budget is counted in rows visited, never by the clock, unless a time is given: the same seed gives the same
// choice.
#pragma once

#include <sgmcmc/sample.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sgmcmc {

struct TuneOptions {
  double share = 0.3;             ///< of the rows that the run itself visits: what candidates may cost all together
  double seconds = 0;             ///< instead: about this long. 0: by `share`. The choice then depends on the machine.
  bool batch_size = true;         ///< try larger minibatches too
  bool friction = true;           ///< of sghmc, and diffusion of sgnht: try 0.1 too, where the sampler was named
  bool trajectory_length = true;  ///< of sghmc: try others too
  bool length = true;             ///< choose iterations and thin of method auto, where they are at their defaults
  bool warmup = true;             ///< choose it where it is 0 and method auto knows no mode

  void validate() const;  ///< throws OptionError naming the option
};

/// What was expected of a candidate after a round.
struct TuningPoint {
  std::uint64_t iterations = 0;  ///< that it had run for
  double error = 0;
};

struct TuningCandidate {
  std::string method;    ///< "sgld-cv"
  double step_size = 0;  ///< the mean over parameters, where they differ
  bool step_per_coordinate = false;
  std::int64_t batch_size = 0;
  std::uint32_t trajectory_length = 0;  ///< of sghmc
  double friction = 0;                  ///< of sghmc; diffusion of sgnht
  std::uint64_t iterations = 0;         ///< it ran for
  std::uint32_t rounds = 0;             ///< it survived; the winner all of them
  bool diverged = false;
  // In posterior standard deviations, root mean square over coordinates; NaN where it diverged.
  double sd_error = 0;              ///< of log sd, less what Monte Carlo error explains
  double mean_error = 0;            ///< likewise
  double monte_carlo = 0;           ///< of means and sds at the end of the run
  double score = 0;                 ///< the three together
  double autocorrelation_time = 0;  ///< iterations per independent draw
  double kernel_stein = 0;  ///< kernel Stein discrepancy of the last points, U-statistic: 0 where they are right
  /// Where no mode is known, and none of the errors above: the mean along its last iterations, by part of the rows. NaN
  /// elsewhere.
  double log_likelihood = std::numeric_limits<double>::quiet_NaN();
  std::vector<TuningPoint> course;  ///< by rounds, as far as it was in them and could be judged
  bool chosen = false;

  std::string name() const;  ///< "sghmc-cv L 5, 0.01": method, trajectory length, friction
};

struct TuningReport {
  std::vector<TuningCandidate> candidates;  ///< the chosen one first, then by rounds and score
  std::string why;                          ///< one or two sentences
  std::string mode;                         ///< how the search for the mode ended; empty where none was needed
  double rows_touched = 0;                  ///< by candidates
  double seconds = 0;

  /// A few lines for a terminal: the best `most_rows` candidates.
  std::string table(std::size_t most_rows = 6) const;

 private:
  std::string table_of_likelihoods() const;
};

struct Tuned {
  SampleOptions options;  ///< complete: sample() repeats the run from them
  TuningReport report;
};

/// Whether something is left to be found: a step size that is not set, or the method.
bool needs_tuning(const SampleOptions& options);

/// Fills in what is missing. Where nothing is, the options come back as they are. Throws DivergenceError with advice
/// where every candidate diverges.
Tuned tune(const Model& model, const SampleOptions& options, const TuneOptions& how = {});

}  // namespace sgmcmc
