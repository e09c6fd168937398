// Maps draws to unconstrained coordinates and runs the value-and-gradient program.
#include "chains/density_at_draws.hpp"

#include "plan/row_values.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sgmcmc {

std::optional<std::vector<double>> PositionOfDraw::of(std::span<const double> constrained) {
  for (const auto& info : model_.parameters()) {
    const auto size = static_cast<std::size_t>(info.shape.size());
    values_[info.name].assign(constrained.begin(), constrained.begin() + static_cast<std::ptrdiff_t>(size));
    constrained = constrained.subspan(size);
  }
  try {
    return model_.unconstrain(values_);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

DensityAtDraws::DensityAtDraws(std::shared_ptr<const LogPosterior> posterior)
    : posterior_(std::move(posterior)),
      executor_(posterior_->executor(ProgramKind::value_and_gradient, {})),
      position_(posterior_->model()),
      density_and_gradient_(static_cast<std::size_t>(posterior_->dimension()) + 1) {}

double DensityAtDraws::at(std::span<const double> constrained) {
  const auto position = position_.of(constrained);
  if (!position) return std::numeric_limits<double>::quiet_NaN();
  executor_->set_point(Point::current, *position);
  executor_->run(posterior_->all_rows(), density_and_gradient_);
  return density_and_gradient_[0];
}

RowLikelihoodsAtDraws::RowLikelihoodsAtDraws(std::shared_ptr<const LogPosterior> posterior, ThreadPool* pool)
    : posterior_(std::move(posterior)),
      executor_(posterior_->executor(ProgramKind::row_log_likelihoods, {Precision::float64, 0, pool})),
      position_(posterior_->model()) {}

void RowLikelihoodsAtDraws::at(std::span<const double> constrained, std::span<double> values) {
  const auto position = position_.of(constrained);
  if (!position) {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  RowValues to(values);
  executor_->set_point(Point::current, *position);
  executor_->run_rows(posterior_->all_rows(), to);
}

}  // namespace sgmcmc
