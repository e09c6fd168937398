// What nuts, hmc and mala share: leapfrog steps, and the adaptation of step size and metric during warm-up.
//
// H(theta, p) = -log density(theta) + p' M^-1 p / 2, of which a trajectory of leapfrog steps keeps the value up to
// O(step_size^2). What a sampler adds is transition(): where along a trajectory the chain goes next.
//
// Before the first iteration, and whenever the metric changes, the step size is doubled or halved from where it is
// until the acceptance exp(H - H') of one leapfrog step crosses 0.8 (Hoffman & Gelman 2014, algorithm 4, which has 0.5;
// 0.8 as in Stan). From there dual averaging takes it to the target acceptance.
#pragma once

#include "dynamics/dual_averaging.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/mass_matrix.hpp"
#include "dynamics/traits.hpp"
#include "dynamics/warmup_windows.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// A point of a trajectory.
struct PhasePoint {
  std::vector<double> theta, momentum, gradient;
  double log_density = 0.0;

  explicit PhasePoint(std::size_t dimension) : theta(dimension), momentum(dimension), gradient(dimension) {}
};

/// The options the three have in common.
struct HamiltonianSettings {
  double step_size = 0.0;  ///< 0: found
  double target_acceptance = 0.8;
  Metric metric = Metric::diagonal;
  bool adapt = true;
};

/// What the three have in common.
SamplerTraits hamiltonian_traits(std::span<const std::string_view> statistics);

class HamiltonianDynamics : public Dynamics {
 public:
  /// An energy error above this ends a trajectory: the step size is far too large for where it got to.
  static constexpr double divergence_threshold = 1000.0;

  std::uint64_t evaluations_per_iteration() const override { return 0; }  // as many as it takes
  double last_step_size() const override { return used_step_size_; }
  double draw_weight() const override { return 1.0; }
  std::span<const double> statistics() const override { return statistics_; }
  std::span<const double> gradient_here() const override {
    return density_known_ ? std::span<const double>(gradient_) : std::span<const double>{};
  }

  void initialise(std::span<const double> theta, const ChainKey& key) override;
  void set_position(std::span<const double> theta) override;
  void plan_warmup(std::uint64_t iterations) override;
  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) final;
  void visit_state(StateVisitor& visitor) override;

  /// A leapfrog step of signed length. What is not finite shows in the energy of the point.
  void leapfrog(GradientEstimator& estimator, PhasePoint& point, double step_size);
  MassMatrix& mass_matrix() { return mass_matrix_; }

 protected:
  HamiltonianDynamics(const HamiltonianSettings& settings, std::size_t dimension, std::size_t statistics);

  /// One trajectory from position_, whose log_density_ and gradient_ are known, leaving all three at the next draw and
  /// statistics_ filled but for the step size. Returns the acceptance statistic. Where it sees that it is interrupted
  /// it changes nothing but given_up_.
  virtual double transition(GradientEstimator& estimator, std::uint64_t iteration, double step_size) = 0;

  /// H of a point; infinite where any part of it is not a number. Writes the velocity.
  double energy(const PhasePoint& point, std::span<double> velocity) const;
  void start_point(std::uint64_t iteration, PhasePoint& point);  ///< position_, with fresh momentum

  double log_density_ = 0.0;        // at position_
  bool given_up_ = false;           // the transition was interrupted: nothing else of it may be used
  std::vector<double> statistics_;  // in the order of the names in the options
  std::vector<double> velocity_;    // scratch

 private:
  void find_step_size(GradientEstimator& estimator, std::uint64_t iteration);

  HamiltonianSettings settings_;
  MassMatrix mass_matrix_;
  DualAveraging averaging_;
  WarmupWindows windows_;
  PhasePoint probe_;
  double step_size_ = 0.0, used_step_size_ = 0.0;
  std::uint64_t warmup_ = 0;
  std::uint64_t density_known_ = 0;  // whether log_density_ and gradient_ belong to position_
  std::uint64_t started_ = 0;        // whether the step size has been found
};

/// Throws OptionError: what the options of the three samplers have in common.
void validate_hamiltonian(std::string_view sampler, const StepSize& step_size, double target_acceptance);

/// Uniform numbers one by one, of the stream of one iteration.
class UniformSequence {
 public:
  explicit UniformSequence(const StreamKey& key) : key_(key) {}
  double next() {
    if (used_ % block_.size() == 0) fill_uniform(key_, block_, used_);
    return block_[used_++ % block_.size()];
  }

 private:
  StreamKey key_;
  std::array<double, 16> block_{};
  std::uint64_t used_ = 0;
};

}  // namespace sgmcmc
