// Ratings that were held out, and how well they are predicted: by one draw, and by all draws since warm-up.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "factors/factor_state.hpp"

#include <sgmcmc/factorize.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class HeldOutRatings {
 public:
  HeldOutRatings(std::vector<Rating> ratings, double interval);

  std::uint64_t size() const { return ratings_.size(); }
  /// The root mean square error of this draw, which joins the average if asked; NaN where there are no ratings.
  double evaluate(const FactorState& draw, bool averaged, ThreadPool& pool);
  /// Of the draws averaged; NaN where there are none.
  FactorScores averaged() const;

  void visit_state(StateVisitor& visitor);

 private:
  std::vector<Rating> ratings_;
  double interval_;
  std::uint64_t draws_ = 0;
  std::vector<double> means_, log_densities_,
      below_;  // sums over draws: means, log of densities, distribution function
};

}  // namespace sgmcmc
