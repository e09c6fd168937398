// sgrld: Riemannian Langevin dynamics with a user-defined metric (Patterson and Teh 2013; thesis 5.2.2; hamcmc paper,
// equation 8).
//
//   theta <- theta + (epsilon / 2) (G^-1 gradient + Gamma) + N(0, epsilon G^-1),   Gamma_i = sum_j d(G^-1)_ij /
//   dtheta_j
//
// Deviation: if not given, Gamma is computed by central differences, with steps of 1e-5 of a coordinate's scale 1 /
// sqrt(G_jj).
#include "base/decompositions.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <Eigen/Core>

#include <cmath>
#include <string>

namespace sgmcmc {

void SgrldOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (step_size.values.size() > 1 && dimension > 1)
    throw OptionError(
        "the metric of sgrld sets the scales of the parameters; give one step_size, not one per parameter");
}

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

class Sgrld final : public Dynamics {
 public:
  Sgrld(const SgrldOptions& options, std::size_t dimension)
      : Dynamics(dimension),
        steps_(options.step_size, options.schedule, dimension),
        user_(options.metric),
        size_(static_cast<Eigen::Index>(dimension)),
        metric_(user_.dense ? dimension * dimension : dimension),
        gamma_(dimension),
        move_(dimension),
        factor_(user_.dense ? size_ : 0),
        moved_factor_(user_.dense ? size_ : 0) {
    if (user_.constant || user_.correction) return;
    moved_.resize(dimension);
    moved_metric_.resize(metric_.size());
  }

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }
  std::span<const double> move_beside_noise() const override { return move_; }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    known_ = false;
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    if (!user_.value) throw OptionError("sgrld needs a metric");
    steps_.set_iteration(iteration);
    estimator.estimate(position_, iteration, gradient_);
    if (!(known_ && user_.constant) && !look_at_metric()) return {StepFailure::gradient_not_finite, culprit_};
    fill_normal(stream(iteration, Purpose::noise), proposal_);
    const double root = std::sqrt(steps_.mean());
    Eigen::Map<Vector> moved(proposal_.data(), size_), gradient(gradient_.data(), size_), move(move_.data(), size_);
    if (user_.dense) {  // G^-1 = L'^-1 L^-1
      factor_.solve_lower_in_place(gradient);
      move = 0.5 * root * gradient + moved;
      moved = move;
      factor_.solve_upper_in_place(moved);
    } else {
      for (std::size_t j = 0; j < dimension(); ++j) {
        const double scale = 1.0 / std::sqrt(metric_[j]);
        move_[j] = 0.5 * root * scale * gradient_[j] + proposal_[j];
        proposal_[j] = scale * move_[j];
      }
    }
    std::uint64_t bad = 0;
    for (std::size_t j = 0; j < dimension(); ++j) {
      proposal_[j] = position_[j] + root * proposal_[j] + 0.5 * steps_.mean() * gamma_[j];
      bad |= non_finite_bit(proposal_[j]);
    }
    return bad ? diagnose(proposal_) : accept_proposal();
  }

 private:
  bool look_at_metric() {
    known_ = false;
    user_.value(position_, metric_);
    if (user_.dense) factor_.compute(Eigen::Map<const Matrix>(metric_.data(), size_, size_));
    for (std::size_t j = 0; j < dimension(); ++j) {
      const double diagonal = metric_[user_.dense ? j * (dimension() + 1) : j];
      if (!(diagonal > 0.0 && std::isfinite(diagonal))) return culprit_ = j, false;
    }
    if (user_.dense && !factor_.succeeded()) return culprit_ = 0, false;
    known_ = true;
    if (user_.correction)
      user_.correction(position_, gamma_);
    else if (!user_.constant)
      difference();
    return true;
  }

  /// Gamma by central differences of column j of G^-1 in coordinate j.
  void difference() {
    std::fill(gamma_.begin(), gamma_.end(), 0.0);
    Eigen::Map<Vector> gamma(gamma_.data(), size_);
    moved_.assign(position_.begin(), position_.end());
    for (std::size_t j = 0; j < dimension(); ++j) {
      const double diagonal = metric_[user_.dense ? j * (dimension() + 1) : j];
      const double shift = 1e-5 / std::sqrt(diagonal);
      for (const double side : {1.0, -1.0}) {
        moved_[j] = position_[j] + side * shift;
        user_.value(moved_, moved_metric_);
        const double weight = side / (2.0 * shift);
        if (user_.dense) {
          moved_factor_.compute(Eigen::Map<const Matrix>(moved_metric_.data(), size_, size_));
          gamma += weight * moved_factor_.solve(Vector(Vector::Unit(size_, static_cast<Eigen::Index>(j))));
        } else {
          gamma_[j] += weight / moved_metric_[j];
        }
      }
      moved_[j] = position_[j];
    }
  }

  StepSizes steps_;
  PositionMetric user_;
  Eigen::Index size_;
  std::vector<double> metric_, gamma_, move_;
  std::vector<double> moved_, moved_metric_;
  Cholesky factor_, moved_factor_;
  bool known_ = false;  // whether a constant metric was evaluated
  std::size_t culprit_ = 0;
};

}  // namespace

SamplerTraits SgrldOptions::traits() const {
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = false,
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::after(1),
          .whitening = WhiteningLimits{.refused = "has scales of its own", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = true,
          .langevin_law = false,
          .noise_gain = std::nan(""),
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning =
              TuningGrid{
                  .steps = langevin_steps, .whitened_steps = no_steps, .unit = posterior_unit, .variants = no_variants},
          .words = usual_words()};
}

std::unique_ptr<Dynamics> SgrldOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Sgrld>(*this, dimension);
}

}  // namespace sgmcmc
