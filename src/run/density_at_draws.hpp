// The log posterior density at draws that are known by their constrained values.
#pragma once

#include "model/log_posterior.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// One pass over all rows each time. For one thread at a time.
class DensityAtDraws {
 public:
  explicit DensityAtDraws(std::shared_ptr<const LogPosterior> posterior);
  /// `constrained` begins with the parameters, in the order of Model::constrained_names(). NaN where a value has been
  /// rounded onto the border of its constraint.
  double at(std::span<const double> constrained);

 private:
  std::shared_ptr<const LogPosterior> posterior_;
  std::unique_ptr<Executor> executor_;
  std::map<std::string, std::vector<double>> values_;
  std::vector<double> density_and_gradient_;
};

}  // namespace sgmcmc
