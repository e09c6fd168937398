// Doubles windows until their halves agree.
#include "chains/settling.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

// The first window has the same length in every run, so that an extended run equals a longer one.
constexpr std::uint64_t points_of_window = 128, first_window = 200, least_limit = 1000;
constexpr std::size_t most_coordinates = 200;
// A drift without noise gives 3.5, a random walk 1 to 3, n independent draws in each half about sqrt(2 / n).
constexpr double largest_difference = 1.0;  // between the means of the halves, in standard deviations within them

}  // namespace

Settling::Settling(std::size_t dimension, std::uint64_t iterations) : most_(std::max(least_limit, iterations)) {
  const std::size_t count = std::min(dimension, most_coordinates);
  for (std::size_t k = 0; k < count; ++k) chosen_.push_back(k * dimension / count);
  seen_.reserve(2 * points_of_window * count);
  begin_window(0, first_window);
}

void Settling::begin_window(std::uint64_t from, std::uint64_t length) {
  begin_ = from;
  end_ = from + length;
  stride_ = std::max<std::uint64_t>(1, length / points_of_window);
  seen_.clear();
}

void Settling::restart(std::uint64_t iteration) {
  if (!over()) begin_window(iteration, end_ - begin_);
}

void Settling::see(std::uint64_t iteration, std::span<const double> position) {
  if (over()) return;
  if ((iteration - begin_) % stride_ == 0)
    for (const std::size_t d : chosen_) seen_.push_back(position[d]);
  if (iteration < end_) return;
  settled_ = halves_agree();
  over_ = settled_ || 2 * end_ > most_;
  if (!over_) begin_window(end_, end_);
}

bool Settling::halves_agree() const {
  const std::size_t width = chosen_.size(), points = width ? seen_.size() / width : 0, half = points / 2;
  if (half < 2) return true;
  for (std::size_t k = 0; k < width; ++k) {
    double means[2] = {0, 0}, squares = 0;
    for (std::size_t p = 0; p < 2 * half; ++p) means[p / half] += seen_[p * width + k] / static_cast<double>(half);
    for (std::size_t p = 0; p < 2 * half; ++p) squares += std::pow(seen_[p * width + k] - means[p / half], 2);
    const double sd = std::sqrt(squares / static_cast<double>(2 * half - 2));
    if (!(std::abs(means[1] - means[0]) <= largest_difference * sd)) return false;
  }
  return true;
}

void Settling::visit_state(StateVisitor& visitor) {
  visitor.visit("settling_begin", begin_);
  visitor.visit("settling_end", end_);
  visitor.visit("settling_stride", stride_);
  visitor.visit("settling_over", over_);
  visitor.visit("settled", settled_);
  visitor.visit("settling_seen", seen_);
}

}  // namespace sgmcmc
