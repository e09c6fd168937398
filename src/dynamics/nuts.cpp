// nuts: the No-U-Turn sampler with multinomial sampling along the trajectory (Betancourt 2017, "A conceptual
// introduction to Hamiltonian Monte Carlo", appendix A; first form: Hoffman & Gelman 2014).
//
// From (theta, p), p ~ N(0, M), a trajectory of leapfrog steps is doubled repeatedly, forwards or backwards at random,
// until it turns back on itself. Its points z have weights exp(H0 - H(z)):
//   within a new half, the sample of two merged halves is that of the second with probability w2 / (w1 + w2);
//   the sample of the new half replaces that of the old trajectory with probability min(1, w_new / w_old).
// A tree of points has turned back (A.4.2) unless, with rho the sum of its momenta and p_first, p_last at its ends,
//   rho' M^-1 p_first > 0  and  rho' M^-1 p_last > 0.
// This is checked for every tree and subtree, and, where two halves a and b meet, also for a with the first point of b,
// and for b with the last point of a (as in Stan since 2.21): otherwise a trajectory of exactly one period is detected
// by neither half, and continues. A new half that diverged (H - H0 > 1000), or with a subtree that turned back, is
// discarded and ends the trajectory.
#include "dynamics/hamiltonian.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace sgmcmc {

void NutsOptions::validate(std::size_t) const {
  validate_hamiltonian(name, step_size, target_acceptance);
  if (max_tree_depth < 1 || max_tree_depth > 24)
    throw OptionError("max_tree_depth is " + std::to_string(max_tree_depth) +
                      "; it must lie between 1 and 24: a trajectory has up to 2^max_tree_depth steps");
}

namespace {

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// Consecutive points of a trajectory, in the order of their creation: the data to join it to others, and one of its
/// points, drawn in proportion to the weights.
struct Tree {
  std::vector<double> momentum_sum, first_momentum, last_momentum, first_velocity, last_velocity;
  double log_weight = 0.0;

  std::vector<double> theta, gradient;  // the point drawn
  double log_density = 0.0, energy = 0.0;

  void resize(std::size_t dimension) {
    for (auto* v : {&momentum_sum, &first_momentum, &last_momentum, &first_velocity, &last_velocity, &theta, &gradient})
      v->resize(dimension);
  }
  void turn_round() {
    first_momentum.swap(last_momentum);
    first_velocity.swap(last_velocity);
  }
  void take_point_of(Tree& other) {
    theta.swap(other.theta);
    gradient.swap(other.gradient);
    log_density = other.log_density;
    energy = other.energy;
  }
  /// `next` continues this one.
  void append(Tree& next) {
    for (std::size_t j = 0; j < momentum_sum.size(); ++j) momentum_sum[j] += next.momentum_sum[j];
    last_momentum.swap(next.last_momentum);
    last_velocity.swap(next.last_velocity);
    log_weight = log_sum(log_weight, next.log_weight);
  }
};

/// Whether both velocities point along a + b.
bool along(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& first_velocity,
           const std::vector<double>& last_velocity) {
  double first = 0.0, last = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double sum = a[j] + b[j];
    first += sum * first_velocity[j];
    last += sum * last_velocity[j];
  }
  return first > 0.0 && last > 0.0;
}

/// Whether the tree made of a and then b has not turned back.
bool goes_on(const Tree& a, const Tree& b) {
  return along(a.momentum_sum, b.momentum_sum, a.first_velocity, b.last_velocity) &&
         along(a.momentum_sum, b.first_momentum, a.first_velocity, b.first_velocity) &&
         along(b.momentum_sum, a.last_momentum, a.last_velocity, b.last_velocity);
}

class Nuts final : public HamiltonianDynamics {
 public:
  Nuts(const NutsOptions& options, std::size_t dimension)
      : HamiltonianDynamics({options.step_size.values.empty() ? 0.0 : options.step_size.values[0],
                             options.target_acceptance, options.metric, options.adapt},
                            dimension, NutsOptions::statistics.size()),
        max_depth_(options.max_tree_depth),
        forward_(dimension),
        backward_(dimension),
        second_halves_(options.max_tree_depth) {
    whole_.resize(dimension);
    added_.resize(dimension);
  }

 private:
  double transition(GradientEstimator& estimator, std::uint64_t iteration, double step_size) override {
    UniformSequence uniforms(stream(iteration, Purpose::acceptance));
    start_point(iteration, forward_);
    backward_ = forward_;
    start_energy_ = energy(forward_, whole_.first_velocity);
    whole_.last_velocity = whole_.first_velocity;
    whole_.momentum_sum = whole_.first_momentum = whole_.last_momentum = forward_.momentum;
    whole_.log_weight = 0.0;
    whole_.theta = position_;
    whole_.gradient = gradient_;
    whole_.log_density = log_density_;
    whole_.energy = start_energy_;
    leapfrogs_ = 0;
    acceptance_sum_ = 0.0;
    diverged_ = false;

    std::uint32_t depth = 0;
    bool grows_forward = true;
    while (depth < max_depth_) {
      const bool forward = uniforms.next() < 0.5;
      if (forward != grows_forward) whole_.turn_round();
      grows_forward = forward;
      if (!build(estimator, depth, forward ? forward_ : backward_, forward ? step_size : -step_size, added_, uniforms))
        break;
      ++depth;
      if (uniforms.next() < std::exp(added_.log_weight - whole_.log_weight)) whole_.take_point_of(added_);
      const bool more = goes_on(whole_, added_);
      whole_.append(added_);
      if (!more) break;
    }

    if (given_up_) return 0.0;
    position_.swap(whole_.theta);
    gradient_.swap(whole_.gradient);
    log_density_ = whole_.log_density;
    const auto steps = static_cast<double>(leapfrogs_);
    const double acceptance = acceptance_sum_ / steps;
    statistics_ = {log_density_,          acceptance,   step_size, static_cast<double>(depth), steps,
                   diverged_ ? 1.0 : 0.0, whole_.energy};
    return acceptance;
  }

  /// Adds 2^depth points after `end`, which advances. Returns false if they turned back or diverged.
  bool build(GradientEstimator& estimator, std::uint32_t depth, PhasePoint& end, double step_size, Tree& tree,
             UniformSequence& uniforms) {
    if (depth == 0) return build_leaf(estimator, end, step_size, tree);
    Tree& second = second_halves_[depth - 1];
    if (second.theta.empty()) second.resize(dimension());  // first use of this depth
    if (!build(estimator, depth - 1, end, step_size, tree, uniforms)) return false;
    if (!build(estimator, depth - 1, end, step_size, second, uniforms)) return false;
    const double total = log_sum(tree.log_weight, second.log_weight);
    if (uniforms.next() < std::exp(second.log_weight - total)) tree.take_point_of(second);
    const bool more = goes_on(tree, second);
    tree.append(second);
    return more;
  }

  bool build_leaf(GradientEstimator& estimator, PhasePoint& end, double step_size, Tree& tree) {
    if (interrupted()) {
      given_up_ = true;
      return false;
    }
    leapfrog(estimator, end, step_size);
    ++leapfrogs_;
    tree.energy = energy(end, tree.first_velocity);
    tree.log_weight = start_energy_ - tree.energy;
    acceptance_sum_ += std::min(1.0, std::exp(tree.log_weight));
    if (!(tree.log_weight > -divergence_threshold)) {
      diverged_ = true;
      return false;
    }
    tree.last_velocity = tree.first_velocity;
    tree.momentum_sum = tree.first_momentum = tree.last_momentum = end.momentum;
    tree.theta = end.theta;
    tree.gradient = end.gradient;
    tree.log_density = end.log_density;
    return true;
  }

  std::uint32_t max_depth_;
  PhasePoint forward_, backward_;  // the ends of the trajectory
  Tree whole_, added_;
  std::vector<Tree> second_halves_;  // by depth, while a tree is being built
  double start_energy_ = 0.0, acceptance_sum_ = 0.0;
  std::uint64_t leapfrogs_ = 0;
  bool diverged_ = false;
};

}  // namespace

SamplerTraits NutsOptions::traits() const { return hamiltonian_traits(statistics); }

std::unique_ptr<Dynamics> NutsOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Nuts>(*this, dimension);
}

}  // namespace sgmcmc
