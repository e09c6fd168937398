// Whether ratings keep their differences in single precision, in which they are stored.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace sgmcmc {

/// Ratings that are far from 0 but close to one another, or tiny, lose their differences when they are rounded.
class SinglePrecisionCheck {
 public:
  void add(double rating);
  /// Throws DataError, beginning with `where`, if rounding errors exceed 1/1000 of the standard deviation.
  void finish(const std::string& where) const;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // of the ratings, before rounding
  double lost_ = 0;                // sum of squared rounding errors
  double smallest_ = std::numeric_limits<double>::infinity(), largest_ = -smallest_;
};

/// The rating as it is stored. complaint: why it cannot be, for messages; empty if it can.
struct StoredRating {
  float value = 0;
  std::string complaint;
};
StoredRating stored_rating(double rating);

}  // namespace sgmcmc
