// hmc and mala: Hamiltonian Monte Carlo with trajectories of given length (Neal 2011, "MCMC using Hamiltonian
// dynamics"), and the Metropolis-adjusted Langevin algorithm (Roberts & Tweedie 1996).
//
// hmc: p ~ N(0, M); L leapfrog steps from (theta, p) to (theta', p'); accepted with probability min(1, exp(H - H')).
// L = integration_time / step_size but at most 1024, or leapfrog_steps, times a factor drawn uniformly from (1 -
// jitter, 1 + jitter) in every iteration, rounded: with a fixed length, a chain whose parameters oscillate with that
// period never moves. mala is the same with L = 1:
//   theta' = theta + step_size^2 / 2 M^-1 gradient + step_size M^-1/2 z,
// so that the square of its step_size is the step_size of sgld.
#include "dynamics/hamiltonian.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {

void HmcOptions::validate(std::size_t) const {
  validate_hamiltonian(name, step_size, target_acceptance);
  if (!(integration_time > 0.0 && std::isfinite(integration_time)))
    throw OptionError("integration_time is " + std::to_string(integration_time) + "; it must be positive and finite");
  if (!(jitter >= 0.0 && jitter <= 1.0))
    throw OptionError("jitter is " + std::to_string(jitter) + "; it must lie between 0 and 1");
}

void MalaOptions::validate(std::size_t) const { validate_hamiltonian(name, step_size, target_acceptance); }

namespace {

/// The number of steps of a trajectory.
struct TrajectoryLength {
  double time = 0.0;  // 0: steps
  double steps = 1.0;
  double jitter = 0.0;

  std::uint64_t at(double step_size, double uniform) const {
    constexpr double most = 1024;  // as for nuts: a tiny step size in warm-up must not stall the chain
    const double wanted = time > 0.0 ? std::min(time / step_size, most) : steps;
    return static_cast<std::uint64_t>(std::max(1.0, std::round(wanted * (1.0 + jitter * (2.0 * uniform - 1.0)))));
  }
};

class StaticTrajectory final : public HamiltonianDynamics {
 public:
  StaticTrajectory(const HamiltonianSettings& settings, const TrajectoryLength& length, std::size_t dimension)
      : HamiltonianDynamics(settings, dimension, HmcOptions::statistics.size()), length_(length), point_(dimension) {}

 private:
  double transition(GradientEstimator& estimator, std::uint64_t iteration, double step_size) override {
    UniformSequence uniforms(stream(iteration, Purpose::acceptance));
    start_point(iteration, point_);
    const double start_energy = energy(point_, velocity_);
    const std::uint64_t steps = length_.at(step_size, uniforms.next());
    std::uint64_t done = 0;
    double end_energy = start_energy;
    bool diverged = false;
    while (done < steps &&
           std::isfinite(end_energy)) {  // the reverse trajectory meets the same infinity, so rejecting is valid
      if (interrupted()) {
        given_up_ = true;
        return 0.0;
      }
      leapfrog(estimator, point_, step_size);
      ++done;
      end_energy = energy(point_, velocity_);
      diverged = diverged || !(start_energy - end_energy > -divergence_threshold);
    }
    const double acceptance = std::min(1.0, std::exp(start_energy - end_energy));
    const bool accepted = uniforms.next() < acceptance;
    if (accepted) {
      position_.swap(point_.theta);
      gradient_.swap(point_.gradient);
      log_density_ = point_.log_density;
    }
    statistics_ = {log_density_,
                   acceptance,
                   step_size,
                   static_cast<double>(done),
                   diverged ? 1.0 : 0.0,
                   accepted ? end_energy : start_energy};
    return acceptance;
  }

  TrajectoryLength length_;
  PhasePoint point_;
};

double given(const StepSize& step_size) { return step_size.values.empty() ? 0.0 : step_size.values[0]; }

}  // namespace

SamplerTraits HmcOptions::traits() const { return hamiltonian_traits(statistics); }

std::unique_ptr<Dynamics> HmcOptions::make(std::size_t dimension) const {
  validate(dimension);
  TrajectoryLength length{integration_time, 1.0, jitter};
  if (leapfrog_steps > 0) length = {0.0, static_cast<double>(leapfrog_steps), jitter};
  return std::make_unique<StaticTrajectory>(HamiltonianSettings{given(step_size), target_acceptance, metric, adapt},
                                            length, dimension);
}

SamplerTraits MalaOptions::traits() const { return hamiltonian_traits(statistics); }

std::unique_ptr<Dynamics> MalaOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<StaticTrajectory>(HamiltonianSettings{given(step_size), target_acceptance, metric, adapt},
                                            TrajectoryLength{}, dimension);
}

}  // namespace sgmcmc
