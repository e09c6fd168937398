// Gradients of the marginal posterior of the global parameters, from all groups or from minibatches of groups.
#pragma once

#include "gradient/estimator.hpp"
#include "groups/group_pass.hpp"
#include "groups/group_target.hpp"
#include "minibatch/minibatcher.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace sgmcmc {

/// All groups at every step: for exact samplers.
class FullMarginalEstimator final : public GradientEstimator {
 public:
  explicit FullMarginalEstimator(std::shared_ptr<const GroupTarget> target);
  std::size_t dimension() const override { return target_->posterior->dimension(); }
  void estimate(std::span<const double> phi, std::uint64_t evaluation, std::span<double> gradient) override;
  void estimate_with_variance(std::span<const double> phi, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override;
  double log_density(std::span<const double> phi, std::span<double> gradient) override;

 private:
  std::shared_ptr<const GroupTarget> target_;
  GroupPass pass_;
};

/// Control variates with groups as rows: the gradient of all groups at the mode, plus, for the groups of the batch, 1 /
/// (n p_j) times the change of their gradients from there. Unbiased up to quadrature error.
class MarginalControlVariates final : public GradientEstimator {
 public:
  /// n: groups per step.
  MarginalControlVariates(std::shared_ptr<const GroupTarget> target, std::uint32_t n, std::uint64_t seed,
                          std::uint32_t chain);
  std::size_t dimension() const override { return target_->posterior->dimension(); }
  double rows() const override { return static_cast<double>(target_->posterior->group_count()); }
  std::size_t batch_rows() const override { return batches_.batch_size(); }
  void estimate(std::span<const double> phi, std::uint64_t evaluation, std::span<double> gradient) override;
  void estimate_with_variance(std::span<const double> phi, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override;

 private:
  std::shared_ptr<const GroupTarget> target_;
  Minibatcher batches_;
  GroupEvaluator evaluator_;
  std::optional<GroupEvaluator> at_mode_;  // if the gradients there are not stored
  std::vector<std::uint32_t> groups_;
  std::vector<double> weights_;
};

}  // namespace sgmcmc
