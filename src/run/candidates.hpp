// What is worth trying: step sizes from stable to slow, in the units of each sampler, and minibatches of two sizes.
#pragma once

#include "run/setup.hpp"

#include <sgmcmc/sample.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

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

/// One for each step size, and each minibatch size where larger ones may be tried. unit: what steps are multiples of,
/// where the sampler does not measure them in units of the posterior.
std::vector<Proposal> proposals_for(const SampleOptions& options, std::int64_t rows, double unit, bool larger_batches);

}  // namespace sgmcmc
