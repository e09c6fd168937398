// Runs a chain to the posterior and measures gradient noise there.
//
// sghmc without momentum refreshment loses a share 2 alpha of its velocity's variance per step and gains as much from
// noise. A gradient estimate of variance V adds epsilon V, which raises the temperature of the chain by the share
//
//   heat = epsilon V / (2 alpha),   hence   epsilon = 2 alpha heat / V
//
// for a tolerable heat: at 0.1, standard deviations are 5 % too large. V is estimated by the mean square of the
// estimate, which at the posterior includes the precision of the coordinate, so that steps stay short relative to the
// posterior even for coordinates without data. With one step size for all coordinates, the heat is 0.1 on average, and
// coordinates that would exceed twice that (such as one residual sd among thousands of weights) get smaller steps.
// Before the chain reaches the posterior, speed matters more than accuracy: the heat starts 30 times higher and
// decreases.
#include "tune/scout.hpp"

#include "base/text.hpp"
#include "chains/divergence.hpp"
#include "dynamics/dynamics.hpp"
#include "gradient/forwarding_estimator.hpp"
#include "minibatch/minibatcher.hpp"
#include "tune/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace sgmcmc {
namespace {

constexpr double friction = 0.03;
constexpr double hottest = 2.0;  // maximum heat of a coordinate relative to the mean, with one step size
constexpr double final_heat = 0.1, first_heat = 30.0;  // first_heat relative to final_heat
constexpr double shortest_scale = 0.1,
                 stable_scale = 0.5;      // limits of steps by the largest curvature: at the end, and always
constexpr int stages = 20, cooling = 10;  // number of stages, and of those with decreasing heat
constexpr int judged = stages - static_cast<int>(share_measured * stages + 0.5);  // first stage with measurements
constexpr int most_failures = 6;
constexpr std::uint64_t estimates_at_start = 20;
constexpr std::int64_t rows_looked_at = 4000, rows_on_the_way = 1000;

/// Moments of the components of gradient estimates.
struct Moments {
  std::vector<double> mean, square;
};

/// Forwards estimates and collects the moments of their components.
class MomentMeter final : public ForwardingEstimator {
 public:
  explicit MomentMeter(std::unique_ptr<GradientEstimator> inner) : ForwardingEstimator(std::move(inner)) { take(); }

  std::uint64_t total() const { return total_; }
  /// Moments of the estimates since the last call.
  Moments take() {
    const std::vector<double> zeros(dimension());
    Moments moments = std::exchange(sums_, {zeros, zeros});
    const double count = std::max(1.0, std::exchange(count_, 0.0));
    for (double& x : moments.mean) x /= count;
    for (double& x : moments.square) x /= count;
    return moments;
  }

 private:
  void see(std::span<const double>, std::uint64_t, std::span<const double> gradient) override {
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      sums_.mean[j] += gradient[j];
      sums_.square[j] += gradient[j] * gradient[j];
    }
    ++count_;
    ++total_;
  }

  Moments sums_;
  double count_ = 0;
  std::uint64_t total_ = 0;
};

class Scout {
 public:
  Scout(const RunSetup& setup, StepScales scales, std::uint64_t iterations)
      : setup_(setup),
        scales_(scales),
        stage_length_(std::max<std::uint64_t>(10, iterations / stages)),
        meter_(make_estimator(setup.posterior(), setup.options().gradient, setup.options().seed, 0)),
        position_(setup.starting_point(0)),
        squares_(position_.size()) {
    const auto& posterior = *setup.posterior();
    MinibatchOptions part;
    part.batch_size = std::min(rows_looked_at, posterior.rows());
    if (part.batch_size > 0) part_of_rows_.emplace(posterior.rows(), part, setup.options().seed, 0);
    density_ = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, nullptr});
    density_and_gradient_.resize(position_.size() + 1);
  }

  Scouted result() {
    look_around();
    double tamed = 1;  // temporarily reduced after a divergence
    int failures = 0;
    for (int stage = 0; stage < stages && !interrupted() && failures <= most_failures; ++stage) {
      measure_curvature(rows_on_the_way);
      const double cooled = std::min(1.0, static_cast<double>(stage) / cooling);
      const double heat = final_heat * std::pow(first_heat, 1.0 - cooled);
      const bool far = on_a_slope_ && stage < cooling;
      const double bearable = far ? stable_scale / curvature_ : std::min(heat, stable_scale / curvature_);
      if (run_stage(bearable * tamed, stage >= cooling, stage >= judged)) {
        tamed = std::min(1.0, 3 * tamed);
        continue;
      }
      ++failures;
      tamed *= 0.1;
      look_around();
      --stage;
    }
    found_.rows_touched =
        static_cast<double>(meter_.total()) * static_cast<double>(setup_.options().gradient.minibatch.batch_size);
    if (failures <= most_failures) {
      found_.failure.clear();
      finish(tamed);
    }
    return std::move(found_);
  }

 private:
  bool interrupted() const {
    const auto* flag = setup_.options().interrupt;
    return flag && flag->load(std::memory_order_relaxed);
  }

  /// Measures gradients at the start, before the first step.
  void look_around() {
    std::vector<double> gradient(position_.size());
    meter_.take();
    for (std::uint64_t k = 0; k < estimates_at_start; ++k) meter_.estimate(position_, evaluation_ + k, gradient);
    const auto moments = meter_.take();
    squares_ = moments.square;
    notice_slope(moments);
  }

  /// Far from the posterior, the mean gradient exceeds its noise: steps are then limited by curvature only.
  void notice_slope(const Moments& moments) {
    double signal = 0, noise = 0;
    const auto weights = unit_steps(squares_);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double square = moments.mean[j] * moments.mean[j];
      signal += weights[j] * square;
      noise += weights[j] * (moments.square[j] - square);
    }
    on_a_slope_ = signal > noise;
  }

  /// Step sizes at a heat of 1.
  std::vector<double> unit_steps(const std::vector<double>& squares) const {
    double sum = 0, count = 0;
    for (const double square : squares) {
      if (!std::isfinite(square)) continue;
      sum += square;
      ++count;
    }
    const double mean = sum > 0 && std::isfinite(sum) ? sum / count : 2 * friction;
    std::vector<double> steps(squares.size(), 2 * friction / mean);
    for (std::size_t j = 0; j < steps.size(); ++j) {
      if (!(squares[j] > 0) || !std::isfinite(squares[j])) continue;
      const double own = 2 * friction / squares[j];
      steps[j] = scales_ == StepScales::each ? own : std::min(steps[j], hottest * own);
    }
    return steps;
  }

  void measure_curvature(std::int64_t rows) {
    const auto scale = unit_steps(squares_);
    curvature_ = 1.0 / stable_step(*setup_.posterior(), position_, setup_.options().seed, nullptr, scale, rows);
  }

  /// Returns false if it diverged; the position is then unchanged.
  bool run_stage(double heat, bool cool, bool judge) {
    SghmcOptions& options = found_.sampler;
    options.friction = friction;
    options.trajectory_length = 1;
    options.refresh_momentum = false;
    options.step_size = StepSize(scaled(unit_steps(squares_), heat));
    auto dynamics = make_dynamics(SamplerOptions(options), position_.size());
    dynamics->initialise(position_, {setup_.options().seed, 0, false});
    DivergenceWatch watch(position_, options.step_size.values, 1.0, cool);
    meter_.take();
    double likelihoods = 0, looks = 0;
    const std::uint64_t quarter = std::max<std::uint64_t>(1, stage_length_ / 4);
    for (std::uint64_t k = 1; k <= stage_length_ && !interrupted(); ++k) {
      std::size_t culprit = 0;
      const auto status = dynamics->step(meter_, evaluation_++);
      if (!status.ok() || watch.sees(dynamics->position(), dynamics->last_step_size(), culprit) != Divergence::none)
        return ran_away(status.ok() ? culprit : status.coordinate, options.step_size.values);
      if (judge && k % quarter == 0) {
        likelihoods += log_likelihood_at(dynamics->position());
        ++looks;
      }
    }
    if (!std::isfinite(likelihoods)) {
      found_.failure = "the log likelihood is not finite at a position of the chain";
      return false;
    }
    found_.iterations += stage_length_;
    position_.assign(dynamics->position().begin(), dynamics->position().end());
    const auto moments = meter_.take();
    const auto& squares = moments.square;
    notice_slope(moments);
    for (std::size_t j = 0; j < squares.size(); ++j)
      squares_[j] = std::isfinite(squares_[j]) ? 0.5 * (squares_[j] + squares[j]) : squares[j];
    if (judge) {
      constexpr double share = 1.0 / (stages - judged);
      final_squares_.resize(squares.size());
      for (std::size_t j = 0; j < squares.size(); ++j) final_squares_[j] += share * squares[j];
      found_.log_likelihood += share * likelihoods / std::max(1.0, looks);
    }
    return true;
  }

  bool ran_away(std::size_t coordinate, const std::vector<double>& steps) {
    found_.failure = "parameter " + setup_.posterior()->model().unconstrained_names()[coordinate] +
                     formatted(" diverged with step size %.3g", steps[coordinate]);
    return false;
  }

  void finish(double tamed) {
    if (final_squares_.empty()) return;  // interrupted
    squares_ = final_squares_;
    measure_curvature(rows_looked_at);
    const double heat = std::min(final_heat * tamed, shortest_scale / curvature_);
    found_.noise_limits = heat == final_heat;
    auto steps = scaled(unit_steps(squares_), heat);
    for (double& step : steps) step = rounded(step);
    if (std::equal(steps.begin() + 1, steps.end(), steps.begin())) steps.resize(1);
    found_.sampler.step_size = StepSize(std::move(steps));
    found_.first_steps = std::clamp(stable_scale / curvature_ / heat, 1.0, first_heat);
  }

  /// Rounds to three digits: run.json may list thousands of them, and they are accurate to a few percent only.
  static double rounded(double x) { return std::stod(formatted("%.2e", x)); }

  static std::vector<double> scaled(std::vector<double> steps, double factor) {
    for (double& step : steps) step *= factor;
    return steps;
  }

  double log_likelihood_at(std::span<const double> theta) {
    density_->set_point(Point::current, theta);
    density_->run(RowBatch{}, density_and_gradient_);
    const double prior = density_and_gradient_[0];
    density_->run(part_of_rows_ ? part_of_rows_->batch(0) : setup_.posterior()->all_rows(), density_and_gradient_);
    return density_and_gradient_[0] - prior;
  }

  const RunSetup& setup_;
  StepScales scales_;
  std::uint64_t stage_length_, evaluation_ = 0;
  MomentMeter meter_;
  std::vector<double> position_, squares_, final_squares_;
  bool on_a_slope_ = false;
  double curvature_ = 0;  // of the log posterior, on the scale of unit_steps()
  std::optional<Minibatcher> part_of_rows_;
  std::unique_ptr<Executor> density_;
  std::vector<double> density_and_gradient_;
  Scouted found_;
};

}  // namespace

Scouted scout(const RunSetup& setup, StepScales scales, std::uint64_t iterations) {
  return Scout(setup, scales, iterations).result();
}

}  // namespace sgmcmc
