// Connects the state to estimators: writes trial points to blocks, or copies blocks into the vector of a model.
#include "cycles/conditional_estimators.hpp"

#include "graph/node.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>

namespace sgmcmc {

std::span<const double> FunctionBlocksEstimator::begin(Blocks& state) {
  state_ = &state;
  std::size_t at = 0;
  for (const auto& block : blocks_)
    for (const double value : state[block]) position_[at++] = value;
  return position_;
}

void FunctionBlocksEstimator::show(std::span<const double> theta) {
  std::size_t at = 0;
  for (const auto& block : blocks_)
    for (double& value : state_->write(block)) value = theta[at++];
}

void FunctionBlocksEstimator::estimate(std::span<const double> theta, std::uint64_t, std::span<double> gradient) {
  show(theta);
  conditional_(*state_, gradient);
}

void FunctionBlocksEstimator::estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation,
                                                     std::span<double> gradient, std::span<double> variance) {
  estimate(theta, evaluation, gradient);
  std::fill(variance.begin(), variance.end(), 0.0);
}

double FunctionBlocksEstimator::log_density(std::span<const double> theta, std::span<double> gradient) {
  show(theta);
  return conditional_(*state_, gradient);
}

ModelBlocksEstimator::ModelBlocksEstimator(std::shared_ptr<const LogPosterior> posterior,
                                           const std::vector<std::string>& blocks, const GradientOptions& options,
                                           std::uint64_t seed, std::uint32_t chain)
    : posterior_(std::move(posterior)) {
  const Model& model = posterior_->model();
  inner_ = make_estimator(posterior_, options, seed, chain);
  to_values_ = posterior_->executor(ProgramKind::constrained, {});
  point_.resize(static_cast<std::size_t>(model.dimension()));
  gradient_.resize(point_.size());
  variance_.resize(point_.size());
  std::size_t begin = 0;
  for (const auto& info : model.parameters()) {
    const auto size = static_cast<std::size_t>(info.shape.size());
    blocks_[info.name].resize(size);
    if (std::find(blocks.begin(), blocks.end(), info.name) != blocks.end()) {
      const auto& bounds = info.constraint.bounds();
      const bool fixed =
          std::all_of(bounds.begin(), bounds.end(), [](const Expression& x) { return x.node().op == Op::constant; });
      moved_.push_back({info.name,
                        static_cast<std::size_t>(info.offset),
                        static_cast<std::size_t>(info.unconstrained_size),
                        begin,
                        size,
                        fixed,
                        {}});
      for (std::int64_t i = 0; i < info.unconstrained_size; ++i)
        coordinates_.push_back(static_cast<std::size_t>(info.offset + i));
    }
    begin += size;
  }
  values_.resize(begin);
  position_.resize(coordinates_.size());
}

std::span<const double> ModelBlocksEstimator::begin(Blocks& state) {
  state_ = &state;
  for (auto& [name, values] : blocks_) {
    const auto block = state[name];
    std::copy(block.begin(), block.end(), values.begin());
  }
  std::vector<double> point;
  try {
    point = posterior_->model().unconstrain(blocks_);
  } catch (const DataError& error) {
    throw DivergenceError("the blocks are outside the support of the model: " + std::string(error.what()));
  }
  // An unchanged value keeps its coordinates: transforming there and back would round near a boundary.
  for (const Moved& moved : moved_)
    if (moved.bounds_are_fixed && moved.written == blocks_[moved.name])
      std::copy_n(point_.begin() + static_cast<std::ptrdiff_t>(moved.offset), moved.coordinates,
                  point.begin() + static_cast<std::ptrdiff_t>(moved.offset));
  point_ = std::move(point);
  gather(point_, position_);
  return position_;
}

void ModelBlocksEstimator::end(std::span<const double> position) {
  place(position);
  to_values_->set_point(Point::current, point_);
  to_values_->run(RowBatch{}, values_);
  for (Moved& moved : moved_) {
    const auto block = state_->write(moved.name);
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(moved.begin), moved.size, block.begin());
    moved.written.assign(block.begin(), block.end());
  }
}

void ModelBlocksEstimator::place(std::span<const double> theta) {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) point_[coordinates_[i]] = theta[i];
}

void ModelBlocksEstimator::gather(std::span<const double> whole, std::span<double> out) const {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) out[i] = whole[coordinates_[i]];
}

void ModelBlocksEstimator::estimate(std::span<const double> theta, std::uint64_t evaluation,
                                    std::span<double> gradient) {
  place(theta);
  inner_->estimate(point_, evaluation, gradient_);
  gather(gradient_, gradient);
}

void ModelBlocksEstimator::estimate_again(std::span<const double> theta, std::uint64_t evaluation,
                                          std::span<double> gradient) {
  place(theta);
  inner_->estimate_again(point_, evaluation, gradient_);
  gather(gradient_, gradient);
}

void ModelBlocksEstimator::estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation,
                                                  std::span<double> gradient, std::span<double> variance) {
  place(theta);
  inner_->estimate_with_variance(point_, evaluation, gradient_, variance_);
  gather(gradient_, gradient);
  gather(variance_, variance);
}

double ModelBlocksEstimator::log_density(std::span<const double> theta, std::span<double> gradient) {
  place(theta);
  const double value = inner_->log_density(point_, gradient_);
  gather(gradient_, gradient);
  return value;
}

void ModelBlocksEstimator::prior_gradient(std::span<const double> theta, std::span<double> gradient) {
  place(theta);
  inner_->prior_gradient(point_, gradient_);
  gather(gradient_, gradient);
}

void ModelBlocksEstimator::visit_state(StateVisitor& visitor) {
  inner_->visit_state(visitor);
  visitor.visit("point", point_);
  for (Moved& moved : moved_) visitor.visit("written", moved.written);
}

}  // namespace sgmcmc
