// Merges values into clusters and computes quantiles from the clusters of several digests.
#include "draws/running_quantiles.hpp"

#include "base/state_bytes.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace sgmcmc {

RunningQuantiles::RunningQuantiles(std::size_t columns)
    : columns_(columns),
      means_(columns * most_clusters),
      weights_(columns * most_clusters),
      mixed_(columns * most_clusters) {}

void RunningQuantiles::add(std::span<const double> values, double weight) {
  if (values.size() != columns_)
    throw OptionError("running quantiles of " + std::to_string(columns_) + " columns were given " +
                      std::to_string(values.size()) + " values");
  if (!(weight >= 0.0))
    throw OptionError("the weight of a draw is " + std::to_string(weight) + "; weights are not negative");
  if (weight == 0.0) return;
  ++count_;
  pending_.insert(pending_.end(), values.begin(), values.end());
  pending_weights_.push_back(weight);
  if (pending_weights_.size() > most_pending) merge_pending();
}

std::vector<RunningQuantiles::Cluster> RunningQuantiles::clusters(std::size_t column) const {
  std::vector<Cluster> found;
  const std::size_t first = column * most_clusters;
  for (std::size_t k = first; k < first + most_clusters && weights_[k] > 0; ++k)
    found.push_back({means_[k], weights_[k], mixed_[k] != 0});
  return found;
}

std::vector<RunningQuantiles::Cluster> RunningQuantiles::pending(std::size_t column) const {
  std::vector<Cluster> found;
  for (std::size_t k = 0; k < pending_weights_.size(); ++k)
    found.push_back({pending_[k * columns_ + column], pending_weights_[k], false});
  std::sort(found.begin(), found.end(), [](const Cluster& a, const Cluster& b) { return a.mean < b.mean; });
  return found;
}

void RunningQuantiles::store(std::size_t column, const std::vector<Cluster>& clusters) {
  for (std::size_t k = 0; k < most_clusters; ++k) {
    const Cluster cluster = k < clusters.size() ? clusters[k] : Cluster{};
    means_[column * most_clusters + k] = cluster.mean;
    weights_[column * most_clusters + k] = cluster.weight;
    mixed_[column * most_clusters + k] = cluster.mixed ? 1 : 0;
  }
}

namespace {

/// Merges `next` into `cluster`.
template <class Cluster>
void merge_into(Cluster& cluster, const Cluster& next) {
  cluster.mixed = cluster.mixed || next.mixed || next.mean != cluster.mean;
  cluster.weight += next.weight;
  cluster.mean += (next.mean - cluster.mean) * (next.weight / cluster.weight);
}

/// Merges neighbours that have the same value.
template <class Cluster>
void merge_equal(std::vector<Cluster>& sorted) {
  std::size_t last = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k)
    if (sorted[k].mean == sorted[last].mean)
      merge_into(sorted[last], sorted[k]);
    else
      sorted[++last] = sorted[k];
  sorted.resize(std::min(sorted.size(), last + 1));
}

// A cluster from q to r of the weight holds k1(r) - k1(q) <= 1, with k1(q) = compression / (2 pi) * asin(2 q - 1).
template <class Cluster>
void merge_neighbours(std::vector<Cluster>& sorted, double compression, std::size_t most_clusters) {
  const double turn = 2 * std::numbers::pi / compression, cosine = std::cos(turn), sine = std::sin(turn);
  const auto end_of_cluster = [&](double q) {  // k1 grows by 1 from q to there
    if (q >= 0.5 * (1 + cosine)) return 1.0;
    return 0.5 * (1 + (2 * q - 1) * cosine + 2 * std::sqrt(std::max(0.0, q * (1 - q))) * sine);
  };
  double total = 0, before = 0;
  for (const Cluster& cluster : sorted) total += cluster.weight;
  double limit = total * end_of_cluster(0.0);
  std::size_t last = 0;  // the cluster now growing
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    if (before + sorted[last].weight + sorted[k].weight <= limit || last + 1 == most_clusters) {
      merge_into(sorted[last], sorted[k]);
      continue;
    }
    before += sorted[last].weight;
    limit = total * end_of_cluster(std::min(1.0, before / total));
    sorted[++last] = sorted[k];
  }
  sorted.resize(last + 1);
}

}  // namespace

void RunningQuantiles::merge_pending() {
  const bool backwards = count_ / (most_pending + 1) % 2 == 1;  // alternate directions, to treat both tails alike
  std::vector<Cluster> merged;
  for (std::size_t column = 0; column < columns_; ++column) {
    const auto old = clusters(column), fresh = pending(column);
    merged.resize(old.size() + fresh.size());
    std::merge(old.begin(), old.end(), fresh.begin(), fresh.end(), merged.begin(),
               [](const Cluster& a, const Cluster& b) { return a.mean < b.mean; });
    merge_equal(merged);
    if (merged.size() > most_clusters) {
      if (backwards) std::reverse(merged.begin(), merged.end());
      merge_neighbours(merged, compression, most_clusters);
      if (backwards) std::reverse(merged.begin(), merged.end());
    }
    store(column, merged);
  }
  pending_.clear();
  pending_weights_.clear();
}

void RunningQuantiles::visit_state(StateVisitor& visitor) {
  visitor.visit("quantile_draws", count_);
  visitor.visit_numbers("cluster_means", means_);
  visitor.visit_numbers("cluster_weights", weights_);
  visit_packed(visitor, "cluster_mixed", mixed_);
  visitor.visit("pending_values", pending_);
  visitor.visit("pending_weights", pending_weights_);
  if (pending_.size() != pending_weights_.size() * columns_) refuse_state("pending_values");
  if (mixed_.size() != means_.size()) refuse_state("cluster_mixed");
}

namespace {

/// Cumulative weight as a function of the value: linear between the midpoints of clusters, with a jump at a value that
/// occurs several times.
struct Distribution {
  std::vector<double> values;     // distinct, in ascending order
  std::vector<double> low, high;  // weight below each value, and up to and including it
  double total = 0;

  /// `one` is the weight of a single draw.
  template <class Cluster>
  void add(const Cluster& cluster, double one) {
    const double half = 0.5 * (cluster.mixed ? cluster.weight : std::min(one, cluster.weight));
    const double from = total + half, to = total + cluster.weight - half;
    total += cluster.weight;
    if (values.empty() || cluster.mean > values.back()) {
      values.push_back(cluster.mean);
      low.push_back(from);
      high.push_back(to);
    } else {
      high.back() = to;
    }
  }
  void finish() {
    if (values.empty()) return;
    low.front() = 0;
    high.back() = total;
  }
  /// Weight below the value, and up to and including it.
  std::pair<double, double> at(double value) const {
    const auto k = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
    if (k == values.size()) return {total, total};
    if (values[k] == value) return {low[k], high[k]};
    if (k == 0) return {0, 0};
    const double share = (value - values[k - 1]) / (values[k] - values[k - 1]);
    const double weight = high[k - 1] + share * (low[k] - high[k - 1]);
    return {weight, weight};
  }
};

/// The value at which the cumulative weight of all parts together reaches the target.
double inverse(const std::vector<Distribution>& parts, const std::vector<double>& values, double target) {
  const auto at = [&](double value) {
    std::pair<double, double> sum{0, 0};
    for (const auto& part : parts) {
      const auto [below, up_to] = part.at(value);
      sum.first += below;
      sum.second += up_to;
    }
    return sum;
  };
  const auto found =
      std::partition_point(values.begin(), values.end(), [&](double value) { return at(value).second < target; });
  if (found == values.end()) return values.back();
  const double below = at(*found).first;
  if (found == values.begin() || below <= target) return *found;
  const double before = *(found - 1), start = at(before).second;
  return before + (target - start) / (below - start) * (*found - before);
}

}  // namespace

std::vector<double> pooled_quantiles(std::span<const RunningQuantiles> parts, std::size_t column,
                                     std::span<const double> probabilities) {
  // Values that are not in a cluster yet form one distribution, and the clusters of each part form another. Clusters of
  // different parts are not interleaved, because their means do not order the values inside them.
  std::vector<std::vector<RunningQuantiles::Cluster>> lists(1);
  std::uint64_t count = 0;
  for (const auto& part : parts) {
    count += part.count();
    const auto single = part.pending(column);
    lists.front().insert(lists.front().end(), single.begin(), single.end());
    lists.push_back(part.clusters(column));
  }
  std::sort(lists.front().begin(), lists.front().end(), [](const auto& a, const auto& b) { return a.mean < b.mean; });
  double total = 0;
  for (const auto& list : lists)
    for (const auto& cluster : list) total += cluster.weight;
  const double one = total / static_cast<double>(count);  // average weight of a draw
  std::vector<Distribution> distributions;
  std::vector<double> values;
  for (const auto& list : lists) {
    if (list.empty()) continue;
    auto& distribution = distributions.emplace_back();
    for (const auto& cluster : list) distribution.add(cluster, one);
    distribution.finish();
    values.insert(values.end(), distribution.values.begin(), distribution.values.end());
  }
  if (values.empty()) return std::vector<double>(probabilities.size(), std::numeric_limits<double>::quiet_NaN());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<double> result;
  for (const double probability : probabilities)
    result.push_back(inverse(distributions, values, 0.5 * one + probability * (total - one)));
  return result;
}

}  // namespace sgmcmc
