// Programs of models whose log likelihood of rows the caller computes: the prior by the plan, the rows by the caller.
#pragma once

#include "model/log_posterior.hpp"

#include <memory>

namespace sgmcmc {

/// Second derivatives are differences of gradients; gradients of single rows come from calls with one row, unless the
/// caller's each() is better. The executor calls the likelihood on the thread that runs it.
std::unique_ptr<Executor> make_given_executor(const LogPosterior& posterior, ProgramKind kind,
                                              const ExecutorOptions& options);

}  // namespace sgmcmc
