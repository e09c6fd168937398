// The log posterior density, and the log likelihood of each row, at draws on the constrained scale.
#pragma once

#include "model/log_posterior.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Maps draws to the unconstrained scale.
class PositionOfDraw {
 public:
  explicit PositionOfDraw(Model model) : model_(std::move(model)) {}
  /// `constrained` begins with the parameters, in the order of Model::constrained_names(). Empty if a value was rounded
  /// to the boundary of its constraint.
  std::optional<std::vector<double>> of(std::span<const double> constrained);

 private:
  Model model_;
  std::map<std::string, std::vector<double>> values_;
};

/// Each call takes one pass over all rows. Not thread-safe.
class DensityAtDraws {
 public:
  explicit DensityAtDraws(std::shared_ptr<const LogPosterior> posterior);
  /// NaN if PositionOfDraw::of() is empty.
  double at(std::span<const double> constrained);

 private:
  std::shared_ptr<const LogPosterior> posterior_;
  std::unique_ptr<Executor> executor_;
  PositionOfDraw position_;
  std::vector<double> density_and_gradient_;
};

/// The same for the log likelihood of each row.
class RowLikelihoodsAtDraws {
 public:
  explicit RowLikelihoodsAtDraws(std::shared_ptr<const LogPosterior> posterior, ThreadPool* pool = nullptr);
  /// `values`: one for each row. NaN if PositionOfDraw::of() is empty.
  void at(std::span<const double> constrained, std::span<double> values);

 private:
  std::shared_ptr<const LogPosterior> posterior_;
  std::unique_ptr<Executor> executor_;
  PositionOfDraw position_;
};

}  // namespace sgmcmc
