// Bracketing line search (Lewis and Overton 2013, algorithm 2.6) with secant steps inside the bracket, and the
// approximate decrease test of Hager and Zhang (2005) if rounding hides the decrease of the value.
#include "optimise/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

constexpr double sufficient_decrease = 1e-4;
constexpr double sufficient_slope = 0.9;
constexpr double value_rounding = 1e-13;  // of sums over many rows, relative
constexpr int max_evaluations = 80;

bool decreases_enough(const LinePoint& start, const LinePoint& at) {
  if (at.value <= start.value + sufficient_decrease * at.step * start.slope) return true;
  const bool lost_in_rounding = at.value <= start.value + value_rounding * std::abs(start.value);
  return lost_in_rounding && at.slope <= (2.0 * sufficient_decrease - 1.0) * start.slope;
}

/// The secant step to zero slope, kept well inside the bracket; the midpoint if the slopes are misleading.
double inside(const LinePoint& low, const LinePoint& high) {
  const double width = high.step - low.step;
  const double secant = low.step - low.slope * width / (high.slope - low.slope);
  if (!(high.slope > low.slope) || !std::isfinite(secant)) return low.step + 0.5 * width;
  return std::clamp(secant, low.step + 0.1 * width, high.step - 0.1 * width);
}

}  // namespace

LineSearchResult search_line(const LinePoint& start, double first_step,
                             const std::function<LinePoint(double)>& evaluate) {
  LinePoint low = start;
  low.step = 0.0;
  LinePoint high;
  high.step = std::numeric_limits<double>::infinity();
  high.slope = -1.0;
  LinePoint at;
  double step = first_step;
  for (int count = 0; count < max_evaluations; ++count) {
    at = evaluate(step);
    at.step = step;
    if (!std::isfinite(at.value) || !std::isfinite(at.slope)) {
      high = {step, at.value, std::numeric_limits<double>::quiet_NaN()};
      step = low.step + 0.1 * (step - low.step);
      continue;
    }
    if (!decreases_enough(start, at)) {
      high = at;
    } else if (at.slope < sufficient_slope * start.slope) {
      low = at;
    } else {
      return {LineSearchOutcome::found, at};
    }
    if (std::isinf(high.step)) {
      const double secant = step * start.slope / (start.slope - at.slope);
      step = at.slope > start.slope ? std::clamp(secant, 2.0 * step, 10.0 * step) : 10.0 * step;
    } else {
      // Every third step is a bisection, so that the bracket shrinks even with misleading slopes.
      step = count % 3 == 2 ? 0.5 * (low.step + high.step) : inside(low, high);
    }
    if (!(step > low.step && step < high.step)) break;
  }
  // No Wolfe point found: accept a point that at least improved the value.
  if (low.step > 0.0 && low.value < start.value) return {LineSearchOutcome::found, evaluate(low.step)};
  return {high.slope >= 0.0 ? LineSearchOutcome::kink : LineSearchOutcome::failed, at};
}

}  // namespace sgmcmc
