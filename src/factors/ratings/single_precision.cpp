// Mean and variance by Welford's recurrence, in double precision.
#include "factors/ratings/single_precision.hpp"

#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

void SinglePrecisionCheck::add(double rating) {
  ++count_;
  const double before = rating - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (rating - mean_);
  const double lost = rating - static_cast<double>(static_cast<float>(rating));
  lost_ += lost * lost;
  smallest_ = std::min(smallest_, rating);
  largest_ = std::max(largest_, rating);
}

void SinglePrecisionCheck::finish(const std::string& where) const {
  // The squares of tiny ratings are 0, so those that only look equal are recognised by their largest rounding error.
  const bool underflows = std::max(std::abs(smallest_), std::abs(largest_)) < std::numeric_limits<float>::min();
  if (count_ == 0 || smallest_ == largest_ || (!underflows && lost_ <= 1e-6 * squares_)) return;
  const double sd = std::sqrt(squares_ / static_cast<double>(count_));
  const std::string range =
      where + "the ratings are from " + formatted("%.12g", smallest_) + " to " + formatted("%.12g", largest_);
  if (underflows)
    throw DataError(range +
                    ", too close to 0 for single precision, in which they are stored. Multiply them by a constant");
  throw DataError(range + ", with a standard deviation of " + formatted("%.3g", sd) +
                  ", which single precision cannot hold. Subtract a constant, such as " + formatted("%.6g", mean_) +
                  ", from all ratings, and add it to the predictions");
}

StoredRating stored_rating(double rating) {
  const auto value = static_cast<float>(rating);
  if (!std::isfinite(rating)) return {0, "ratings must be finite"};
  if (!std::isfinite(value)) return {0, "ratings must be below 3.4e38, as they are stored in single precision"};
  return {value, ""};
}

}  // namespace sgmcmc
