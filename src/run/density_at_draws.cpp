// Back to unconstrained coordinates, then the value-and-gradient program.
#include "run/density_at_draws.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <limits>

namespace sgmcmc {

DensityAtDraws::DensityAtDraws(std::shared_ptr<const LogPosterior> posterior)
    : posterior_(std::move(posterior)),
      executor_(posterior_->executor(ProgramKind::value_and_gradient, {})),
      density_and_gradient_(static_cast<std::size_t>(posterior_->dimension()) + 1) {}

double DensityAtDraws::at(std::span<const double> constrained) {
  for (const auto& info : posterior_->model().parameters()) {
    const auto size = static_cast<std::size_t>(info.shape.size());
    values_[info.name].assign(constrained.begin(), constrained.begin() + static_cast<std::ptrdiff_t>(size));
    constrained = constrained.subspan(size);
  }
  std::vector<double> position;
  try {
    position = posterior_->model().unconstrain(values_);
  } catch (const DataError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  executor_->set_point(Point::current, position);
  executor_->run(posterior_->all_rows(), density_and_gradient_);
  return density_and_gradient_[0];
}

}  // namespace sgmcmc
