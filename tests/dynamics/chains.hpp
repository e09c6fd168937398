// Runs samplers in tests: time averages per replicate, and samplers written as lambdas, to plant errors.
#pragma once

#include "dynamics/dynamics.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::testing {

/// Runs a chain from 0 and returns the averages of the sums to which observe(position, sums) adds, over `iterations`
/// draws after burn-in.
template <class Observe>
std::vector<double> time_averages(Dynamics& dynamics, GradientEstimator& estimator, std::size_t replicates,
                                  std::uint64_t burn_in, std::uint64_t iterations, Observe&& observe,
                                  std::uint64_t seed = 1) {
  const std::vector<double> start(dynamics.dimension(), 0.0);
  dynamics.initialise(start, {seed, 0});
  std::vector<double> sums(replicates, 0.0);
  for (std::uint64_t t = 0; t < burn_in + iterations; ++t) {
    const StepStatus status = dynamics.step(estimator, t);
    if (!status.ok()) {
      ADD_FAILURE() << "step " << t << " failed at coordinate " << status.coordinate;
      break;
    }
    if (t >= burn_in) observe(dynamics.position(), std::span<double>(sums));
  }
  for (double& sum : sums) sum /= static_cast<double>(iterations);
  return sums;
}

/// Adds the squares of all coordinates: for targets with mean 0, the averages are the variances.
inline void add_squares(std::span<const double> theta, std::span<double> sums) {
  for (std::size_t j = 0; j < theta.size(); ++j) sums[j] += theta[j] * theta[j];
}

/// A sampler given as a function move(theta, gradient estimator, iteration).
class HandWritten final : public Dynamics {
 public:
  using Move = std::function<void(std::vector<double>&, GradientEstimator&, std::uint64_t)>;
  HandWritten(std::size_t dimension, Move move) : Dynamics(dimension), move_(std::move(move)) {}
  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return 1.0; }
  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    move_(position_, estimator, iteration);
    return {};
  }

 private:
  Move move_;
};

/// Reads the named state of a sampler.
class StateReader final : public StateVisitor {
 public:
  void visit(std::string_view name, double& value) override { numbers.emplace_back(name, value); }
  void visit(std::string_view, std::uint64_t&) override {}
  void visit(std::string_view name, std::vector<double>& values) override { vectors.emplace_back(name, values); }

  double number(std::string_view name) const {
    for (const auto& [key, value] : numbers)
      if (key == name) return value;
    ADD_FAILURE() << "no state named " << name;
    return 0.0;
  }
  std::vector<double> vector(std::string_view name) const {
    for (const auto& [key, value] : vectors)
      if (key == name) return value;
    ADD_FAILURE() << "no state named " << name;
    return {};
  }

  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::pair<std::string, std::vector<double>>> vectors;
};

}  // namespace sgmcmc::testing
