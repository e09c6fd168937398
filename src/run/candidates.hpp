// What is worth trying: step sizes from stable to slow, in the units of each sampler, minibatches of some sizes, and
// what samplers with momentum have beside; and how long a run is to be.
#pragma once

#include "run/setup.hpp"

#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

constexpr std::int64_t default_batch = 500;  // rows of a step, where nothing is said

struct Proposal {
  std::string method;
  SampleOptions options;
};

/// The sampler and the estimator in one word, as SampleOptions::method() reads it.
std::string method_name(const SampleOptions& options);

/// 1 / the largest curvature of the log posterior at theta, from part of the rows; 1 where none is found.
double stable_step(const LogPosterior& posterior, std::span<const double> theta, std::uint64_t seed, ThreadPool* pool);

/// About how many multiplications a full gradient takes: by counts, so that decisions made by it repeat.
double gradient_work(const LogPosterior& posterior);

/// One for each step size; thorough: and for each minibatch size, friction and length of trajectories that may be
/// tried. unit: what steps are multiples of, where the sampler does not measure them in units of the posterior.
std::vector<Proposal> proposals_for(const SampleOptions& options, std::int64_t rows, double unit,
                                    const TuneOptions& how, bool thorough);

/// Iterations and thin of a run that nobody set the length of: 20,000 steps of the cheapest kind, of other kinds as
/// many as cost the same, so that the worst of many posterior standard deviations is within some percent; at most
/// 10,000 draws a chain, and of many coordinates fewer, so that files stay at some 200 MB.
void choose_length(SampleOptions& options, double relative_cost, std::int64_t dimension);

}  // namespace sgmcmc
