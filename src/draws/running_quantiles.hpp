// Quantiles of many columns in one pass and small memory: a t-digest for each column.
//
// T. Dunning, O. Ertl: "Computing extremely accurate quantiles using t-digests" (2019), the merging form with scale
// function k1. Neighbouring values are merged into clusters, each a mean and a weight; clusters are small in the tails
// and larger in the middle. Values are buffered and merged into the clusters together, about every 32 draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class StateVisitor;

/// Approximate quantiles. For smooth distributions, those from 1 % to 99 % are within 0.01 to 0.02 standard deviations
/// of the quantiles of all values. Exact for up to 32 draws. For columns of up to 52 distinct values, such as counts,
/// exact except for a few draws next to a jump.
class RunningQuantiles {
 public:
  explicit RunningQuantiles(std::size_t columns = 0);

  void add(std::span<const double> values, double weight = 1.0);  ///< finite values, as many as columns; weight >= 0

  std::size_t columns() const { return columns_; }
  std::uint64_t count() const { return count_; }

  void visit_state(StateVisitor& visitor);

 private:
  friend std::vector<double> pooled_quantiles(std::span<const RunningQuantiles> parts, std::size_t column,
                                              std::span<const double> probabilities);
  struct Cluster {
    double mean = 0, weight = 0;
    bool mixed = false;  // contains different values
  };
  static constexpr double compression = 50;         // bounds the number of clusters, to at most one more than this
  static constexpr std::size_t most_clusters = 52;  // room for each column
  static constexpr std::size_t most_pending = 32;   // draws

  std::vector<Cluster> clusters(std::size_t column) const;  ///< in the order of their means
  std::vector<Cluster> pending(std::size_t column) const;   ///< values not merged into clusters yet, in order
  void merge_pending();
  void store(std::size_t column, const std::vector<Cluster>& clusters);

  std::size_t columns_ = 0;
  std::uint64_t count_ = 0;
  // The clusters of column c begin at c * most_clusters and end before the first one with zero weight.
  std::vector<double> means_, weights_;
  std::vector<std::uint8_t> mixed_;
  std::vector<double> pending_, pending_weights_;  // draw by draw
};

/// Quantiles of a column over all parts together (the chains of a run, say). Probabilities are between 0 and 1. NaN if
/// there are no draws. With equal weights and few draws, interpolates order statistics linearly, like R's default.
std::vector<double> pooled_quantiles(std::span<const RunningQuantiles> parts, std::size_t column,
                                     std::span<const double> probabilities);

}  // namespace sgmcmc
