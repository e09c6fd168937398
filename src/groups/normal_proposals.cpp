// Proposals that keep N(mode, L L') invariant, corrected by Metropolis: phi = mode + L z,
//
//   z' = r z + sqrt(1 - r^2) n,  n ~ N(0, I)
//   accepted with probability min(1, w(z') / w(z)),  w(z) = p(mode + L z | y) / N(z; 0, I)
//
// Alternates r = 0 and r = 0.9: independent proposals reach everywhere, and local ones return from tails heavier than
// normal. A step costs one density evaluation, where a trajectory takes several gradients.
#include "groups/normal_proposals.hpp"

#include "dynamics/whitening.hpp"
#include "groups/group_pass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

constexpr double nearby = 0.9;

double half_square(std::span<const double> z) {
  double sum = 0;
  for (const double x : z) sum += 0.5 * x * x;
  return sum;
}

class NormalProposals final : public Dynamics {
 public:
  explicit NormalProposals(const GroupTarget& target)
      : Dynamics(target.posterior->dimension()), map_(target.map), z_(dimension()), proposed_(dimension()) {}

  std::uint64_t evaluations_per_iteration() const override { return 0; }
  double last_step_size() const override { return 1.0; }
  std::span<const double> statistics() const override { return statistics_; }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    map_.coordinates(theta, z_);
    log_density_ = std::nan("");
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    if (interrupted()) return {StepFailure::interrupted, 0};
    if (std::isnan(log_density_)) {
      log_density_ = estimator.log_density(position_, {});
      if (!std::isfinite(log_density_)) return {StepFailure::gradient_not_finite, 0};
    }
    const double kept = iteration % 2 == 0 ? 0.0 : nearby, fresh = std::sqrt(1.0 - kept * kept);
    fill_normal(stream(iteration, Purpose::noise), proposed_);
    for (std::size_t c = 0; c < z_.size(); ++c) proposed_[c] = kept * z_[c] + fresh * proposed_[c];
    map_.position(proposed_, proposal_);
    const double there = estimator.log_density(proposal_, {});
    const double gain = there + half_square(proposed_) - log_density_ - half_square(z_);
    const double acceptance = std::isfinite(there) ? std::min(1.0, std::exp(gain)) : 0.0;
    double uniform = 0;
    fill_uniform(stream(iteration, Purpose::acceptance), std::span(&uniform, 1));
    if (uniform < acceptance) {
      z_.swap(proposed_);
      position_.swap(proposal_);
      log_density_ = there;
    }
    statistics_ = {log_density_, acceptance};
    return {};
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("z", z_);
    visitor.visit("log_density", log_density_);
  }

 private:
  Whitening map_;
  std::vector<double> z_, proposed_;
  double log_density_ = std::nan("");
  std::array<double, 2> statistics_{};
};

}  // namespace

std::unique_ptr<Dynamics> make_normal_proposals(const GroupTarget& target) {
  return std::make_unique<NormalProposals>(target);
}

double acceptance_of_normal(const GroupTarget& target, ThreadPool* pool, std::uint64_t seed) {
  constexpr std::size_t draws = 24;
  const std::size_t dimension = target.posterior->dimension();
  GroupPass pass(*target.posterior, pool);
  Whitening map(target.map);
  std::vector<double> z(dimension), phi(dimension), log_weights;
  for (std::uint64_t k = 0; k < draws; ++k) {
    fill_normal({seed, 2, k, Purpose::initial}, z);
    map.position(z, phi);
    const double value = pass.log_density(phi, {}) + half_square(z);
    log_weights.push_back(std::isfinite(value) ? value : -std::numeric_limits<double>::infinity());
  }
  double sum = 0;
  for (const double to : log_weights)
    for (const double from : log_weights)
      if (std::isfinite(to) && &to != &from) sum += std::min(1.0, std::exp(to - from));
  return sum / static_cast<double>(draws * (draws - 1));
}

}  // namespace sgmcmc
