// Weighted running moments: West's form of Welford's update, and Chan's rule for merging two of them.
#include "base/vector_loops.hpp"

#include <sgmcmc/state.hpp>

#include <sgmcmc/draws.hpp>
#include <sgmcmc/error.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace sgmcmc {

void RunningMoments::add(std::span<const double> values, double weight) {
  if (values.size() != mean_.size())
    throw OptionError("running moments of " + std::to_string(mean_.size()) + " numbers were given " +
                      std::to_string(values.size()));
  if (!(weight >= 0.0))
    throw OptionError("the weight of a draw is " + std::to_string(weight) + "; weights are not negative");
  if (weight == 0.0) return;
  ++count_;
  weight_ += weight;
  squared_weight_ += weight * weight;
  const double share = weight / weight_;
  const double* value = values.data();
  double *mean = mean_.data(), *spread = spread_.data();
  SGMCMC_INDEPENDENT_ITERATIONS()
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double difference = value[j] - mean[j];
    mean[j] += share * difference;
    spread[j] += weight * difference * (value[j] - mean[j]);
  }
}

void RunningMoments::merge(const RunningMoments& other) {
  if (other.dimension() != dimension())
    throw OptionError("running moments of " + std::to_string(dimension()) + " numbers cannot merge with those of " +
                      std::to_string(other.dimension()));
  if (other.count_ == 0) return;
  const double total = weight_ + other.weight_;
  const double share = other.weight_ / total;
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    const double difference = other.mean_[j] - mean_[j];
    mean_[j] += share * difference;
    spread_[j] += other.spread_[j] + weight_ * share * difference * difference;
  }
  count_ += other.count_;
  weight_ = total;
  squared_weight_ += other.squared_weight_;
}

double RunningMoments::variance(std::size_t element) const {
  if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
  return spread_.at(element) / (weight_ - squared_weight_ / weight_);
}

double RunningMoments::standard_deviation(std::size_t element) const { return std::sqrt(variance(element)); }

void RunningMoments::visit_state(StateVisitor& visitor) {
  visitor.visit("count", count_);
  visitor.visit("weight", weight_);
  visitor.visit("squared_weight", squared_weight_);
  visitor.visit("mean", mean_);
  visitor.visit("spread", spread_);
}

}  // namespace sgmcmc
