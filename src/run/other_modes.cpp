// Searches from places as random starts would be, and from places far from the draws in units of their spread; what
// they find is compared with the mode of the draws by the heights and curvatures of both.
#include "run/other_modes.hpp"

#include "model/concave.hpp"
#include "run/curvature.hpp"
#include "run/mode.hpp"
#include "run/some_rows.hpp"

#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::size_t most_dimensions = 100;
constexpr double rows_of_search = 1000, most_rows_of_comparison = 3e7;
constexpr std::uint64_t most_iterations = 100;
constexpr double same = 0.5;    // standard deviations of the draws, in every coordinate: of the ends of two searches
constexpr double related = 30;  // likewise, of the mean of the draws and their mode; else that tells nothing of them
constexpr double seen_enough = 0.2;   // of the share that a mode has of the posterior: the share it has of the draws
constexpr double least_share = 0.02;  // of the posterior, for a mode to matter
constexpr double farthest = 1e3;      // a start, on the unconstrained scale
constexpr double radius = 2;          // of starts about zero
// 0: about zero; else standard deviations of the draws, to both sides of their mean.
constexpr std::array spreads{0.0, 0.0, 0.0, 0.0, 6.0, -6.0, 20.0, -20.0};

struct Spread {
  std::vector<double> mean, sd;
};

Spread spread_of(const SteinPoints& draws) {
  const std::size_t size = draws.dimension;
  const auto count = static_cast<double>(draws.count());
  Spread found{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  for (std::size_t k = 0; k < draws.positions.size(); ++k) found.mean[k % size] += draws.positions[k] / count;
  for (std::size_t k = 0; k < draws.positions.size(); ++k) {
    const double off = draws.positions[k] - found.mean[k % size];
    found.sd[k % size] += off * off / count;
  }
  for (double& sd : found.sd) sd = std::sqrt(sd);
  return found;
}

std::vector<double> start_of(std::size_t which, const Spread& spread, std::uint64_t seed) {
  std::vector<double> start(spread.mean.size());
  if (spreads[which] == 0) {
    fill_uniform({seed, 7, which, Purpose::initial}, start);
    for (double& x : start) x = radius * (2 * x - 1);
    return start;
  }
  fill_normal({seed, 7, which / 2 * 2, Purpose::initial}, start);
  double squares = 0;
  for (const double x : start) squares += x * x;
  const double by = spreads[which] * std::sqrt(static_cast<double>(start.size()) / squares);
  for (std::size_t j = 0; j < start.size(); ++j)
    start[j] = std::clamp(spread.mean[j] + by * spread.sd[j] * start[j], -farthest, farthest);
  return start;
}

ModeResult search(const LogPosterior& posterior, const RowBatch& rows, std::vector<double> start, double tolerance) {
  auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
  std::vector<double> both(1 + start.size());
  LbfgsOptions options;
  options.max_iterations = most_iterations;
  options.gain_tolerance = tolerance;
  ModeResult end;
  end.theta = std::move(start);
  end.report = maximise_lbfgs(
      [&](std::span<const double> theta, std::span<double> gradient) {
        executor->set_point(Point::current, theta);
        executor->run(rows, both);
        std::copy(both.begin() + 1, both.end(), gradient.begin());
        return both[0];
      },
      end.theta, options);
  return end;
}

bool is_within(std::span<const double> a, std::span<const double> b, std::span<const double> unit, double distance) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (!(std::abs(a[j] - b[j]) <= distance * unit[j])) return false;
  return true;
}

/// Of the draws that are closer to `there` than to `here`, in units of their spread.
double share_at(const SteinPoints& draws, const Spread& spread, std::span<const double> there,
                std::span<const double> here) {
  std::size_t closer = 0;
  for (std::size_t point = 0; point < draws.count(); ++point) {
    const double* position = draws.positions.data() + point * draws.dimension;
    double difference = 0;
    for (std::size_t j = 0; j < draws.dimension; ++j) {
      const double to_there = (position[j] - there[j]) / spread.sd[j], to_here = (position[j] - here[j]) / spread.sd[j];
      difference += to_there * to_there - to_here * to_here;
    }
    closer += difference < 0;
  }
  return static_cast<double>(closer) / static_cast<double>(draws.count());
}

/// Half the log determinant of minus the Hessian; nothing where that is not positive definite.
std::optional<double> half_log_determinant(const LogPosterior& posterior, std::span<const double> theta,
                                           ThreadPool& pool) {
  const auto hessian = negative_hessian(posterior, theta, &pool);
  const auto size = static_cast<Eigen::Index>(theta.size());
  const Eigen::LLT<Eigen::MatrixXd> lower(Eigen::Map<const Eigen::MatrixXd>(hessian.data(), size, size));
  if (lower.info() != Eigen::Success) return std::nullopt;
  const double half = lower.matrixLLT().diagonal().array().log().sum();
  return std::isfinite(half) ? std::optional(half) : std::nullopt;
}

}  // namespace

std::optional<UnseenMode> find_unseen_mode(const LogPosterior& posterior, const SteinPoints& draws, std::uint64_t seed,
                                           ThreadPool& pool) {
  const auto rows = static_cast<double>(posterior.rows()), size = static_cast<double>(draws.dimension);
  if (draws.dimension > most_dimensions || rows * size > most_rows_of_comparison || is_concave(posterior.model()))
    return std::nullopt;
  const Spread spread = spread_of(draws);
  if (!std::all_of(spread.sd.begin(), spread.sd.end(), [](double sd) { return sd > 0 && std::isfinite(sd); }))
    return std::nullopt;

  const SomeRows some(posterior, rows_of_search);
  std::vector<ModeResult> ends(1 + spreads.size());  // first, of the draws
  pool.for_each(ends.size(), [&](std::size_t k, int) {
    ends[k] = search(posterior, some.batch(), k == 0 ? spread.mean : start_of(k - 1, spread, seed), 1e-3);
  });
  if (!ends[0].report.converged()) return std::nullopt;
  std::vector<ModeResult> others;
  for (std::size_t k = 1; k < ends.size(); ++k) {
    if (!ends[k].report.converged()) continue;
    const auto seen = [&](const ModeResult& other) { return is_within(ends[k].theta, other.theta, spread.sd, same); };
    if (!seen(ends[0]) && std::none_of(others.begin(), others.end(), seen)) others.push_back(ends[k]);
  }
  if (others.empty()) return std::nullopt;

  const auto finish = [&](ModeResult& end) -> std::optional<double> {
    end = search(posterior, posterior.all_rows(), std::move(end.theta), 1e-5);
    if (end.report.converged()) look_for_collapse(posterior, end.theta, end.report, &pool);
    return end.report.converged() ? half_log_determinant(posterior, end.theta, pool) : std::nullopt;
  };
  const ModeResult& here = ends[0];
  const auto width = finish(ends[0]);
  if (!width || !is_within(here.theta, spread.mean, spread.sd, related)) return std::nullopt;
  std::optional<UnseenMode> best;
  for (auto& end : others) {
    const auto width_there = finish(end);
    if (!width_there || is_within(end.theta, here.theta, spread.sd, same)) continue;
    const double height = end.report.value - here.report.value, narrower = *width_there - *width;
    const double share = 1.0 / (1.0 + std::exp(narrower - height));
    if (share < least_share || (best && share <= best->share)) continue;
    if (share_at(draws, spread, end.theta, here.theta) > seen_enough * share) continue;
    best = UnseenMode{share, std::abs(height) < 0.02 && std::abs(narrower) < 0.1};
  }
  return best;
}

}  // namespace sgmcmc
