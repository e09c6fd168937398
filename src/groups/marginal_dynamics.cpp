// marginal-nuts, marginal-metropolis, marginal-sglm: a sampler for the global parameters phi of a hierarchical model,
// on their marginal posterior; the parameters of groups are drawn given phi, at kept draws only.
//
//   phi <- a step of nuts, Metropolis or sglm on log p(phi | y), preconditioned by the Hessian at its mode
//   u_j ~ p(u_j | phi, y_j) for every group j, when a draw is kept
//
// The marginal posterior has no funnel: the joint density is unbounded where a scale and its effects go to 0, the
// marginal is not.
#include "dynamics/dynamics.hpp"
#include "dynamics/whitened.hpp"
#include "groups/marginal_estimator.hpp"
#include "groups/normal_proposals.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace sgmcmc {
namespace {

class MarginalDynamics final : public Dynamics {
 public:
  MarginalDynamics(std::shared_ptr<const GroupTarget> target, std::unique_ptr<Dynamics> inner,
                   std::vector<std::uint32_t> drawn_groups, std::uint32_t groups_per_step, std::size_t dimension)
      : Dynamics(dimension),
        target_(std::move(target)),
        inner_(std::move(inner)),
        groups_per_step_(groups_per_step),
        drawn_(std::move(drawn_groups)),
        phi_(target_->posterior->dimension()),
        locals_(drawn_.size() * target_->posterior->width()),
        evaluator_(*target_->posterior) {}

  std::uint64_t evaluations_per_iteration() const override { return inner_->evaluations_per_iteration(); }
  double last_step_size() const override { return inner_->last_step_size(); }
  double draw_weight() const override { return inner_->draw_weight(); }
  std::span<const double> statistics() const override { return inner_->statistics(); }
  void plan_warmup(std::uint64_t iterations) override { inner_->plan_warmup(iterations); }
  void set_interrupt(const std::atomic<bool>* interrupt) override {
    Dynamics::set_interrupt(interrupt);
    inner_->set_interrupt(interrupt);
  }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    const auto& global = target_->posterior->groups().global;
    for (std::size_t c = 0; c < phi_.size(); ++c) phi_[c] = theta[static_cast<std::size_t>(global[c])];
    if (groups_per_step_ == 0) move_inside();
    std::vector<double> start(theta.begin(), theta.end());
    for (std::size_t c = 0; c < phi_.size(); ++c) start[static_cast<std::size_t>(global[c])] = phi_[c];
    Dynamics::initialise(start, key);
    inner_->initialise(phi_, key);
    if (groups_per_step_ > 0)
      estimator_ = std::make_unique<MarginalControlVariates>(target_, groups_per_step_, key.seed, key.chain);
    else
      estimator_ = std::make_unique<FullMarginalEstimator>(target_);
  }

  StepStatus step(GradientEstimator&, std::uint64_t iteration) override {
    auto status = inner_->step(*estimator_, iteration);
    if (!status.ok()) {
      status.coordinate =
          static_cast<std::size_t>(target_->posterior->groups().global[std::min(status.coordinate, phi_.size() - 1)]);
      return status;
    }
    take_position();
    return status;
  }

  void fill_in_draw(std::uint64_t iteration) override {
    if (drawn_.empty()) return;
    evaluator_.set_phi(phi_);
    target_->posterior->want(drawn_);
    evaluator_.draw(drawn_, stream(iteration, Purpose::latent), locals_);
    const auto& groups = target_->posterior->groups();
    for (std::size_t s = 0; s < drawn_.size(); ++s)
      for (std::size_t k = 0; k < groups.width; ++k)
        position_[static_cast<std::size_t>(groups.local[drawn_[s] * groups.width + k])] = locals_[s * groups.width + k];
  }

  void visit_state(StateVisitor& visitor) override {
    inner_->visit_state(visitor);
    take_position();
  }

 private:
  /// Moves phi towards the mode until its density and gradient are finite.
  void move_inside() {
    constexpr int most = 20;
    FullMarginalEstimator density(target_);  // its own, so that a start that is finite does not change the run
    std::vector<double> gradient(phi_.size());
    for (int attempt = 0; attempt < most; ++attempt) {
      if (std::isfinite(density.log_density(phi_, gradient)) &&
          std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); }))
        return;
      for (std::size_t c = 0; c < phi_.size(); ++c) phi_[c] = std::midpoint(phi_[c], target_->mode[c]);
    }
  }

  void take_position() {
    const auto from = inner_->position();
    std::copy(from.begin(), from.end(), phi_.begin());
    const auto& global = target_->posterior->groups().global;
    for (std::size_t c = 0; c < phi_.size(); ++c) position_[static_cast<std::size_t>(global[c])] = phi_[c];
  }

  std::shared_ptr<const GroupTarget> target_;
  std::unique_ptr<Dynamics> inner_;
  std::uint32_t groups_per_step_;  // 0: all
  std::vector<std::uint32_t> drawn_;
  std::vector<double> phi_, locals_;
  GroupEvaluator evaluator_;
  std::unique_ptr<GradientEstimator> estimator_;
};

/// A preconditioned sampler of phi.
template <class Options>
std::unique_ptr<Dynamics> whitened(const Options& options, const GroupTarget& target) {
  return make_whitened(sgmcmc::make_dynamics(options, target.posterior->dimension()), target.map);
}

/// Groups whose parameters are drawn, by default all; those of split groups are part of phi.
std::vector<std::uint32_t> drawn_groups(const std::shared_ptr<const std::vector<std::uint32_t>>& asked,
                                        const MarginalPosterior& posterior) {
  std::vector<std::uint32_t> wanted, drawn;
  if (asked) {
    wanted = *asked;
  } else {
    wanted.resize(posterior.groups().levels());
    std::iota(wanted.begin(), wanted.end(), 0U);
  }
  const auto split = posterior.groups().split_levels();
  std::set_difference(wanted.begin(), wanted.end(), split.begin(), split.end(), std::back_inserter(drawn));
  return drawn;
}

}  // namespace

std::unique_ptr<Dynamics> GroupTarget::make_dynamics(const MarginalNutsOptions& options, std::size_t dimension) const {
  NutsOptions nuts;
  nuts.target_acceptance = options.target_acceptance;
  nuts.max_tree_depth = options.max_tree_depth;
  return std::make_unique<MarginalDynamics>(shared_from_this(), whitened(nuts, *this),
                                            drawn_groups(options.drawn_groups, *posterior), 0, dimension);
}

std::unique_ptr<Dynamics> GroupTarget::make_dynamics(const MarginalMetropolisOptions& options,
                                                     std::size_t dimension) const {
  return std::make_unique<MarginalDynamics>(shared_from_this(), make_normal_proposals(*this),
                                            drawn_groups(options.drawn_groups, *posterior), 0, dimension);
}

std::unique_ptr<Dynamics> GroupTarget::make_dynamics(const MarginalSglmOptions& options, std::size_t dimension) const {
  SglmOptions sglm;
  sglm.step_size = options.step_size;
  return std::make_unique<MarginalDynamics>(shared_from_this(), whitened(sglm, *this),
                                            drawn_groups(options.drawn_groups, *posterior),
                                            std::max(1U, options.groups_per_step), dimension);
}

}  // namespace sgmcmc
