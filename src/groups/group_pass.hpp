// Sums over groups on several threads; results do not depend on the number of threads.
#pragma once

#include "groups/group_evaluator.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class GroupPass {
 public:
  /// All groups. If the pool is null, runs on the calling thread.
  GroupPass(const MarginalPosterior& posterior, ThreadPool* pool);
  /// A random selection of groups with about `rows` rows, weighted to represent all groups.
  GroupPass(const MarginalPosterior& posterior, ThreadPool* pool, std::int64_t rows, std::uint64_t seed);

  /// The log density of phi and its gradient. Non-finite outside the support.
  double log_density(std::span<const double> phi, std::span<double> gradient);
  /// Without the global term.
  double groups_only(std::span<const double> phi, std::span<double> gradient);
  /// Calls take(groups, gradients) for some groups at a time, from several threads: groups x D numbers.
  void each_gradient(std::span<const double> phi,
                     const std::function<void(std::span<const std::uint32_t> groups, std::span<const double>)>& take);
  /// The modes of the groups of this pass, each at the place of its number: all groups x width.
  void modes(std::span<const double> phi, std::span<double> locals);

  const std::vector<std::uint32_t>& groups() const { return groups_; }  ///< in the order of their rows
  double weight() const { return weight_; }  ///< of each group, to represent those not selected

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
