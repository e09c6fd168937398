// Runs a sampler in whitened coordinates, with an estimator that transforms gradients to u.
#include "dynamics/whitened.hpp"

#include "dynamics/kernel.hpp"
#include "dynamics/traits.hpp"
#include "dynamics/whitening.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

/// Forwards calls to the current estimator with transformed points and gradients.
class WhitenedEstimator final : public GradientEstimator {
 public:
  explicit WhitenedEstimator(std::shared_ptr<const Preconditioner> preconditioner)
      : map_(std::move(preconditioner)),
        at_(map_.dimension(), std::nan("")),
        theta_(map_.dimension()),
        gradient_(map_.dimension()) {
    taken_at_.assign(map_.dimension(), std::nan(""));
  }

  void set_inner(GradientEstimator& inner) { inner_ = &inner; }
  Whitening& map() { return map_; }
  /// Returns identical numbers for the same u, by which a draw is recognised when its gradient is evaluated.
  std::span<const double> position_at(std::span<const double> u) {
    if (!std::equal(u.begin(), u.end(), at_.begin())) {
      map_.position(u, theta_);
      std::copy(u.begin(), u.end(), at_.begin());
    }
    return theta_;
  }
  std::span<const double> last_gradient() const { return gradient_; }  ///< in theta
  bool last_gradient_is_at(std::span<const double> u) const {
    return std::equal(u.begin(), u.end(), taken_at_.begin(), taken_at_.end());
  }

  std::size_t dimension() const override { return map_.dimension(); }
  void estimate(std::span<const double> u, std::uint64_t evaluation, std::span<double> out) override {
    inner_->estimate(taken_position(u), evaluation, gradient_);
    map_.multiply_transposed(gradient_, out);
  }
  void estimate_again(std::span<const double> u, std::uint64_t evaluation, std::span<double> out) override {
    inner_->estimate_again(taken_position(u), evaluation, gradient_);
    map_.multiply_transposed(gradient_, out);
  }
  /// For diagonal maps only, for which variances can be transformed.
  void estimate_with_variance(std::span<const double> u, std::uint64_t evaluation, std::span<double> out,
                              std::span<double> variance) override {
    inner_->estimate_with_variance(taken_position(u), evaluation, gradient_, variance);
    map_.multiply_transposed(gradient_, out);
    const auto& scale = map_.preconditioner().scale;
    for (std::size_t j = 0; j < variance.size(); ++j) variance[j] *= scale[j] * scale[j];
  }
  /// Density of theta; that of u differs by a constant.
  double log_density(std::span<const double> u, std::span<double> out) override {
    const double value = inner_->log_density(taken_position(u), gradient_);
    map_.multiply_transposed(gradient_, out);
    return value;
  }
  void prior_gradient(std::span<const double> u, std::span<double> out) override {
    if (prior_.empty()) prior_.resize(dimension());
    inner_->prior_gradient(position_at(u), prior_);
    map_.multiply_transposed(prior_, out);
  }
  double rows() const override { return inner_->rows(); }
  std::size_t batch_rows() const override { return inner_->batch_rows(); }

 private:
  std::span<const double> taken_position(std::span<const double> u) {
    taken_at_.assign(u.begin(), u.end());
    return position_at(u);
  }

  Whitening map_;
  GradientEstimator* inner_ = nullptr;
  std::vector<double> taken_at_;    // position of gradient_
  std::vector<double> at_, theta_;  // theta_ = centre + L at_
  std::vector<double> gradient_, prior_;
};

class Whitened final : public Dynamics {
 public:
  Whitened(std::unique_ptr<Dynamics> inner, const std::shared_ptr<const Preconditioner>& preconditioner)
      : Dynamics(inner->dimension()),
        inner_(std::move(inner)),
        estimator_(preconditioner),
        deviations_(preconditioner->standard_deviations()),
        before_(dimension()),
        move_(dimension()),
        here_(dimension()) {}

  std::uint64_t evaluations_per_iteration() const override { return inner_->evaluations_per_iteration(); }
  double last_step_size() const override { return inner_->last_step_size(); }
  double draw_weight() const override { return inner_->draw_weight(); }
  void plan_warmup(std::uint64_t iterations) override { inner_->plan_warmup(iterations); }
  void set_interrupt(const std::atomic<bool>* interrupt) override {
    Dynamics::set_interrupt(interrupt);
    inner_->set_interrupt(interrupt);
  }
  void set_pool(ThreadPool* pool) override { inner_->set_pool(pool); }
  std::span<const double> statistics() const override { return inner_->statistics(); }
  std::span<const double> gradient_here() const override {
    return inner_->gradient_here().empty() ? std::span<const double>() : std::span<const double>(here_);
  }
  std::span<const double> move_beside_noise() const override {
    const auto known = inner_->move_beside_noise();
    return known.empty() ? std::span<const double>(move_) : known;
  }
  /// Elements of u mix coordinates: returns the coordinate that moved most relative to its standard deviation.
  std::size_t coordinate_of_move(std::size_t) const override {
    std::size_t most = 0;
    double largest = -1;
    for (std::size_t j = 0; j < dimension(); ++j) {
      const double moved = std::abs(position_[j] - proposal_[j]) / deviations_[j];
      if (moved > largest) {
        largest = moved;
        most = j;
      }
    }
    return most;
  }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    estimator_.map().coordinates(theta, before_);
    inner_->initialise(before_, key);
    take_position();
  }
  void set_position(std::span<const double> theta) override {
    Dynamics::set_position(theta);
    estimator_.map().coordinates(theta, before_);
    inner_->set_position(before_);
    take_position();
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    estimator_.set_inner(estimator);
    const auto from = inner_->position();
    std::copy(from.begin(), from.end(), before_.begin());
    StepStatus status = inner_->step(estimator_, iteration);
    if (status.failure == StepFailure::interrupted) return status;
    if (!status.ok()) return named(status);
    const auto theta = estimator_.position_at(inner_->position());
    if (const std::size_t bad = first_non_finite(theta); bad < dimension()) {
      inner_->set_position(before_);
      return {StepFailure::position_not_finite, bad};
    }
    position_.swap(proposal_);  // start of the move, for coordinate_of_move()
    std::copy(theta.begin(), theta.end(), position_.begin());
    const auto steps = static_cast<double>(std::max<std::uint64_t>(1, inner_->evaluations_per_iteration()));
    const double unit = 1.0 / (std::sqrt(inner_->last_step_size()) * steps);
    const auto now = inner_->position();
    for (std::size_t j = 0; j < dimension(); ++j) move_[j] = (now[j] - before_[j]) * unit;
    take_gradient();
    return status;
  }

  void visit_state(StateVisitor& visitor) override {
    inner_->visit_state(visitor);
    take_position();
  }

 private:
  /// The last gradient if it belongs to the draw; else, if a trajectory chose among many points, transformed back.
  void take_gradient() {
    const auto here = inner_->gradient_here();
    if (here.empty()) return;
    if (estimator_.last_gradient_is_at(inner_->position())) {
      const auto last = estimator_.last_gradient();
      std::copy(last.begin(), last.end(), here_.begin());
    } else {
      estimator_.map().solve_transposed(here, here_);
    }
  }
  void take_position() {
    const auto theta = estimator_.position_at(inner_->position());
    std::copy(theta.begin(), theta.end(), position_.begin());
  }
  /// The coordinate of theta that caused a failure in u.
  StepStatus named(StepStatus status) const {
    if (status.failure == StepFailure::interrupted) return status;
    const auto gradient = estimator_.last_gradient();
    if (const std::size_t bad = first_non_finite(gradient); bad < gradient.size())
      return {StepFailure::gradient_not_finite, bad};
    return {StepFailure::position_not_finite, status.coordinate};
  }

  std::unique_ptr<Dynamics> inner_;
  WhitenedEstimator estimator_;
  std::vector<double> deviations_;
  std::vector<double> before_;  // u before the step
  std::vector<double> move_;    // of u, in units of the noise
  std::vector<double> here_;    // gradient_here()
};

}  // namespace

std::unique_ptr<Dynamics> make_whitened(std::unique_ptr<Dynamics> inner,
                                        std::shared_ptr<const Preconditioner> preconditioner) {
  preconditioner->validate();
  if (preconditioner->dimension() != inner->dimension())
    throw OptionError("the preconditioner has " + std::to_string(preconditioner->dimension()) +
                      " coordinates, the model " + std::to_string(inner->dimension()));
  return std::make_unique<Whitened>(std::move(inner), preconditioner);
}

void check_whitened(const SamplerOptions& sampler, Precondition kind) {
  if (kind == Precondition::none) return;
  const std::string kind_name(precondition_name(kind));
  const SamplerTraits traits = traits_of(sampler);
  if (!traits.whitening->refused->empty())
    throw OptionError("precondition is " + kind_name + ", but " + std::string(sampler_name(sampler)) + " " +
                      std::string(*traits.whitening->refused) + "; use precondition none, or " +
                      samplers_with([](const SamplerTraits& other) { return other.whitening->refused->empty(); }));
  if (kind == Precondition::diagonal) return;
  const auto* step_size = step_size_of(sampler);
  if (step_size && step_size->values.size() > 1)
    throw OptionError("precondition is " + kind_name + " and there are " + std::to_string(step_size->values.size()) +
                      " step sizes; give one, relative to the posterior, or use precondition diagonal");
  if (!traits.whitening->diagonal->empty())
    throw OptionError(std::string(*traits.whitening->diagonal) + "; use precondition diagonal with it");
}

}  // namespace sgmcmc
