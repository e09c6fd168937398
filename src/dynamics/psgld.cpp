// psgld: sgld preconditioned by the running size of the gradient (Li, Chen, Carlson and Carin 2016; hamcmc paper,
// section 3.1).
//
//   v     <- rho v + (1 - rho) g_bar^2,   g_bar the mean gradient of a row's log likelihood, as estimated: the gradient
//            estimate less the prior's gradient, divided by the number of rows; v starts at the first g_bar^2
//   G     =  1 / (lambda + sqrt(v))
//   theta <- theta + (epsilon / 2) (G gradient + Gamma) + N(0, epsilon G),   everything elementwise
//
// Gamma = dG/dtheta is omitted as in Li et al., which biases the chain at every step size unless rho is near 1; with
// `correction` it is -(1 - rho) g_bar g_bar' / (sqrt(v) (lambda + sqrt(v))^2), the diagonal second derivative g_bar'
// estimated from a second gradient on the same minibatch, at a point displaced slightly in a direction of random signs.
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {

void PsgldOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (!(square_decay >= 0.0 && square_decay <= 1.0))
    throw OptionError("square_decay is " + std::to_string(square_decay) + "; it must be from 0 to 1");
  if (!(regularisation > 0.0 && std::isfinite(regularisation)))
    throw OptionError("regularisation is " + std::to_string(regularisation) + "; it must be positive and finite");
}

namespace {

class Psgld final : public Dynamics {
 public:
  Psgld(const PsgldOptions& options, std::size_t dimension)
      : Dynamics(dimension),
        steps_(options.step_size, options.schedule, dimension),
        decay_(options.square_decay),
        regularisation_(options.regularisation),
        square_(dimension),
        next_square_(dimension),
        prior_(dimension),
        move_(dimension) {
    if (options.correction) {
      moved_.resize(dimension);
      moved_gradient_.resize(dimension);
      moved_prior_.resize(dimension);
    }
  }

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }
  std::span<const double> move_beside_noise() const override { return move_; }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    started_ = 0;
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    estimator.estimate(position_, iteration, gradient_);
    estimator.prior_gradient(position_, prior_);
    const double per_row = 1.0 / estimator.rows();
    const double decay = started_ ? decay_ : 0.0;
    const double *theta = position_.data(), *gradient = gradient_.data(), *prior = prior_.data();
    const double *square = square_.data(), *step = steps_.step();
    double *next_square = next_square_.data(), *move = move_.data(), *next = proposal_.data();
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t j = 0; j < dimension(); ++j) {
      const double mean = (gradient[j] - prior[j]) * per_row;
      next_square[j] = decay * square[j] + (1.0 - decay) * mean * mean;
    }
    if (!moved_.empty()) add_correction(estimator, iteration, per_row);
    const double regularisation = regularisation_;
    const std::uint64_t bad =
        for_noise_blocks(pool(), stream(iteration, Purpose::noise), 0, dimension(), key_.single_precision_noise,
                         [=](std::size_t begin, std::size_t count, const auto* noise) {
                           std::uint64_t bad_here = 0;
                           SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : bad_here))
                           for (std::size_t k = 0; k < count; ++k) {
                             const std::size_t j = begin + k;
                             const double scale = 1.0 / (regularisation + std::sqrt(next_square[j]));
                             const double root = std::sqrt(step[j] * scale);
                             const double moves = 0.5 * root * gradient[j] + noise[k];
                             const double moved = theta[j] + root * moves;
                             move[j] = moves;
                             next[j] = moved;
                             bad_here |= non_finite_bit(moved);
                           }
                           return bad_here;
                         });
    if (bad) return diagnose(proposal_);
    square_.swap(next_square_);
    started_ = 1;
    return accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("square", square_);
    visitor.visit("started", started_);
  }

 private:
  /// Adds Gamma / G to the gradient.
  void add_correction(GradientEstimator& estimator, std::uint64_t iteration, double per_row) {
    fill_uniform(stream(iteration, Purpose::momentum), moved_);
    constexpr double share = 1e-3;  // of a typical step: small enough for constant curvature, large enough for rounding
    const auto shift = [&](std::size_t j) {
      return share * std::sqrt(steps_.step()[j] / (regularisation_ + std::sqrt(next_square_[j])));
    };
    for (std::size_t j = 0; j < dimension(); ++j) moved_[j] = position_[j] + (moved_[j] < 0.5 ? -shift(j) : shift(j));
    estimator.estimate_again(moved_, iteration, moved_gradient_);
    estimator.prior_gradient(moved_, moved_prior_);
    for (std::size_t j = 0; j < dimension(); ++j) {
      const double root = std::sqrt(next_square_[j]);
      if (root == 0.0) continue;
      const double mean = (gradient_[j] - prior_[j]) * per_row;
      const double slope = ((moved_gradient_[j] - moved_prior_[j]) * per_row - mean) / (moved_[j] - position_[j]);
      const double decay = started_ ? decay_ : 0.0;
      gradient_[j] -= (1.0 - decay) * mean * slope / (root * (regularisation_ + root));
    }
  }

  StepSizes steps_;
  double decay_;
  double regularisation_;
  std::vector<double> square_, next_square_;  // v, and v updated with the current gradient
  std::vector<double> prior_;
  std::vector<double> move_;
  std::vector<double> moved_, moved_gradient_, moved_prior_;  // empty without correction
  std::uint64_t started_ = 0;
};

constexpr double psgld_steps[] = {100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1};

/// Its running scales are about sd sqrt(N n), so this is a third of a variance.
double own_unit(double, double rows, double batch_size) {
  return 1.0 / (3.0 * std::max(10.0, rows) * std::sqrt(batch_size));
}

}  // namespace

SamplerTraits PsgldOptions::traits() const {
  return {
      .exact = false,
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
      .langevin_law = false,
      .noise_gain = std::nan(""),
      .trajectory_length = 0,
      .friction = 0.0,
      .tuning = TuningGrid{.steps = psgld_steps, .whitened_steps = no_steps, .unit = own_unit, .variants = no_variants},
      .words = VerdictWords{.too_narrow = "",
                            .too_wide = "",
                            .shifted = "",
                            .other_wide_cause = correction ? "" : "its preconditioner changes too fast",
                            .other_wide_remedy = correction ? "" : "switch on its correction"}};
}

std::unique_ptr<Dynamics> PsgldOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Psgld>(*this, dimension);
}

}  // namespace sgmcmc
