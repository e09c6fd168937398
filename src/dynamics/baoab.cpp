// baoab: underdamped Langevin dynamics by the splitting B A O A B (Leimkuhler and Matthews 2013, "Rational construction
// of stochastic numerical methods for molecular sampling", equation 10), with gradients from minibatches.
//
// velocity has variance 1 for every step size, z is standard normal, c = exp(-friction):
//   B  velocity <- velocity + sqrt(epsilon) / 2 * gradient
//   A  theta    <- theta + sqrt(epsilon) / 2 * velocity
//   O  velocity <- c velocity + sqrt(1 - c^2) z
//   A  theta    <- theta + sqrt(epsilon) / 2 * velocity
//   B  velocity <- velocity + sqrt(epsilon) / 2 * gradient,   gradient at the new theta
// In the paper's terms sqrt(epsilon) is the time step and friction = gamma * time step, with unit mass and temperature.
//
// The closing B of a step and the opening B of the next are at the same theta. They share one gradient estimate, at the
// last draw, and are merged at the start of the next step: one gradient per step. The first step starts with velocity ~
// N(0, 1) and half a kick. Deviation: if a schedule changes epsilon, both halves use the new one.
//
// On a Gaussian of precision a, with exact gradients, the variance of theta is 1 / a for every epsilon < 4 / a and
// every friction; elsewhere its error is of order epsilon^2 at large friction, of order epsilon otherwise. Gradient
// noise of variance V adds about epsilon V (1 + c) / (4 (1 - c)) of it. As friction grows the chain becomes sglm.
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

void BaoabOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (!(friction > 0.0 && std::isfinite(friction)))
    throw OptionError("friction is " + std::to_string(friction) + "; it must be positive and finite");
}

namespace {

class Baoab final : public Dynamics {
 public:
  Baoab(const BaoabOptions& options, std::size_t dimension)
      : Dynamics(dimension),
        steps_(options.step_size, options.schedule, dimension),
        decay_(std::exp(-options.friction)),
        noise_scale_(std::sqrt(-std::expm1(-2.0 * options.friction))),
        velocity_(dimension) {}

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    moving_ = 0;
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    estimator.estimate(position_, iteration, gradient_);
    if (!moving_) fill_normal(stream(iteration, Purpose::momentum), velocity_);
    const double kick = moving_ ? 1.0 : 0.5;
    const double decay = decay_, noise_scale = noise_scale_;
    const double* theta = position_.data();
    const double* gradient = gradient_.data();
    const double* root = steps_.root();
    double* velocity = velocity_.data();
    double* next = proposal_.data();
    const std::uint64_t bad =
        for_noise_blocks(pool(), stream(iteration, Purpose::noise), 0, dimension(), key_.single_precision_noise,
                         [=](std::size_t begin, std::size_t count, const auto* noise) {
                           std::uint64_t bad_here = 0;
                           SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : bad_here))
                           for (std::size_t k = 0; k < count; ++k) {
                             const std::size_t j = begin + k;
                             const double kicked = velocity[j] + kick * root[j] * gradient[j];
                             const double thermal = decay * kicked + noise_scale * noise[k];
                             const double moved = theta[j] + 0.5 * root[j] * (kicked + thermal);
                             velocity[j] = thermal;
                             next[j] = moved;
                             bad_here |= non_finite_bit(moved);
                           }
                           return bad_here;
                         });
    moving_ = bad ? 0 : 1;
    return bad ? diagnose(proposal_) : accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("velocity", velocity_);
    visitor.visit("moving", moving_);
  }

 private:
  StepSizes steps_;
  double decay_, noise_scale_;
  std::vector<double> velocity_;  // before the closing half kick
  std::uint64_t moving_ = 0;      // whether velocity_ belongs to the current position
};

constexpr double baoab_whitened_steps[] = {0.5, 0.25, 0.1, 0.03};

/// Other frictions. On a standard normal, momentum should decay over about one unit of time, that is 1 / sqrt(step)
/// steps; less friction suits wide directions if scales differ, more friction suits noisy gradients.
std::vector<SamplerOptions> baoab_variants(const SamplerOptions& sampler, const Variation& may) {
  std::vector<SamplerOptions> all = {sampler};
  if (!may.frictions) return all;
  auto other = std::get<BaoabOptions>(sampler);
  const auto add = [&](double friction) {
    other.friction = friction;
    all.push_back(other);
  };
  if (may.whitened) {
    all.clear();
    add(std::sqrt(may.step_size));
    if (may.thorough) add(2.0);
  } else if (may.thorough) {
    add(0.5);
    add(0.02);
  }
  return all;
}

}  // namespace

SamplerTraits BaoabOptions::traits() const {
  const double c = std::exp(-friction);
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = false,  // its closing half kick would use another conditional distribution
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::after(1),
          .whitening = WhiteningLimits{.refused = "", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = true,
          .langevin_law = false,
          .noise_gain = 0.25 * (1.0 + c) / (1.0 - c),
          .trajectory_length = 0,
          .friction = friction,
          .tuning = TuningGrid{.steps = momentum_steps,
                               .whitened_steps = baoab_whitened_steps,
                               .unit = largest_stable_unit,
                               .variants = baoab_variants},
          .words = usual_words()};
}

std::unique_ptr<Dynamics> BaoabOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Baoab>(*this, dimension);
}

}  // namespace sgmcmc
