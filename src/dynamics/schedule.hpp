// The step size of every parameter at every iteration: base step sizes times a schedule.
#pragma once

#include <sgmcmc/dynamics.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

class StepSizes {
 public:
  StepSizes(const StepSize& base, const Schedule& schedule, std::size_t dimension);

  /// Moves to iteration t; free if the schedule is constant.
  void set_iteration(std::uint64_t t);

  const double* step() const { return step_.data(); }  ///< epsilon of each parameter
  const double* root() const { return root_.data(); }  ///< sqrt(epsilon) of each parameter
  double mean() const { return mean_; }                ///< mean of epsilon over parameters
  bool uniform() const { return uniform_; }            ///< the same for all parameters

 private:
  void scale_by(double multiplier);

  Schedule schedule_;
  double multiplier_ = 1.0;
  double base_mean_ = 0.0;
  double mean_ = 0.0;
  bool uniform_ = false;
  std::vector<double> base_, step_, root_;
};

}  // namespace sgmcmc
