// Sorts ratings by rows in two passes, and chooses the held-out ratings.
#include "factors/ratings/rating_rows.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace sgmcmc {

namespace {

template <class Row, class Other>
RatingRows compressed(std::span<const Rating> ratings, std::uint32_t rows, Row row, Other other) {
  RatingRows result;
  result.start.assign(rows + std::size_t{1}, 0);
  result.other.resize(ratings.size());
  result.value.resize(ratings.size());
  for (const Rating& rating : ratings) ++result.start[row(rating) + std::size_t{1}];
  for (std::size_t i = 1; i < result.start.size(); ++i) result.start[i] += result.start[i - 1];
  std::vector<std::uint64_t> next(result.start.begin(), result.start.end() - 1);
  for (const Rating& rating : ratings) {
    const std::uint64_t at = next[row(rating)]++;
    result.other[at] = other(rating);
    result.value[at] = rating.value;
  }
  return result;
}

}  // namespace

RatingRows RatingRows::by_user(std::span<const Rating> ratings, std::uint32_t users) {
  return compressed(
      ratings, users, [](const Rating& r) { return r.user; }, [](const Rating& r) { return r.item; });
}

RatingRows RatingRows::by_item(std::span<const Rating> ratings, std::uint32_t items) {
  return compressed(
      ratings, items, [](const Rating& r) { return r.item; }, [](const Rating& r) { return r.user; });
}

RatingSplit split_ratings(std::span<const Rating> ratings, double held_out, std::uint64_t seed) {
  const auto wanted = static_cast<std::uint64_t>(std::llround(held_out * static_cast<double>(ratings.size())));
  std::uint64_t left = ratings.empty() ? 0 : std::min<std::uint64_t>(wanted, ratings.size() - 1);
  RatingSplit split;
  split.held_out.reserve(left);
  split.training.reserve(ratings.size() - left);
  std::array<double, 1024> uniforms;
  // Each rating is taken with the probability that as many as are still wanted are among those still to come.
  for (std::uint64_t i = 0; i < ratings.size(); ++i) {
    if (i % uniforms.size() == 0) fill_uniform({seed, 0, 0, Purpose::minibatch}, uniforms, i);
    const bool taken =
        uniforms[i % uniforms.size()] * static_cast<double>(ratings.size() - i) < static_cast<double>(left);
    (taken ? split.held_out : split.training).push_back(ratings[i]);
    if (taken) --left;
  }
  return split;
}

}  // namespace sgmcmc
