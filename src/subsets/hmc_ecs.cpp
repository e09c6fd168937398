// hmc-ecs: Hamiltonian Monte Carlo with energy-conserving subsampling [Dang, Quiroz, Kohn, Tran & Villani 2019], with
// the trajectories of nuts. Alternates two steps that leave p(theta, u) of subset_estimator.hpp invariant:
//
//   u | theta: redraws parts of the subset, accepted by the change of the estimated log density theta | u: a step of
//   nuts
//
// The first half of warm-up runs without rows, on prior and expansion: far from the centre the remainder is too large
// to estimate from a subset.
#include "gradient/estimators.hpp"
#include "subsets/expanded_target.hpp"
#include "subsets/subset_estimator.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

class HmcEcs final : public Dynamics {
 public:
  HmcEcs(const ExpandedTarget& target, std::unique_ptr<Dynamics> nuts, std::size_t dimension)
      : Dynamics(dimension),
        nuts_(std::move(nuts)),
        smooth_(make_estimator(target.smooth, GradientOptions{}, 0, 0)),
        subset_(target.posterior, target.subset_rows),
        statistics_(HmcEcsOptions::statistics.size()) {}

  std::uint64_t evaluations_per_iteration() const override { return 0; }
  double last_step_size() const override { return nuts_->last_step_size(); }
  double draw_weight() const override { return 1.0; }
  std::span<const double> statistics() const override { return statistics_; }
  void set_interrupt(const std::atomic<bool>* interrupt) override {
    Dynamics::set_interrupt(interrupt);
    nuts_->set_interrupt(interrupt);
  }
  void plan_warmup(std::uint64_t iterations) override {
    without_rows_ = iterations / 2;
    nuts_->plan_warmup(iterations);
  }
  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    nuts_->initialise(theta, key);
    subset_.draw_subset(key.seed, key.chain);
  }
  void set_position(std::span<const double> theta) override {
    Dynamics::set_position(theta);
    nuts_->set_position(theta);
  }

  StepStatus step(GradientEstimator&, std::uint64_t iteration) override {
    const bool with_rows = iteration >= without_rows_;
    const auto own = std::span(statistics_).last<3>();
    std::fill(own.begin(), own.end(), 0.0);
    if (with_rows) {  // at the start of the iteration: as good a draw as its end
      own[1] = subset_.refresh_subset(position_, key_.seed, key_.chain, iteration);
      own[0] = subset_.variance();
      own[2] = subset_.error();
      nuts_->set_position(position_);  // its density has changed
    }
    const auto status = nuts_->step(with_rows ? subset_ : *smooth_, iteration);
    if (!status.ok()) return status;
    const auto from = nuts_->position();
    std::copy(from.begin(), from.end(), position_.begin());
    const auto of_nuts = nuts_->statistics();
    std::copy(of_nuts.begin(), of_nuts.end(), statistics_.begin());
    return status;
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    nuts_->visit_state(visitor);
    subset_.visit_state(visitor);
    visitor.visit("hmc_ecs_statistics", statistics_);
  }

 private:
  std::unique_ptr<Dynamics> nuts_;
  std::unique_ptr<GradientEstimator> smooth_;
  SubsetEstimator subset_;
  std::vector<double> statistics_;
  std::uint64_t without_rows_ = 0;  // iterations
};

}  // namespace

std::unique_ptr<Dynamics> ExpandedTarget::make_dynamics(const HmcEcsOptions& options, std::size_t dimension) const {
  NutsOptions nuts;
  nuts.target_acceptance = options.target_acceptance;
  nuts.max_tree_depth = options.max_tree_depth;
  nuts.metric = options.metric;
  return std::make_unique<HmcEcs>(*this, sgmcmc::make_dynamics(nuts, dimension), dimension);
}

}  // namespace sgmcmc
