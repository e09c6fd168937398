// A line search for weak Wolfe points by bracketing: works at kinks, and backtracks from non-finite values.
#pragma once

#include <cstdint>
#include <functional>

namespace sgmcmc {

/// Value and slope of the function to MINIMISE along a line.
struct LinePoint {
  double step = 0.0;
  double value = 0.0;
  double slope = 0.0;
};

enum class LineSearchOutcome : std::uint8_t {
  found,
  kink,    ///< the slope reverses at negligible steps: the function is not smooth at the start
  failed,  ///< the value rises at negligible steps although the slope is negative
};

struct LineSearchResult {
  LineSearchOutcome outcome = LineSearchOutcome::failed;
  LinePoint point;  ///< the last point evaluated; on success the accepted one
};

/// start: value and slope at step 0, slope < 0. evaluate(step) returns the point there, with a non-finite value or
/// slope if the function is not defined. The last step evaluated is the accepted one.
LineSearchResult search_line(const LinePoint& start, double first_step,
                             const std::function<LinePoint(double)>& evaluate);

}  // namespace sgmcmc
