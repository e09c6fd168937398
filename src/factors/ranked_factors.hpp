// A factorisation on several ranks: rank 0 runs it, and the others hold their share of the ratings and follow.
#pragma once

#include "base/thread_pool.hpp"
#include "factors/factor_chain.hpp"
#include "ranks/communicator.hpp"

#include <sgmcmc/factorize.hpp>

#include <memory>
#include <span>

namespace sgmcmc {

/// Throws OptionError or DataError for what a run cannot be made of, before it begins.
void check_factorization(const Ratings& ratings, const FactorOptions& options, const Ratings* test,
                         const FactorFeatures& features);

/// factorize() on rank 0. ranks: those that take part, which call serve_factor_chain() at this time; null: one process.
FactorResult factorize_on_ranks(const Ratings& ratings, const FactorOptions& options, const Ratings* test,
                                const FactorFeatures& features, Communicator* ranks);

/// On rank 0: sends each rank its share of the ratings, all of which `own` has, and returns the chain of all. When it
/// goes out of scope, the other ranks are done.
std::unique_ptr<FactorChain> lead_factor_chain(Communicator& ranks, FactorShare own, FactorSize size,
                                               const FactorOptions& options, ThreadPool& pool);

/// On other ranks: takes part until rank 0 is done. Throws RankError if this rank cannot compute the same numbers.
void serve_factor_chain(Communicator& ranks);

}  // namespace sgmcmc
