// Executors for models whose row log likelihood is the caller's code: the plan evaluates the prior, the caller the
// rows.
#pragma once

#include "model/log_posterior.hpp"

#include <memory>

namespace sgmcmc {

/// Second derivatives are finite differences of gradients. Per-row gradients come from one call per row, unless the
/// caller overrides each(). The likelihood is called on the thread that runs the executor.
std::unique_ptr<Executor> make_given_executor(const LogPosterior& posterior, ProgramKind kind,
                                              const ExecutorOptions& options);

}  // namespace sgmcmc
