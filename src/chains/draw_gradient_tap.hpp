// Pairs draws of a chain with the gradient estimates at them, for zero_variance.
#pragma once

#include "dynamics/traits.hpp"
#include "gradient/forwarding_estimator.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {

/// Pairs each announced draw with the first later estimate at its position, from a minibatch that did not influence the
/// draw. An estimate that did would be biased given the draw.
class DrawGradientTap final : public ForwardingEstimator {
 public:
  /// lag: iterations until a sampler evaluates the gradient at a draw.
  DrawGradientTap(std::unique_ptr<GradientEstimator> inner, ZeroVariance sums, std::size_t lag, std::size_t functions)
      : ForwardingEstimator(std::move(inner)), sums_(std::move(sums)), waiting_(lag) {
    for (auto& draw : waiting_) {
      draw.position.resize(dimension());
      draw.values.resize(functions);
    }
  }

  void announce(std::span<const double> position, std::span<const double> values, double weight) {
    Waiting& draw = waiting_[next_++ % waiting_.size()];  // overwrites a draw whose estimate never came
    std::copy(position.begin(), position.end(), draw.position.begin());
    std::copy(values.begin(), values.end(), draw.values.begin());
    draw.weight = weight;
    draw.waits = 1;
  }
  ZeroVariance& sums() { return sums_; }

  void visit_state(StateVisitor& visitor) override {
    ForwardingEstimator::visit_state(visitor);
    sums_.visit_state(visitor);
    visitor.visit("announced", next_);
    for (auto& draw : waiting_) {
      visitor.visit("waiting_position", draw.position);
      visitor.visit("waiting_values", draw.values);
      visitor.visit("waiting_weight", draw.weight);
      visitor.visit("waits", draw.waits);
    }
  }

 private:
  struct Waiting {
    std::vector<double> position, values;
    double weight = 0;
    std::uint64_t waits = 0;
  };

  void see(std::span<const double> theta, std::uint64_t, std::span<const double> gradient) override {
    for (auto& draw : waiting_) {
      if (!draw.waits || !std::equal(theta.begin(), theta.end(), draw.position.begin())) continue;
      draw.waits = 0;
      sums_.add(draw.position, gradient, draw.values, draw.weight);
    }
  }

  ZeroVariance sums_;
  std::vector<Waiting> waiting_;
  std::uint64_t next_ = 0;
};

/// Iterations until the sampler evaluates the gradient at a draw: 0 if immediately, empty if never.
inline std::optional<std::size_t> gradient_lag(const SamplerOptions& sampler) {
  return traits_of(sampler).draw_gradient->lag;
}

}  // namespace sgmcmc
