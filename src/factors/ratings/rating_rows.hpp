// Ratings by rows of one side: those of each user, or of each item, are contiguous; and the split into training and
// held-out ratings.
#pragma once

#include <sgmcmc/ratings.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Compressed rows. Within a row ratings keep the order of the list they are made from.
struct RatingRows {
  std::vector<std::uint64_t> start;  ///< of each row, and the end of the last
  std::vector<std::uint32_t> other;  ///< the item of a rating of a user, or the user of one of an item
  std::vector<float> value;

  std::size_t rows() const { return start.size() - 1; }
  std::uint64_t size() const { return other.size(); }

  static RatingRows by_user(std::span<const Rating> ratings, std::uint32_t users);
  static RatingRows by_item(std::span<const Rating> ratings, std::uint32_t items);
};

struct RatingSplit {
  std::vector<Rating> training, held_out;
};
/// Holds out a random share of the ratings, rounded, but leaves at least one for training. Depends on the seed only.
RatingSplit split_ratings(std::span<const Rating> ratings, double held_out, std::uint64_t seed);

}  // namespace sgmcmc
