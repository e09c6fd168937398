// Runs and scores a candidate.
//
// With b_j the log of sd of draws / sd of target and m_j the shift of the mean, as Stein's identities give them with
// standard errors, sd_error^2 is the mean over j of b_j^2 minus its squared error, and mean_error^2 likewise. A run of
// T iterations has Monte Carlo variance tau / T in a mean and tau / (2 T) in a log sd, tau the autocorrelation time.
#include "tune/pilot.hpp"

#include "dynamics/dynamics.hpp"
#include "dynamics/traits.hpp"
#include "dynamics/whitening.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/stein.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace sgmcmc {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double largest_error = 3.0;  // larger errors are cut to this

std::size_t most_points(std::size_t dimension) {
  return 2 * std::clamp<std::size_t>(2'000'000 / std::max<std::size_t>(1, dimension), 25, 1000);
}

/// The points after the first quarter, which is burn-in. In preconditioned coordinates if there are any: these are
/// approximately independent, so that they can be analysed one by one, from few points.
SteinPoints later_points(const RecordedGradients& recorded, std::size_t first,
                         const std::shared_ptr<const Preconditioner>& map) {
  SteinPoints points;
  const std::size_t size = points.dimension = recorded.dimension();
  const std::size_t count = recorded.count() - first;
  points.positions.resize(count * size);
  points.gradients.resize(count * size);
  std::optional<Whitening> whitening;
  if (map) whitening.emplace(map);
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = recorded.position(first + k), g = recorded.gradient(first + k);
    const auto to_x = std::span(points.positions).subspan(k * size, size);
    const auto to_g = std::span(points.gradients).subspan(k * size, size);
    if (whitening) {
      whitening->coordinates(x, to_x);
      whitening->multiply_transposed(g, to_g);
    } else {
      std::copy(x.begin(), x.end(), to_x.begin());
      std::copy(g.begin(), g.end(), to_g.begin());
    }
  }
  return points;
}

/// Autocorrelation time in points, averaged over some coordinates.
double autocorrelation_time(const SteinPoints& points) {
  double sum = 0;
  const auto coordinates = evenly_thinned(points.dimension, 32);
  const std::size_t count = points.count();
  for (const std::size_t d : coordinates) {
    std::vector<double> trace(count);
    for (std::size_t k = 0; k < count; ++k) trace[k] = points.positions[k * points.dimension + d];
    const double time = integrated_autocorrelation_time(QuantityDraws({std::move(trace)}));
    const auto most = static_cast<double>(count);
    sum += std::isfinite(time) ? std::clamp(time, 0.1, most) : most;
  }
  return sum / static_cast<double>(coordinates.size());
}

}  // namespace

Pilot::Pilot(std::shared_ptr<RunSetup> setup, std::string method, double run_rows)
    : setup_(std::move(setup)), run_rows_(run_rows) {
  const auto& options = setup_->options();
  const auto dimension = static_cast<std::size_t>(setup_->posterior()->dimension());
  recorded_ = std::make_unique<RecordedGradients>(dimension, most_points(dimension));
  const auto evaluations = make_dynamics(options.sampler, dimension)->evaluations_per_iteration();
  const bool all = options.gradient.estimator == Estimator::full || setup_->posterior()->rows() == 0;
  const std::int64_t rows =
      all ? std::max<std::int64_t>(1, setup_->posterior()->rows()) : options.gradient.minibatch.batch_size;
  rows_per_iteration_ = static_cast<double>(rows) * static_cast<double>(evaluations);
  candidate_.method = std::move(method);
  candidate_.batch_size = rows;
  if (const auto* step = step_size_of(options.sampler)) {
    for (const double value : step->values) candidate_.step_size += value / static_cast<double>(step->values.size());
  }
  const SamplerTraits traits = traits_of(options.sampler);
  candidate_.trajectory_length = traits.trajectory_length;
  candidate_.friction = traits.friction;
  candidate_.score = infinite;
}

void Pilot::run(std::uint64_t iterations) {
  if (candidate_.diverged) return;
  try {
    if (!chain_) chain_.emplace(setup_, 0, recorded_.get());
    for (std::uint64_t k = 0; k < iterations; ++k) {
      if (const auto* interrupt = setup_->options().interrupt; interrupt && interrupt->load(std::memory_order_relaxed))
        return;
      chain_->step();
    }
    candidate_.iterations = chain_->iteration();
    judge();
    if (std::isfinite(candidate_.score)) candidate_.course.push_back({candidate_.iterations, candidate_.score});
  } catch (const DivergenceError& error) {
    failure_ = error.what();
    candidate_.iterations = chain_ ? chain_->iteration() : 0;
    candidate_.diverged = true;
    candidate_.sd_error = candidate_.mean_error = candidate_.monte_carlo = std::nan("");
    candidate_.score = infinite;
    chain_.reset();
  }
}

void Pilot::judge() {
  const std::size_t first = recorded_->count() / 4;
  if (recorded_->count() - first < 20) return;
  const SteinPoints points = later_points(*recorded_, first, setup_->preconditioner());
  const bool finite =
      std::all_of(points.gradients.begin(), points.gradients.end(), [](double g) { return std::isfinite(g); });
  if (!finite) throw DivergenceError("a gradient is not finite");
  SteinMomentsOptions one_by_one;
  if (setup_->preconditioner()) one_by_one.most_dimensions = 0;
  const SteinMoments moments = stein_moments(points, one_by_one);
  // Squared errors minus their Monte Carlo variance, summed over all coordinates; single terms may be negative.
  const auto beyond_noise = [](double value, double error) {
    const double most = largest_error * largest_error;
    return std::isfinite(value) && std::isfinite(error) ? std::min(value * value, most) - std::min(error * error, most)
                                                        : most;
  };
  double sds = 0, means = 0;
  for (const auto& c : moments.coordinates) {
    sds += beyond_noise(std::log(c.sd_ratio), c.log_sd_ratio_error);
    means += beyond_noise(c.mean_shift, c.mean_shift_error);
  }
  const auto count = static_cast<double>(moments.coordinates.size());
  candidate_.sd_error = std::sqrt(std::max(0.0, sds / count));
  candidate_.mean_error = std::sqrt(std::max(0.0, means / count));
  candidate_.autocorrelation_time = autocorrelation_time(points) * static_cast<double>(recorded_->stride());
  candidate_.monte_carlo = std::sqrt(1.5 * candidate_.autocorrelation_time * rows_per_iteration_ / run_rows_);
  candidate_.score = std::hypot(candidate_.sd_error, candidate_.mean_error, candidate_.monte_carlo);
}

void Pilot::measure_discrepancy() {
  const std::size_t first = recorded_->count() / 4;
  if (candidate_.diverged || recorded_->count() - first < 20) return;
  SteinKernelOptions options;
  options.most_points = 500;
  options.threads = 1;
  const auto squared = stein_discrepancy(later_points(*recorded_, first, setup_->preconditioner()), options).u_squared;
  candidate_.kernel_stein = std::sqrt(std::max(0.0, squared));
}

}  // namespace sgmcmc
