// The gradient of the conditional density of some blocks of a cycle, as an estimator for samplers: from a user-defined
// function, or from a model whose other parameters stay fixed.
#pragma once

#include "gradient/estimators.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/cycle.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// An estimator that receives the state of a chain before each step and maps its blocks to the position of a sampler.
class ConditionalEstimator : public GradientEstimator {
 public:
  /// Uses the current state until end(). Returns the position of the blocks moved.
  virtual std::span<const double> begin(Blocks& state) = 0;
  /// Writes the position to the blocks.
  virtual void end(std::span<const double> position) = 0;
};

/// The position is the concatenation of the blocks; trial points are written to the state itself.
class FunctionBlocksEstimator final : public ConditionalEstimator {
 public:
  FunctionBlocksEstimator(std::vector<std::string> blocks, std::size_t dimension,
                          const ConditionalGradient& conditional)
      : blocks_(std::move(blocks)), position_(dimension), conditional_(conditional) {}

  std::span<const double> begin(Blocks& state) override;
  void end(std::span<const double> position) override { show(position); }

  std::size_t dimension() const override { return position_.size(); }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override;
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override;
  double log_density(std::span<const double> theta, std::span<double> gradient) override;

 private:
  void show(std::span<const double> theta);

  std::vector<std::string> blocks_;
  std::vector<double> position_;
  const ConditionalGradient& conditional_;
  Blocks* state_ = nullptr;
};

/// The position holds the coordinates of the moved parameters; other coordinates come from the blocks.
class ModelBlocksEstimator final : public ConditionalEstimator {
 public:
  ModelBlocksEstimator(std::shared_ptr<const LogPosterior> posterior, const std::vector<std::string>& blocks,
                       const GradientOptions& options, std::uint64_t seed, std::uint32_t chain);

  std::span<const double> begin(Blocks& state) override;
  void end(std::span<const double> position) override;

  std::size_t dimension() const override { return coordinates_.size(); }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override;
  void estimate_again(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override;
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override;
  double log_density(std::span<const double> theta, std::span<double> gradient) override;
  void prior_gradient(std::span<const double> theta, std::span<double> gradient) override;
  double rows() const override { return inner_->rows(); }
  std::size_t batch_rows() const override { return inner_->batch_rows(); }
  void visit_state(StateVisitor& visitor) override;

 private:
  struct Moved {
    std::string name;
    std::size_t offset, coordinates;  // unconstrained
    std::size_t begin, size;          // among all constrained values
    bool bounds_are_fixed;
    std::vector<double> written;  // constrained values whose coordinates are in point_
  };
  void place(std::span<const double> theta);                                // into point_
  void gather(std::span<const double> whole, std::span<double> out) const;  // those of moved coordinates

  std::shared_ptr<const LogPosterior> posterior_;
  std::unique_ptr<GradientEstimator> inner_;
  std::unique_ptr<Executor> to_values_;
  std::vector<Moved> moved_;
  std::vector<std::size_t> coordinates_;  // of moved parameters, in the model's vector
  std::vector<double> point_, gradient_, variance_, values_, position_;
  std::map<std::string, std::vector<double>> blocks_;  // constrained values of all parameters
  Blocks* state_ = nullptr;
};

}  // namespace sgmcmc
