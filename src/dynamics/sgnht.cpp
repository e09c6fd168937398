// sgnht: stochastic gradient Nose-Hoover thermostat (Ding et al. 2014; sgmcmc R package paper, equations 5 to 7).
//
// With velocity = nu / sqrt(epsilon), z standard normal, D parameters and friction started at a:
//   theta    <- theta + sqrt(epsilon) velocity                                                          (5)
//   velocity <- (1 - friction) velocity + sqrt(epsilon) gradient + sqrt(2 a) z,  gradient at the new theta  (6)
//   friction <- friction + mean(epsilon) * (velocity' velocity / D - 1)                                 (7)
// velocity' velocity is the SQUARED norm. With one step size for all parameters these are the equations of the paper,
// divided by sqrt(epsilon). Deviation: parameters may have different step sizes; the thermostat then holds the mean of
// nu_j^2 / epsilon_j at 1, which is the paper's scheme for parameters rescaled to a common step size. They may also
// have different a: the friction of parameter j is then friction + a_j - mean(a), so that friction balances the noise
// injected into each.
//
// The scheme is Euler's: the kinetic temperature is exact, E[velocity' velocity / D] = 1, and on a Gaussian of
// precision p the variance is (1 - f/2) / p, with f the equilibrium friction, at least about a. It tends to 1 / p when
// a and epsilon V both tend to 0; gradient noise V of unknown size only raises f.
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

void SgnhtOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (!(diffusion > 0.0 && diffusion < 1.0))
    throw OptionError("diffusion is " + std::to_string(diffusion) + "; it must lie between 0 and 1");
  if (!diffusion_each.empty() && diffusion_each.size() != dimension)
    throw OptionError("diffusion_each has " + std::to_string(diffusion_each.size()) + " numbers; the model has " +
                      std::to_string(dimension) + " coordinates");
  for (const double each : diffusion_each)
    if (!(each > 0.0 && each < 1.0))
      throw OptionError("diffusion_each has " + std::to_string(each) + "; its numbers must lie between 0 and 1");
}

namespace {

/// Four partial sums, to shorten the dependency chain.
double sum_of_squares(const double* values, std::size_t count) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += values[k + lane] * values[k + lane];
  for (; k < count; ++k) sums[0] += values[k] * values[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class Sgnht final : public Dynamics {
 public:
  Sgnht(const SgnhtOptions& options, std::size_t dimension)
      : Dynamics(dimension),
        steps_(options.step_size, options.schedule, dimension),
        diffusion_(options.diffusion),
        velocity_(dimension),
        squares_((dimension + noise_block - 1) / noise_block) {
    if (options.diffusion_each.empty()) return;
    diffusion_ = 0;
    for (const double each : options.diffusion_each) diffusion_ += each / static_cast<double>(dimension);
    for (const double each : options.diffusion_each) {
      more_friction_.push_back(each - diffusion_);
      noise_scale_.push_back(std::sqrt(2.0 * each));
    }
  }

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }
  // Evaluated after the drift, from rows that did not influence it.
  std::span<const double> gradient_here() const override {
    return moving_ ? std::span<const double>(gradient_) : std::span<const double>{};
  }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    moving_ = 0;
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    if (moving_ == 0) start(iteration);
    const double* root = steps_.root();
    double* velocity = velocity_.data();
    double* next = proposal_.data();
    const double* theta = position_.data();
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t j = 0; j < dimension(); ++j) next[j] = theta[j] + root[j] * velocity[j];
    estimator.estimate(proposal_, iteration, gradient_);

    const double* gradient = gradient_.data();
    const double decay = 1.0 - friction_;
    const double scale = std::sqrt(2.0 * diffusion_);
    const bool each = !more_friction_.empty();
    const double *more = more_friction_.data(), *scales = noise_scale_.data();
    double* squares = squares_.data();  // of each block, to be added in order
    for_noise_blocks(pool(), stream(iteration, Purpose::noise), 0, dimension(), key_.single_precision_noise,
                     [=](std::size_t begin, std::size_t count, const auto* noise) {
                       SGMCMC_INDEPENDENT_ITERATIONS()
                       for (std::size_t k = 0; k < count; ++k) {
                         const std::size_t j = begin + k;
                         velocity[j] = (decay - (each ? more[j] : 0.0)) * velocity[j] + root[j] * gradient[j] +
                                       (each ? scales[j] : scale) * noise[k];
                       }
                       squares[begin / noise_block] = sum_of_squares(velocity + begin, count);
                       return std::uint64_t{0};
                     });
    double squared_norm = 0.0;
    for (const double square : squares_) squared_norm += square;
    friction_ += steps_.mean() * (squared_norm / static_cast<double>(dimension()) - 1.0);
    const bool bad_position = first_non_finite(proposal_) < dimension();
    if (bad_position || non_finite_bit(friction_)) {
      moving_ = 0;
      return diagnose(bad_position ? proposal_ : velocity_);
    }
    return accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("velocity", velocity_);
    visitor.visit("friction", friction_);
    visitor.visit("moving", moving_);
    visitor.visit("gradient", gradient_);  // gradient_here()
  }

 private:
  void start(std::uint64_t iteration) {
    fill_normal(stream(iteration, Purpose::momentum), velocity_);
    friction_ = diffusion_;
    moving_ = 1;
  }

  StepSizes steps_;
  double diffusion_;
  std::vector<double> velocity_;
  std::vector<double> squares_;
  std::vector<double> more_friction_, noise_scale_;  // with diffusion_each; else empty
  double friction_ = 0.0;
  std::uint64_t moving_ = 0;  // whether velocity_ and friction_ belong to the current position
};

std::vector<SamplerOptions> sgnht_variants(const SamplerOptions& sampler, const Variation& may) {
  constexpr double larger = 0.1;
  std::vector<SamplerOptions> all = {sampler};
  auto other = std::get<SgnhtOptions>(sampler);
  if (!may.frictions || !may.thorough || other.diffusion == larger) return all;
  other.diffusion = larger;
  all.push_back(other);
  return all;
}

}  // namespace

SamplerTraits SgnhtOptions::traits() const {
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = true,
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::at_once(),
          .whitening = WhiteningLimits{.refused = "", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = true,
          .langevin_law = false,
          .noise_gain = 1.0 / (2.0 * diffusion),
          .trajectory_length = 0,
          .friction = diffusion,
          .tuning = TuningGrid{.steps = momentum_steps,
                               .whitened_steps = momentum_steps,
                               .unit = largest_stable_unit,
                               .variants = sgnht_variants},
          .words = VerdictWords{.too_narrow = "use a smaller diffusion, or less gradient noise (a larger batch, -cv)",
                                .too_wide = "",
                                .shifted = "",
                                .other_wide_cause = "",
                                .other_wide_remedy = ""}};
}

std::unique_ptr<Dynamics> SgnhtOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Sgnht>(*this, dimension);
}

}  // namespace sgmcmc
