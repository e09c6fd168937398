// Shared by nuts, hmc and mala: leapfrog steps, and the adaptation of step size and metric during warm-up.
//
// H(theta, p) = -log density(theta) + p' M^-1 p / 2, which a trajectory of leapfrog steps conserves up to
// O(step_size^2). Each sampler defines transition(), which chooses the next draw along a trajectory.
//
// Before the first iteration, and whenever the metric changes, the step size is doubled or halved until the acceptance
// exp(H - H') of one leapfrog step crosses 0.8 (Hoffman & Gelman 2014, algorithm 4, which has 0.5; 0.8 as in Stan).
// Then dual averaging adapts it to the target acceptance rate.
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

/// Options that the three samplers share.
struct HamiltonianSettings {
  double step_size = 0.0;  ///< 0: automatic
  double target_acceptance = 0.8;
  Metric metric = Metric::diagonal;
  bool adapt = true;
};

/// Base class of the three samplers.
SamplerTraits hamiltonian_traits(std::span<const std::string_view> statistics);

class HamiltonianDynamics : public Dynamics {
 public:
  /// An energy error above this ends a trajectory as divergent.
  static constexpr double divergence_threshold = 1000.0;

  std::uint64_t evaluations_per_iteration() const override { return 0; }  // a variable number
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

  /// A leapfrog step of signed length. Non-finite values show in the energy of the point.
  void leapfrog(GradientEstimator& estimator, PhasePoint& point, double step_size);
  MassMatrix& mass_matrix() { return mass_matrix_; }

 protected:
  HamiltonianDynamics(const HamiltonianSettings& settings, std::size_t dimension, std::size_t statistics);

  /// One trajectory from position_, whose log_density_ and gradient_ are known. Sets all three to the next draw, and
  /// statistics_ except the step size. Returns the acceptance statistic. If interrupted, changes nothing but given_up_.
  virtual double transition(GradientEstimator& estimator, std::uint64_t iteration, double step_size) = 0;

  /// H of a point; infinite if any part of it is NaN. Writes the velocity.
  double energy(const PhasePoint& point, std::span<double> velocity) const;
  void start_point(std::uint64_t iteration, PhasePoint& point);  ///< position_, with fresh momentum

  double log_density_ = 0.0;        // at position_
  bool given_up_ = false;           // the transition was interrupted: its other results are invalid
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

/// Validates the shared options. Throws OptionError.
void validate_hamiltonian(std::string_view sampler, const StepSize& step_size, double target_acceptance);

/// Uniform numbers from the stream of one iteration, one at a time.
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
