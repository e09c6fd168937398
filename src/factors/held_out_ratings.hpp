// Ratings that were held out, and how well they are predicted: by one draw, by all draws since warm-up, and compared
// with the mean of the training ratings. A sample of the training ratings is treated in the same way.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "factors/factor_state.hpp"
#include "factors/observation_law.hpp"

#include <sgmcmc/factorize.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sgmcmc {

/// Errors of predictions, compared with those of a constant.
struct RelativeError {
  double ratio = std::numeric_limits<double>::quiet_NaN();  ///< of root mean square errors; NaN: cannot be compared
  /// The constant is better by 5 % and more than three standard errors of the mean squared errors, or by half.
  bool is_worse = false;
  /// All ratings equal the constant, which has no error: in its place is half of the constant, or 0.5 for 0, for
  /// Bernoulli observations and for logarithms.
  bool all_equal = false;
};

class HeldOutRatings {
 public:
  HeldOutRatings(std::vector<Rating> ratings, double interval, const ObservationLaw& law);

  std::uint64_t size() const { return ratings_.size(); }
  /// The root mean square error of this draw, which joins the average if asked; NaN where there are no ratings.
  double evaluate(const FactorState& draw, bool averaged, ThreadPool& pool);
  /// Of the draws averaged; NaN where there are none.
  FactorScores averaged() const;
  /// Of the draws averaged, compared with a constant. Stable observations have no variance: of logarithms, up to the
  /// mean of their errors.
  RelativeError compared_with(double constant) const;

  void visit_state(StateVisitor& visitor);

 private:
  double evaluate_block(std::size_t block, const FactorState& draw, bool averaged);  ///< the sum of squared errors

  std::vector<Rating> ratings_;
  ObservationLaw law_;
  double interval_;
  std::uint64_t draws_ = 0;
  std::vector<double> means_, log_densities_,
      below_;  // sums over draws: means, log of densities, distribution function
};

}  // namespace sgmcmc
