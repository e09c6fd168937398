// Sums of vectors along a fixed binary tree over virtual shards: bit-identical wherever parts of the tree are added.
#pragma once

#include <cstddef>
#include <vector>

namespace sgmcmc {

/// The state of a part of the tree, the shards [begin, end).
enum class TreePart {
  absent,   ///< there is nothing to add
  written,  ///< its sum was written
  divided,  ///< it is the sum of its halves
};

/// The tree: a part of more than one shard is halved at (begin + end) / 2. Allocates only when it is made.
class ShardTree {
 public:
  ShardTree(int shards, std::size_t length) : shards_(shards), length_(length) {
    for (int part = 1; part < 2 * shards; part *= 2) spare_.emplace_back(length);
  }

  /// The sum of all shards. part(begin, end, out) returns the state of a part and writes its sum if known; a single
  /// shard is never `divided`. Returns false if there was nothing to add; `out` is then unchanged.
  template <class Part>
  bool sum(double* out, Part&& part) {
    return sum(0, shards_, out, 0, part);
  }
  /// The sum of the shards [begin, end), a part of the tree.
  template <class Part>
  bool sum_part(int begin, int end, double* out, Part&& part) {
    return sum(begin, end, out, 0, part);
  }
  /// Calls visit(begin, end) for the largest parts of the tree inside [first, last), from left to right.
  template <class Visit>
  void parts_inside(int first, int last, Visit&& visit) const {
    parts_inside(0, shards_, first, last, visit);
  }

  int shards() const { return shards_; }
  std::size_t length() const { return length_; }

 private:
  template <class Part>
  bool sum(int begin, int end, double* out, std::size_t depth, Part& part) {
    switch (part(begin, end, out)) {
      case TreePart::absent: return false;
      case TreePart::written: return true;
      case TreePart::divided: break;
    }
    const int middle = (begin + end) / 2;
    const bool left = sum(begin, middle, out, depth + 1, part);
    double* other = left ? spare_[depth].data() : out;
    const bool right = sum(middle, end, other, depth + 1, part);
    if (left && right)
      for (std::size_t i = 0; i < length_; ++i) out[i] += other[i];
    return left || right;
  }
  template <class Visit>
  void parts_inside(int begin, int end, int first, int last, Visit& visit) const {
    if (end <= first || begin >= last) return;
    if (begin >= first && end <= last) return visit(begin, end);
    const int middle = (begin + end) / 2;
    parts_inside(begin, middle, first, last, visit);
    parts_inside(middle, end, first, last, visit);
  }

  int shards_;
  std::size_t length_;
  std::vector<std::vector<double>> spare_;  // by depth
};

}  // namespace sgmcmc
