// Candidates for tuning: step sizes in the units of each sampler, minibatch sizes, friction and trajectory lengths; and
// the length of a run.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

// Default iterations per chain: enough for the worst of many posterior standard deviations to be accurate to a few
// percent; and, without a mode, for chains that must first find the posterior and mix as slowly as networks do.
constexpr std::uint64_t usual_iterations = 20'000, iterations_without_mode = 40'000;

struct Proposal {
  std::string method;
  SampleOptions options;
};

/// The method name, as SampleOptions::method() reads it.
std::string method_name(const SampleOptions& options);

/// 1 / the largest eigenvalue of the negative Hessian at theta, estimated from part of the rows; 1 if that fails.
/// `scale`: divides coordinates by its square roots; empty: no scaling.
double stable_step(const LogPosterior& posterior, std::span<const double> theta, std::uint64_t seed, ThreadPool* pool,
                   std::span<const double> scale = {}, std::int64_t most_rows = 20'000);

/// Approximate number of multiplications of a full gradient: counted, not timed, so that decisions are reproducible.
double gradient_work(const LogPosterior& posterior);

/// One candidate per step size; if thorough, also per minibatch size, friction and trajectory length. unit: unit of
/// step sizes, unless the sampler is preconditioned.
std::vector<Proposal> proposals_for(const SampleOptions& options, std::int64_t rows, double unit,
                                    const TuneOptions& how, bool thorough);

/// Default iterations and thin of a run: the given number of steps for the cheapest candidate, and for others as many
/// as cost the same; at most 10,000 draws per chain, and fewer with many coordinates, so that files stay at about 200
/// MB.
void choose_length(SampleOptions& options, double relative_cost, std::int64_t dimension,
                   std::uint64_t most_iterations = usual_iterations);

}  // namespace sgmcmc
