// sglm: Langevin dynamics with averaged noise (Leimkuhler and Matthews 2013), with gradients from minibatches.
//
//   theta(t + 1) = theta(t) + (epsilon / 2) * gradient + sqrt(epsilon) * (xi(t) + xi(t + 1)) / 2,   xi standard normal,
//
// gradient at theta(t). Every xi enters two steps, so that y(t) = theta(t) - sqrt(epsilon) xi(t) / 2 is a Markov chain,
// and theta(t) adds half a noise term to it, which cancels the discretisation error of its variance. On a Gaussian of
// precision a with gradient noise of variance V the stationary variance is
//   1 / a + epsilon V / (4 a (1 - epsilon a / 4)),
// so it is exact for every epsilon < 4 / a with exact gradients; elsewhere the error is of order epsilon^2. The xi are
// functions of (seed, chain, iteration): the position is the only state.
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

namespace sgmcmc {

void SglmOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
}

namespace {

class Sglm final : public Dynamics {
 public:
  Sglm(const SglmOptions& options, std::size_t dimension)
      : Dynamics(dimension), steps_(options.step_size, options.schedule, dimension), noise_(dimension) {}

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    noise_of_ = none;
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    estimator.estimate(position_, iteration, gradient_);
    if (noise_of_ != iteration) draw_noise(iteration);
    const double* theta = position_.data();
    const double* gradient = gradient_.data();
    const double* step = steps_.step();
    const double* root = steps_.root();
    double* next = proposal_.data();
    double* carried = noise_.data();
    const std::uint64_t bad = for_noise_blocks(
        pool(), stream(iteration + 1, Purpose::noise), 0, dimension(), key_.single_precision_noise,
        [=](std::size_t begin, std::size_t count, const auto* noise) {
          std::uint64_t bad_here = 0;
          SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : bad_here))
          for (std::size_t k = 0; k < count; ++k) {
            const std::size_t j = begin + k;
            const double fresh = noise[k];
            const double moved = theta[j] + 0.5 * step[j] * gradient[j] + 0.5 * root[j] * (carried[j] + fresh);
            carried[j] = fresh;
            next[j] = moved;
            bad_here |= non_finite_bit(moved);
          }
          return bad_here;
        });
    noise_of_ = iteration + 1;
    return bad ? diagnose(proposal_) : accept_proposal();
  }

  // New position or key: redraw the carried noise.
  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    noise_of_ = none;
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  void draw_noise(std::uint64_t iteration) {
    double* carried = noise_.data();
    for_noise_blocks(pool(), stream(iteration, Purpose::noise), 0, dimension(), key_.single_precision_noise,
                     [=](std::size_t begin, std::size_t count, const auto* noise) {
                       for (std::size_t k = 0; k < count; ++k) carried[begin + k] = noise[k];
                       return std::uint64_t{0};
                     });
  }

  StepSizes steps_;
  std::vector<double> noise_;  // xi of iteration noise_of_
  std::uint64_t noise_of_ = none;
};

// Larger steps are accurate for normal posteriors only: next to a steep wall (a coefficient of rows that all have one
// outcome), a step of 1 occasionally throws the chain far off, too rarely for short runs to notice.
constexpr double sglm_steps[] = {0.5, 0.25, 0.1};
}  // namespace

SamplerTraits SglmOptions::traits() const {
  return {
      .exact = false,
      .rows = RowUse::minibatches,
      .marginal = false,
      .independent_draws = false,
      .learns_from_rows = false,
      .in_cycles = false,
      .statistics = no_statistics,
      .draw_gradient = DrawGradient::after(1),
      .whitening = WhiteningLimits{.refused = "", .diagonal = ""},
      .whitened_by_default = true,
      .step_biases = true,
      .langevin_law = false,
      .noise_gain = 0.25,
      .trajectory_length = 0,
      .friction = 0.0,
      .tuning =
          TuningGrid{
              .steps = sglm_steps, .whitened_steps = sglm_steps, .unit = largest_stable_unit, .variants = no_variants},
      .words = usual_words()};
}

std::unique_ptr<Dynamics> SglmOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Sglm>(*this, dimension);
}

}  // namespace sgmcmc
