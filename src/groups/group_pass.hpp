// Sums over many groups on several threads: the same numbers for any number of them.
#pragma once

#include "groups/group_evaluator.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class GroupPass {
 public:
  /// All groups. The pool may be null: everything on the calling thread.
  GroupPass(const MarginalPosterior& posterior, ThreadPool* pool);
  /// About `rows` rows' worth of groups, chosen at random, that stand for all.
  GroupPass(const MarginalPosterior& posterior, ThreadPool* pool, std::int64_t rows, std::uint64_t seed);

  /// The log density of phi, and its gradient. Not finite outside the support.
  double log_density(std::span<const double> phi, std::span<double> gradient);
  /// Of the groups alone.
  double groups_only(std::span<const double> phi, std::span<double> gradient);
  /// Calls take(first, gradients) for stretches of the groups, from several threads: groups x D numbers.
  void each_gradient(std::span<const double> phi,
                     const std::function<void(std::size_t first, std::span<const double>)>& take);
  /// The modes of all groups of this pass: groups x width.
  void modes(std::span<const double> phi, std::span<double> locals);
  void draw(std::span<const double> phi, const StreamKey& key, std::span<double> locals);

  const std::vector<std::uint32_t>& groups() const { return groups_; }
  double weight() const { return weight_; }  ///< of each group, for those left out

 private:
  void cut();
  template <class Body>
  void for_blocks(std::span<const double> phi, Body&& body);

  const MarginalPosterior& posterior_;
  ThreadPool* pool_;
  std::vector<std::uint32_t> groups_, blocks_;
  double weight_ = 1.0;
  std::vector<std::unique_ptr<GroupEvaluator>> evaluators_;
  std::vector<double> sums_;
};

}  // namespace sgmcmc
