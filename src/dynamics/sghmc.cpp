// sghmc: stochastic gradient Hamiltonian Monte Carlo (Chen et al. 2014; sgmcmc R package paper, section 3.2).
//
// One iteration is a trajectory of L steps from fresh momentum nu ~ N(0, epsilon). Here velocity = nu / sqrt(epsilon),
// of variance 1 for every step size, so that nothing needs rescaling when a schedule changes epsilon. With V the
// variance of the gradient estimate and z standard normal:
//
// plain, as published (theta first, then nu with the gradient at the new theta), written for velocity:
//   theta    <- theta + sqrt(epsilon) velocity
//   velocity <- (1 - alpha) velocity + sqrt(epsilon) gradient + sqrt(2 (alpha - beta_hat)) z
//   beta_hat = 0, or epsilon V / 2 clipped at alpha. The last gradient of a trajectory only changes momentum that is
//   then discarded, so with refresh it is not computed: L - 1 gradients per iteration.
//
// splitting (default; not in the papers): O B A B O, with O half friction of decay exp(-alpha / 2), B half kick, A
// drift.
//   Adjacent steps meet as B O O B at one theta and share one gradient estimate, so they merge, with c = exp(-alpha):
//   velocity <- c velocity + (1 + c)/2 sqrt(epsilon) gradient + sqrt(1 - c^2 - correction) z,   then drift.
//   At the start of a trajectory O leaves N(0, 1) invariant, and only the half kick remains:
//   velocity <- sqrt(1 - correction) z + 1/2 sqrt(epsilon) gradient,                           then drift.
//   The closing B O of a trajectory acts on momentum that is then discarded, so it is omitted: a trajectory costs L
//   gradients and has no state but theta. correction = 0, or the variance that gradient noise adds: epsilon V times the
//   squared factor of the gradient, clipped where the noise would vanish. With V known and no clipping, the chain has
//   exactly the distribution that it has with full gradients: on a Gaussian of precision a, variance 1 / (a (1 -
//   epsilon a / 4)) for every L. With L = 1 it is sgld.
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {

void SghmcOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (!(friction >= 0.0 && std::isfinite(friction)))
    throw OptionError("friction is " + std::to_string(friction) + "; it must be finite and not negative");
  if (form == SghmcForm::plain && friction >= 1.0)
    throw OptionError("friction is " + std::to_string(friction) + "; the plain form of sghmc needs a friction below 1");
  if (friction == 0.0 && !refresh_momentum)
    throw OptionError("friction is 0 and refresh_momentum is false; without either the chain gains no randomness");
  if (!friction_each.empty() && friction_each.size() != dimension)
    throw OptionError("friction_each has " + std::to_string(friction_each.size()) + " numbers; the model has " +
                      std::to_string(dimension) + " coordinates");
  for (const double each : friction_each)
    if (!(each >= 0.0 && std::isfinite(each)) || (form == SghmcForm::plain && each >= 1.0) ||
        (each == 0.0 && !refresh_momentum))
      throw OptionError("friction_each has " + std::to_string(each) + ", which friction may not be");
  if (trajectory_length < 1) throw OptionError("trajectory_length is 0; it must be at least 1");
  if (form == SghmcForm::plain && refresh_momentum && trajectory_length < 2)
    throw OptionError(
        "the plain form of sghmc with trajectory_length 1 and refreshed momentum never uses a gradient; "
        "use form splitting, or a longer trajectory");
}

namespace {

/// velocity <- decay * velocity + gain * sqrt(epsilon) * gradient + sqrt(noise - gain^2 * epsilon * V) * z
struct Kick {
  double decay;
  double gain;   // 0: no gradient is needed
  double noise;  // variance
};

class Sghmc final : public Dynamics {
 public:
  Sghmc(const SghmcOptions& options, std::size_t dimension)
      : Dynamics(dimension),
        steps_(options.step_size, options.schedule, dimension),
        velocity_(dimension),
        length_(options.trajectory_length),
        refresh_(options.refresh_momentum) {
    if (options.noise_correction == NoiseCorrection::fisher) variance_.resize(dimension);
    const bool plain = options.form == SghmcForm::plain;
    start_ = {0.0, plain ? 0.0 : 0.5, 1.0};
    interior_ = interior_of(plain, options.friction);
    for (const double friction : options.friction_each) interior_each_.push_back(interior_of(plain, friction));
  }

  std::uint64_t evaluations_per_iteration() const override {
    return refresh_ && start_.gain == 0.0 ? length_ - 1 : length_;
  }
  double last_step_size() const override { return steps_.mean(); }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    moving_ = 0;
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    std::uint64_t evaluation = iteration * evaluations_per_iteration();
    for (std::uint64_t k = 0; k < length_; ++k) {
      const bool start = k == 0 && (refresh_ || moving_ == 0);
      const Kick& kick = start ? start_ : interior_;
      const std::vector<double>& theta = k == 0 ? position_ : proposal_;
      if (kick.gain != 0.0) {
        if (variance_.empty())
          estimator.estimate(theta, evaluation, gradient_);
        else
          estimator.estimate_with_variance(theta, evaluation, gradient_, variance_);
        ++evaluation;
      }
      const StreamKey key = stream(iteration, start ? Purpose::momentum : Purpose::noise);
      if (kick_and_drift(kick, theta.data(), key, noise_offset(k, dimension()))) {
        moving_ = 0;
        return diagnose(proposal_);
      }
    }
    moving_ = 1;
    return accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("velocity", velocity_);
    visitor.visit("moving", moving_);
  }

 private:
  static Kick interior_of(bool plain, double friction) {
    if (plain) return {1.0 - friction, 1.0, 2.0 * friction};
    const double c = std::exp(-friction);
    return {c, 0.5 * (1.0 + c), -std::expm1(-2.0 * friction)};
  }

  bool kick_and_drift(const Kick& kick, const double* theta, const StreamKey& key, std::uint64_t offset) {
    if (&kick == &interior_ && !interior_each_.empty()) return kick_each_and_drift(theta, key, offset);
    if (variance_.empty() || kick.gain == 0.0) {
      const double scale = std::sqrt(kick.noise);
      return kick_and_drift(kick, theta, key, offset, [scale](std::size_t) { return scale; });
    }
    const double* variance = variance_.data();
    const double* epsilon = steps_.step();
    const double gain_squared = kick.gain * kick.gain;
    return kick_and_drift(kick, theta, key, offset, [=, noise = kick.noise](std::size_t j) {
      return std::sqrt(std::max(noise - gain_squared * epsilon[j] * variance[j], 0.0));
    });
  }

  /// One friction per coordinate.
  bool kick_each_and_drift(const double* theta, const StreamKey& key, std::uint64_t offset) {
    const Kick* each = interior_each_.data();
    const double* variance = variance_.empty() ? nullptr : variance_.data();
    const double* epsilon = steps_.step();
    return drift(
        theta, key, offset,
        [=](double velocity, double root, double gradient, double noise, std::size_t j) {
          return each[j].decay * velocity + each[j].gain * root * gradient + noise;
        },
        [=](std::size_t j) {
          const double known = variance ? each[j].gain * each[j].gain * epsilon[j] * variance[j] : 0.0;
          return std::sqrt(std::max(each[j].noise - known, 0.0));
        });
  }

  // Does not read operands that would be multiplied by 0: a failed trajectory may have left infinities, and 0 *
  // infinity is NaN.
  template <class NoiseScale>
  bool kick_and_drift(const Kick& kick, const double* theta, const StreamKey& key, std::uint64_t offset,
                      NoiseScale&& noise_scale) {
    const double decay = kick.decay;
    const double gain = kick.gain;
    if (gain == 0.0)
      return drift(
          theta, key, offset, [=](double, double, double, double noise, std::size_t) { return noise; }, noise_scale);
    if (decay == 0.0)
      return drift(
          theta, key, offset,
          [=](double, double root, double gradient, double noise, std::size_t) {
            return gain * root * gradient + noise;
          },
          noise_scale);
    return drift(
        theta, key, offset,
        [=](double velocity, double root, double gradient, double noise, std::size_t) {
          return decay * velocity + gain * root * gradient + noise;
        },
        noise_scale);
  }

  template <class NewVelocity, class NoiseScale>
  bool drift(const double* theta, const StreamKey& key, std::uint64_t offset, NewVelocity&& new_velocity,
             NoiseScale&& noise_scale) {
    const double* gradient = gradient_.data();
    const double* root = steps_.root();
    double* velocity = velocity_.data();
    double* next = proposal_.data();  // theta itself, after the first step of a trajectory
    const std::uint64_t bad = for_noise_blocks(pool(), key, offset, dimension(), key_.single_precision_noise,
                                               [=](std::size_t begin, std::size_t count, const auto* noise) {
                                                 std::uint64_t bad_here = 0;
                                                 SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : bad_here))
                                                 for (std::size_t k = 0; k < count; ++k) {
                                                   const std::size_t j = begin + k;
                                                   const double v = new_velocity(velocity[j], root[j], gradient[j],
                                                                                 noise_scale(j) * noise[k], j);
                                                   const double moved = theta[j] + root[j] * v;
                                                   velocity[j] = v;
                                                   next[j] = moved;
                                                   bad_here |= non_finite_bit(moved);
                                                 }
                                                 return bad_here;
                                               });
    return bad != 0;
  }

  StepSizes steps_;
  std::vector<double> velocity_;
  std::vector<double> variance_;  // empty without noise correction
  std::uint64_t moving_ = 0;      // whether velocity_ belongs to the current position
  std::uint64_t length_;
  bool refresh_;
  Kick start_{}, interior_{};
  std::vector<Kick> interior_each_;  // with friction_each; else empty
};

constexpr double sghmc_whitened_steps[] = {0.3, 0.1, 0.03};

/// Other frictions and trajectory lengths. On a standard normal, a quarter of a period takes pi / 2 / sqrt(step) steps,
/// which makes draws approximately independent.
std::vector<SamplerOptions> sghmc_variants(const SamplerOptions& sampler, const Variation& may) {
  constexpr double quarter_period = 1.57, larger_friction = 0.1;
  constexpr std::uint32_t longer = 20;
  const auto& own = std::get<SghmcOptions>(sampler);
  std::vector<SghmcOptions> all = {own};
  SghmcOptions other = own;
  other.trajectory_length =
      may.whitened
          ? static_cast<std::uint32_t>(std::clamp(std::round(quarter_period / std::sqrt(may.step_size)), 1.0, 50.0))
          : longer;
  if (may.trajectory_lengths && other.trajectory_length != own.trajectory_length) {
    if (may.whitened && !may.thorough) all.clear();
    if (may.whitened || may.thorough) all.insert(all.begin(), other);
  }
  other = all.front();
  other.friction = larger_friction;
  if (may.frictions && may.thorough && own.friction != larger_friction) all.push_back(other);
  return {all.begin(), all.end()};
}

/// Summed over the steps of a trajectory, in units of the velocity.
double noise_gain(const SghmcOptions& options) {
  const double more = options.trajectory_length - (options.refresh_momentum ? 1.0 : 0.0);
  const bool plain = options.form == SghmcForm::plain;
  const double decay = std::exp(-options.friction);
  const double gain = plain ? 1.0 : 0.5 * (1.0 + decay);
  const double injected = plain ? 2.0 * options.friction : -std::expm1(-2.0 * options.friction);
  const double start_gain = plain ? 0.0 : 0.25, start = options.refresh_momentum ? 1.0 : 0.0;
  return (start * start_gain + more * gain * gain) / (start + more * injected);
}

}  // namespace

SamplerTraits SghmcOptions::traits() const {
  const bool draws_meet_gradients =
      form == SghmcForm::splitting || !refresh_momentum;  // else a step starts with a drift
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = true,
          .statistics = no_statistics,
          .draw_gradient =
              draws_meet_gradients
                  ? DrawGradient::after(1)
                  : DrawGradient::never(
                        "in its plain form takes no gradient at its draws; use form splitting, or zero_variance none"),
          .whitening = WhiteningLimits{.refused = "",
                                       .diagonal = noise_correction == NoiseCorrection::fisher
                                                       ? "noise_correction fisher looks at each coordinate by itself"
                                                       : ""},
          .whitened_by_default = false,
          .step_biases = true,
          .langevin_law = false,
          .noise_gain = noise_gain(*this),
          .trajectory_length = trajectory_length,
          .friction = friction,
          .tuning = TuningGrid{.steps = momentum_steps,
                               .whitened_steps = sghmc_whitened_steps,
                               .unit = largest_stable_unit,
                               .variants = sghmc_variants},
          .words = usual_words()};
}

std::unique_ptr<Dynamics> SghmcOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Sghmc>(*this, dimension);
}

}  // namespace sgmcmc
