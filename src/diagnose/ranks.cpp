// Ranks, normal scores and quantiles of draws.
#include "diagnose/ranks.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sgmcmc {

SortedDraws sort_draws(std::span<const double> values) {
  SortedDraws sorted;
  sorted.entries.resize(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) sorted.entries[k] = {values[k], static_cast<std::uint32_t>(k)};
  std::sort(sorted.entries.begin(), sorted.entries.end(),
            [](const auto& a, const auto& b) { return a.value < b.value; });
  return sorted;
}

SortedDraws fold_draws(const SortedDraws& sorted, double centre) {
  const auto& from = sorted.entries;
  const auto middle = std::partition_point(from.begin(), from.end(), [&](const auto& e) { return e.value < centre; });
  auto above = static_cast<std::size_t>(middle - from.begin());
  std::size_t below = above;  // the nearest entry is the one before `below`
  SortedDraws folded;
  folded.entries.reserve(from.size());
  while (below > 0 || above < from.size()) {
    const bool take_below =
        above == from.size() || (below > 0 && centre - from[below - 1].value < from[above].value - centre);
    const auto& entry = take_below ? from[--below] : from[above++];
    folded.entries.push_back({std::abs(entry.value - centre), entry.position});
  }
  return folded;
}

double NormalScores::at(double rank) const {
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const double probability = (rank - 0.375) / (static_cast<double>(size_) + 0.25);
  // Computed from the nearer end, so that both tails are equally precise.
  return probability <= 0.5 ? -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * probability, Policy())
                            : std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * (1.0 - probability), Policy());
}

std::vector<double> NormalScores::of(const SortedDraws& sorted, std::span<const double> weights) {
  const auto& entries = sorted.entries;
  if (size_ != entries.size()) {
    size_ = entries.size();
    lower_.resize(size_ / 2);
    for (std::size_t k = 0; k < lower_.size(); ++k) lower_[k] = at(static_cast<double>(k + 1));
  }
  double total = 0.0, below = 0.0;
  for (const double w : weights) total += w;
  std::vector<double> scores(size_);
  for (std::size_t begin = 0, end = 0; begin < size_; begin = end) {
    double group = 0.0;
    while (end < size_ && entries[end].value == entries[begin].value) {
      if (!weights.empty()) group += weights[entries[end].position];
      ++end;
    }
    double score = 0.0;
    if (!weights.empty()) {
      score = at(static_cast<double>(size_) * (below + 0.5 * group) / total + 0.5);
      below += group;
    } else if (end == begin + 1 && begin < lower_.size()) {
      score = lower_[begin];
    } else if (end == begin + 1 && size_ - end < lower_.size()) {
      score = -lower_[size_ - end];
    } else {
      score = at(0.5 * static_cast<double>(begin + 1 + end));
    }
    for (std::size_t k = begin; k < end; ++k) scores[entries[k].position] = score;
  }
  return scores;
}

Quantiles::Quantiles(const SortedDraws& sorted, std::span<const double> weights) {
  sorted_.reserve(sorted.entries.size());
  if (weights.empty()) {
    for (const auto& entry : sorted.entries) sorted_.push_back(entry.value);
    return;
  }
  double below = 0.0;
  for (const auto& entry : sorted.entries) {
    const double weight = weights[entry.position];
    if (weight == 0.0) continue;
    sorted_.push_back(entry.value);
    cumulative_.push_back(below + weight);
    positions_.push_back(below + 0.5 * weight);
    below += weight;
  }
  if (positions_.empty()) return;
  const double first = positions_.front();
  for (double& position : positions_) position -= first;
}

double Quantiles::at(double probability) const {
  const auto between = [](double low, double high, double share) {
    return share > 0.0 && high != low ? (1.0 - share) * low + share * high : low;
  };
  if (sorted_.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (positions_.empty()) {
    const double position = static_cast<double>(sorted_.size() - 1) * probability;
    const auto low = std::min(static_cast<std::size_t>(position), sorted_.size() - 1);
    return between(sorted_[low], sorted_[std::min(low + 1, sorted_.size() - 1)], position - std::floor(position));
  }
  const double target = probability * positions_.back();
  const auto after = std::upper_bound(positions_.begin(), positions_.end(), target);
  if (after == positions_.end()) return sorted_.back();
  const auto high = static_cast<std::size_t>(after - positions_.begin());
  return between(sorted_[high - 1], sorted_[high],
                 (target - positions_[high - 1]) / (positions_[high] - positions_[high - 1]));
}

double Quantiles::at_most(double share) const {
  std::size_t count = 0;
  if (cumulative_.empty()) {
    count = static_cast<std::size_t>(std::floor(share * static_cast<double>(sorted_.size())));
  } else {
    const auto after = std::upper_bound(cumulative_.begin(), cumulative_.end(), share * cumulative_.back());
    count = static_cast<std::size_t>(after - cumulative_.begin());
  }
  return sorted_[std::clamp<std::size_t>(count, 1, sorted_.size()) - 1];
}

double Quantiles::at_least(double share) const {
  std::size_t count = 0;
  if (cumulative_.empty()) {
    count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted_.size())));
  } else {
    const auto first = std::lower_bound(cumulative_.begin(), cumulative_.end(), share * cumulative_.back());
    count = static_cast<std::size_t>(first - cumulative_.begin()) + 1;
  }
  return sorted_[std::clamp<std::size_t>(count, 1, sorted_.size()) - 1];
}

}  // namespace sgmcmc
