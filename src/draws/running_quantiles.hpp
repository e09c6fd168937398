// Quantiles of many columns in one pass and small memory: a t-digest for each column.
//
// T. Dunning, O. Ertl: "Computing extremely accurate quantiles using t-digests" (2019), the merging form with scale
// function k1. Neighbouring values are merged into clusters, each a mean and a weight; clusters are small in the tails
// and larger in the middle. Values wait until there are 32 draws, and are then merged at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class StateVisitor;

/// Approximate quantiles from the 1 % to the 99 % quantile: for smooth distributions within one or two hundredths of a
/// standard deviation of those of all values. Exact for up to 32 draws; for columns of up to 52 different values, such
/// as counts, exact but for a few draws next to a jump.
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
    bool mixed = false;  // of different values
  };
  static constexpr double compression = 50;         // at most so many clusters, and one more
  static constexpr std::size_t most_clusters = 52;  // room for each column
  static constexpr std::size_t most_pending = 32;   // draws

  std::vector<Cluster> clusters(std::size_t column) const;  ///< in the order of their means
  std::vector<Cluster> pending(std::size_t column) const;   ///< values that are in no cluster yet, in order
  void merge_pending();
  void store(std::size_t column, const std::vector<Cluster>& clusters);

  std::size_t columns_ = 0;
  std::uint64_t count_ = 0;
  // Clusters of column c stand from c * most_clusters on; the first without weight ends them.
  std::vector<double> means_, weights_;
  std::vector<std::uint8_t> mixed_;
  std::vector<double> pending_, pending_weights_;  // draw by draw
};

/// Quantiles of a column over all parts together, the chains of a run say; probabilities lie between 0 and 1. NaN where
/// there are no draws. With equal weights and few draws: linear interpolation of order statistics, as R's default.
std::vector<double> pooled_quantiles(std::span<const RunningQuantiles> parts, std::size_t column,
                                     std::span<const double> probabilities);

}  // namespace sgmcmc
