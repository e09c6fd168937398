// sgld: stochastic gradient Langevin dynamics (Welling and Teh 2011; sgmcmc R package paper, equation 4).
//
//   theta <- theta + (epsilon / 2) * gradient + N(0, epsilon),   gradient at the old theta.
//
// No deviation. With precision a and gradient noise of variance V its stationary variance on a Gaussian is
// (1 + epsilon V / 4) / (a (1 - epsilon a / 4)).
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

namespace sgmcmc {

void SgldOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
}

namespace {

class Sgld final : public Dynamics {
 public:
  Sgld(const SgldOptions& options, std::size_t dimension)
      : Dynamics(dimension), steps_(options.step_size, options.schedule, dimension) {}

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    estimator.estimate(position_, iteration, gradient_);
    const double* step = steps_.step();
    const double* root = steps_.root();
    // A single step size avoids reading arrays of step sizes.
    if (steps_.uniform())
      return move(
          iteration, [e = *step](std::size_t) { return e; }, [r = *root](std::size_t) { return r; });
    return move(
        iteration, [step](std::size_t j) { return step[j]; }, [root](std::size_t j) { return root[j]; });
  }

 private:
  template <class Step, class Root>
  StepStatus move(std::uint64_t iteration, Step epsilon, Root root) {
    const double* theta = position_.data();
    const double* gradient = gradient_.data();
    double* next = proposal_.data();
    const std::uint64_t bad =
        for_noise_blocks(pool(), stream(iteration, Purpose::noise), 0, dimension(), key_.single_precision_noise,
                         [=](std::size_t begin, std::size_t count, const auto* noise) {
                           std::uint64_t bad_here = 0;
                           SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : bad_here))
                           for (std::size_t k = 0; k < count; ++k) {
                             const std::size_t j = begin + k;
                             const double moved = theta[j] + 0.5 * epsilon(j) * gradient[j] + root(j) * noise[k];
                             next[j] = moved;
                             bad_here |= non_finite_bit(moved);
                           }
                           return bad_here;
                         });
    return bad ? diagnose(proposal_) : accept_proposal();
  }

  StepSizes steps_;
};

constexpr double sgld_whitened_steps[] = {0.5, 0.25, 0.12, 0.06, 0.02};
}  // namespace

SamplerTraits SgldOptions::traits() const {
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = true,
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::after(1),
          .whitening = WhiteningLimits{.refused = "", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = true,
          .langevin_law = true,
          .noise_gain = 0.25,
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning = TuningGrid{.steps = langevin_steps,
                               .whitened_steps = sgld_whitened_steps,
                               .unit = largest_stable_unit,
                               .variants = no_variants},
          .words = usual_words()};
}

std::unique_ptr<Dynamics> SgldOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Sgld>(*this, dimension);
}

}  // namespace sgmcmc
