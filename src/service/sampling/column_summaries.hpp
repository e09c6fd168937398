// Summarises columns during sampling, without keeping their draws.
#pragma once

#include "draws/batch_moments.hpp"
#include "draws/running_quantiles.hpp"

#include <sgmcmc/diagnose.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

class StateVisitor;

/// Takes every draw and keeps about 180 numbers per column and chain. Different chains may add draws concurrently.
class ColumnSummaries {
 public:
  void begin(std::size_t columns, std::size_t chains);
  void add(std::size_t chain, std::span<const double> values, double weight);
  void visit_state(std::size_t chain, StateVisitor& visitor);

  /// The summary of each column. Means and standard deviations are exact; quantiles are from a t-digest. R-hat compares
  /// half chains without rank normalisation; ess_bulk is the effective sample size of the mean by batch means; ess_tail
  /// is NaN.
  std::vector<QuantitySummary> summaries() const;

 private:
  std::size_t columns_ = 0;
  std::vector<BatchMoments> moments_;  // by chain
  std::vector<RunningQuantiles> quantiles_;
};

}  // namespace sgmcmc
