// What is worth trying: step sizes from stable to slow, in the units of each sampler, minibatches of some sizes, and
// what samplers with momentum have beside; and how long a run is to be.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

// Of a chain: so that the worst of many posterior standard deviations is within some percent; and where it has to find
// the posterior first, and mixes as slowly as networks do.
constexpr std::uint64_t usual_iterations = 20'000, iterations_without_mode = 40'000;

struct Proposal {
  std::string method;
  SampleOptions options;
};

/// The sampler and the estimator in one word, as SampleOptions::method() reads it.
std::string method_name(const SampleOptions& options);

/// 1 / the largest curvature of the log posterior at theta, from part of the rows; 1 where none is found. scale: in
/// coordinates divided by its roots; empty: as they are.
double stable_step(const LogPosterior& posterior, std::span<const double> theta, std::uint64_t seed, ThreadPool* pool,
                   std::span<const double> scale = {}, std::int64_t most_rows = 20'000);

/// About how many multiplications a full gradient takes: by counts, so that decisions made by it repeat.
double gradient_work(const LogPosterior& posterior);

/// One for each step size; thorough: and for each minibatch size, friction and length of trajectories that may be
/// tried. unit: what steps are multiples of, where the sampler does not measure them in units of the posterior.
std::vector<Proposal> proposals_for(const SampleOptions& options, std::int64_t rows, double unit,
                                    const TuneOptions& how, bool thorough);

/// Iterations and thin of a run that nobody set the length of: as many steps of the cheapest kind as said, of other
/// kinds as many as cost the same; at most 10,000 draws a chain, and of many coordinates fewer, so that files stay at
/// some 200 MB.
void choose_length(SampleOptions& options, double relative_cost, std::int64_t dimension,
                   std::uint64_t most_iterations = usual_iterations);

}  // namespace sgmcmc
