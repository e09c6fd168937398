// Documents of a batch on several ranks: rank 0 sends each a part of the batch with the probabilities of its words, and
// receives the counts.
//
// Other ranks keep nothing from one batch to the next and need no files. Counts are integers and every document has
// random numbers of its own, so the counts of a batch do not depend on the ranks.
#pragma once

#include "ranks/communicator.hpp"

#include <sgmcmc/lda.hpp>

namespace sgmcmc {

/// fit_lda() on rank 0. ranks: those that take part, which call serve_documents() at this time; null: one process.
LdaResult fit_lda_on_ranks(const Corpus& corpus, const LdaOptions& options, Communicator* ranks);

/// On ranks other than 0: samples documents until rank 0 is done (BatchGibbs::share_with). Throws RankError if this
/// rank cannot compute the same counts.
void serve_documents(Communicator& ranks);

}  // namespace sgmcmc
