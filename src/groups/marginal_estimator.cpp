// Applies the scale 1 / (n p_j) of minibatches of groups.
#include "groups/marginal_estimator.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

MinibatchOptions batches_of(const GroupTarget& target, std::uint32_t n) {
  MinibatchOptions options;
  options.batch_size = n;
  if (n >= target.posterior->group_count()) return options;
  options.sampling = RowSampling::weighted;
  options.row_probabilities = target.probabilities;
  return options;
}

}  // namespace

FullMarginalEstimator::FullMarginalEstimator(std::shared_ptr<const GroupTarget> target)
    : target_(std::move(target)), pass_(*target_->posterior, nullptr) {}

void FullMarginalEstimator::estimate(std::span<const double> phi, std::uint64_t, std::span<double> gradient) {
  pass_.log_density(phi, gradient);
}

void FullMarginalEstimator::estimate_with_variance(std::span<const double> phi, std::uint64_t evaluation,
                                                   std::span<double> gradient, std::span<double> variance) {
  estimate(phi, evaluation, gradient);
  std::fill(variance.begin(), variance.end(), 0.0);
}

double FullMarginalEstimator::log_density(std::span<const double> phi, std::span<double> gradient) {
  return pass_.log_density(phi, gradient);
}

MarginalControlVariates::MarginalControlVariates(std::shared_ptr<const GroupTarget> target, std::uint32_t n,
                                                 std::uint64_t seed, std::uint32_t chain)
    : target_(std::move(target)),
      batches_(target_->posterior->group_count(), batches_of(*target_, n), seed, chain),
      evaluator_(*target_->posterior),
      groups_(batches_.batch_size()),
      weights_(batches_.batch_size()) {
  if (target_->group_gradients.empty()) {
    at_mode_.emplace(*target_->posterior);
    at_mode_->set_phi(target_->mode);
  }
}

void MarginalControlVariates::estimate(std::span<const double> phi, std::uint64_t evaluation,
                                       std::span<double> gradient) {
  const RowBatch& batch = batches_.batch(evaluation);
  if (batch.next_indices) target_->posterior->want({batch.next_indices, batch.next_count});
  std::size_t next = 0;
  for (const auto kind : MarginalPosterior::kinds)  // evaluates units of one kind together
    for (std::uint32_t k = 0; k < batch.count; ++k) {
      if (target_->posterior->kind(batch.row(k)) != kind) continue;
      groups_[next] = batch.row(k);
      weights_[next++] = -(batch.weights ? batch.weights[k] : batch.uniform_weight);
    }
  std::copy(target_->centre_gradient.begin(), target_->centre_gradient.end(), gradient.begin());
  if (at_mode_) {
    at_mode_->integrate(groups_, weights_.data(), gradient);
  } else {
    const std::size_t dimension = gradient.size();
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const double* own = target_->group_gradients.data() + groups_[k] * dimension;
      for (std::size_t c = 0; c < dimension; ++c) gradient[c] += weights_[k] * own[c];
    }
  }
  for (double& weight : weights_) weight = -weight;
  evaluator_.set_phi(phi);
  evaluator_.integrate(groups_, weights_.data(), gradient);
  evaluator_.global_term(gradient);
}

void MarginalControlVariates::estimate_with_variance(std::span<const double> phi, std::uint64_t evaluation,
                                                     std::span<double> gradient, std::span<double>) {
  estimate(phi, evaluation, gradient);
  throw OptionError("the variance of gradients from groups is not known");
}

}  // namespace sgmcmc
