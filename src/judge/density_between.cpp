// What gradients at the draws do not show. If a density jumps, as at a threshold in the likelihood, or ends without
// the parameters being declared with bounds, its gradient is the same as without the jump, and so are the draws of
// samplers that only use gradients.
#include "judge/density_between.hpp"

#include "base/interrupt.hpp"
#include "mode/some_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {
namespace {

constexpr double rows_to_look_at = 1000;
constexpr std::size_t most_to_compare = 1000, most_named = 50;
constexpr std::size_t lines = 16, intervals = 32, fewest_jumps = 3;
constexpr double least_jump = 0.5;      // of the log density
constexpr double least_accuracy = 0.1;  // error of an integral, as a share of the jump

using Position = std::vector<double>;

Position position_of(const SteinPoints& draws, std::size_t k) {
  const auto begin = draws.positions.begin() + static_cast<std::ptrdiff_t>(k * draws.dimension);
  return {begin, begin + static_cast<std::ptrdiff_t>(draws.dimension)};
}

/// Value and gradient at one point after another.
class Density {
 public:
  Density(const LogPosterior& posterior, const RowBatch& rows)
      : executor_(posterior.executor(ProgramKind::value_and_gradient, {})),
        rows_(rows),
        both_(1 + static_cast<std::size_t>(posterior.dimension())) {}

  double value_at(const Position& theta) {
    executor_->set_point(Point::current, theta);
    executor_->run(rows_, both_);
    return both_[0];
  }
  std::span<const double> gradient() const { return std::span(both_).subspan(1); }

  /// How far the log density differs from the integral of its gradient between two points; 0 unless the integral is
  /// known much more precisely.
  double jump_between(const Position& from, const Position& to) {
    std::vector<double> slopes(intervals + 1);
    double first = 0, last = 0;
    Position theta(from.size());
    for (std::size_t k = 0; k <= intervals; ++k) {
      const double share = static_cast<double>(k) / intervals;
      for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = from[j] + share * (to[j] - from[j]);
      last = value_at(theta);
      if (k == 0) first = last;
      for (std::size_t j = 0; j < theta.size(); ++j) slopes[k] += gradient()[j] * (to[j] - from[j]);
    }
    const double fine = integral(slopes, 1), coarse = integral(slopes, 2);
    const double jump = last - first - fine;
    const bool precise = std::abs(fine - coarse) < least_accuracy * std::abs(jump);  // false if any is not finite
    return precise && std::abs(jump) > least_jump ? jump : 0;
  }

 private:
  /// By the trapezoidal rule, from every point or every second one.
  static double integral(const std::vector<double>& slopes, std::size_t stride) {
    double sum = 0.5 * (slopes.front() + slopes.back());
    for (std::size_t k = stride; k + 1 < slopes.size(); k += stride) sum += slopes[k];
    return sum * static_cast<double>(stride) / static_cast<double>(slopes.size() - 1);
  }

  std::unique_ptr<Executor> executor_;
  const RowBatch& rows_;
  std::vector<double> both_;
};

/// Calls work(k, density of the worker) for k below count.
template <class Work>
void for_each_with_density(const LogPosterior& posterior, const RowBatch& rows, std::size_t count, ThreadPool& pool,
                           const std::atomic<bool>* interrupt, Work&& work) {
  std::vector<std::unique_ptr<Density>> densities(static_cast<std::size_t>(pool.threads()));
  pool.for_each(count, [&](std::size_t k, int worker) {
    throw_if_interrupted(interrupt);
    auto& density = densities[static_cast<std::size_t>(worker)];
    if (!density) density = std::make_unique<Density>(posterior, rows);
    work(k, *density);
  });
}

}  // namespace

double share_with_zero_density(const LogPosterior& posterior, const SteinPoints& draws, ThreadPool& pool,
                               const std::atomic<bool>* interrupt) {
  if (draws.dimension > most_to_compare || draws.count() == 0) return 0;
  const SomeRows some(posterior, rows_to_look_at);
  std::vector<char> impossible(draws.count());
  for_each_with_density(posterior, some.batch(), draws.count(), pool, interrupt, [&](std::size_t k, Density& density) {
    impossible[k] = density.value_at(position_of(draws, k)) == -INFINITY;
  });
  return static_cast<double>(std::count(impossible.begin(), impossible.end(), 1)) / static_cast<double>(draws.count());
}

std::optional<Jump> find_jump(const LogPosterior& posterior, const SteinPoints& draws, ThreadPool& pool,
                              const std::atomic<bool>* interrupt) {
  if (draws.dimension > most_to_compare || draws.count() < 2 * lines) return std::nullopt;
  const SomeRows some(posterior, rows_to_look_at);
  const auto ends = [&](std::size_t line) {  // draws that are far apart
    const std::size_t first = line * (draws.count() / 2) / lines;
    return std::pair{position_of(draws, first), position_of(draws, first + draws.count() / 2)};
  };
  std::vector<double> jumps(lines);
  for_each_with_density(posterior, some.batch(), lines, pool, interrupt, [&](std::size_t k, Density& density) {
    const auto [from, to] = ends(k);
    jumps[k] = density.jump_between(from, to);
  });
  if (std::count_if(jumps.begin(), jumps.end(), [](double jump) { return jump != 0; }) <
      static_cast<std::ptrdiff_t>(fewest_jumps))
    return std::nullopt;
  const auto largest =
      std::max_element(jumps.begin(), jumps.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  Jump found{std::abs(*largest), {}};
  if (draws.dimension > most_named) return found;
  // The same way, one coordinate after the other.
  auto [at, to] = ends(static_cast<std::size_t>(largest - jumps.begin()));
  const auto names = posterior.model().unconstrained_names();
  Density density(posterior, some.batch());
  for (std::size_t j = 0; j < at.size(); ++j) {
    throw_if_interrupted(interrupt);
    Position next = at;
    next[j] = to[j];
    if (density.jump_between(at, next) != 0) found.names.push_back(names[j]);
    at = std::move(next);
  }
  return found;
}

}  // namespace sgmcmc
