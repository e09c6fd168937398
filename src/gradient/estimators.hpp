// Creates gradient estimators for a model.
#pragma once

#include "gradient/estimator.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/gradient.hpp>

#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// A point and the gradient of the full log posterior there; shared by the chains of a run.
struct Centre {
  std::vector<double> theta;
  std::vector<double> gradient;
};

/// Computes the gradient at theta with one pass over all rows. Throws ModelError if it is non-finite.
std::shared_ptr<const Centre> make_centre(const LogPosterior& posterior, std::span<const double> theta,
                                          const ExecutorOptions& options = {});

/// The estimator of one chain. `centre` is needed for control_variate only. The pool, if any, is used for full passes;
/// it may be shared by estimators that do not run at the same time.
std::unique_ptr<GradientEstimator> make_estimator(std::shared_ptr<const LogPosterior> posterior,
                                                  const GradientOptions& options, std::uint64_t seed,
                                                  std::uint32_t chain, std::shared_ptr<const Centre> centre = nullptr,
                                                  ThreadPool* pool = nullptr);

}  // namespace sgmcmc
