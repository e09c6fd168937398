// Searches from dispersed starts, on a part of the rows if there are many; weights modes by their heights and Hessians
// over all rows.
#include "mode/modes.hpp"

#include "base/decompositions.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "mode/curvature.hpp"
#include "mode/mode.hpp"
#include "mode/some_rows.hpp"
#include "model/concave.hpp"
#include "plan/row_values.hpp"

#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace sgmcmc {
namespace {

constexpr std::size_t most_dimensions = 100;
constexpr double rows_of_search = 1000, most_rows_of_comparison = 3e7;
constexpr std::uint64_t most_iterations = 100;
constexpr double same = 0.5;      // maximum distance in every coordinate, in sds, between ends of searches at one mode
constexpr double related = 30;    // likewise between the mean and its mode, for modes to be typical of the posterior
constexpr double farthest = 1e3;  // maximum of starts, on the unconstrained scale
constexpr double radius = 2;      // of starts around zero
// Distances of starts from the mean, in sds, on both sides; 0: around zero.
constexpr std::array spreads{0.0, 0.0, 0.0, 0.0, 6.0, -6.0, 20.0, -20.0};

std::vector<double> start_of(std::size_t which, const Surroundings& spread, std::uint64_t seed) {
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
    start[j] = std::clamp(spread.mean[j] + by * spread.sd[j] * start[j], std::min(-farthest, spread.mean[j]),
                          std::max(farthest, spread.mean[j]));
  return start;
}

ModeResult climb_from(std::vector<double> start, std::span<const double> sd, const RowBatch& rows,
                      std::unique_ptr<Executor> executor, double tolerance) {
  std::vector<double> both(1 + start.size());
  LbfgsOptions options;
  options.scale.assign(sd.begin(), sd.end());
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

/// The log likelihood of each row of a batch.
std::vector<double> row_values(const LogPosterior& posterior, const RowBatch& rows, std::span<const double> theta) {
  std::vector<double> numbers(rows.count);
  RowValues to(numbers);
  const auto executor = posterior.executor(ProgramKind::row_log_likelihoods, {});
  executor->set_point(Point::current, theta);
  executor->run_rows(rows, to);
  return numbers;
}

/// Whether the end of a search on part of the rows is so much lower than another that it is negligible on all rows.
bool is_surely_lower(const LogPosterior& posterior, const SomeRows& some, const ModeResult& end,
                     const ModeResult& other) {
  constexpr double negligible = 30, sure = 5;  // in log density; standard errors
  double error = 0;
  if (!some.all()) {
    const auto here = row_values(posterior, some.batch(), end.theta);
    const auto there = row_values(posterior, some.batch(), other.theta);
    const auto count = static_cast<double>(here.size());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double difference = here[i] - there[i];
      sum += difference;
      squares += difference * difference;
    }
    const double variance = std::max(0.0, squares / count - sum * sum / (count * count));
    error = static_cast<double>(posterior.rows()) * std::sqrt(variance / count);
  }
  return end.report.value - other.report.value + sure * error < -negligible;
}

/// Whether the density falls between two modes. If not, one search stopped on its way to the other mode.
bool are_apart(const LogPosterior& posterior, const FoundMode& a, const FoundMode& b, ThreadPool& pool) {
  constexpr int places = 16;
  constexpr double least_fall = 0.1;
  const auto executor = posterior.whole_executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
  std::vector<double> theta(a.theta.size()), both(1 + theta.size());
  const double lower = std::min(a.height, b.height);
  for (int k = 1; k < places; ++k) {
    const double share = static_cast<double>(k) / places;
    for (std::size_t j = 0; j < theta.size(); ++j) theta[j] = (1 - share) * a.theta[j] + share * b.theta[j];
    executor->set_point(Point::current, theta);
    executor->run(posterior.whole_batch(), both);
    if (!(both[0] > lower - least_fall)) return true;
  }
  return false;
}

bool is_within(std::span<const double> a, std::span<const double> b, std::span<const double> unit, double distance) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (!(std::abs(a[j] - b[j]) <= distance * unit[j])) return false;
  return true;
}

/// Half the log determinant of minus the Hessian; empty if that is not positive definite.
std::optional<double> half_log_determinant(const LogPosterior& posterior, std::span<const double> theta,
                                           ThreadPool& pool) {
  const auto hessian = negative_hessian(posterior, theta, &pool);
  const auto size = static_cast<Eigen::Index>(theta.size());
  const Cholesky lower(Eigen::Map<const Eigen::MatrixXd>(hessian.data(), size, size));
  if (!lower.succeeded()) return std::nullopt;
  const double half = lower.sum_of_logs();
  return std::isfinite(half) ? std::optional(half) : std::nullopt;
}

}  // namespace

std::vector<FoundMode> find_modes(const LogPosterior& posterior, const Surroundings& from, std::uint64_t seed,
                                  ThreadPool& pool, const std::atomic<bool>* interrupt) {
  const auto rows = static_cast<double>(posterior.rows()), size = static_cast<double>(from.mean.size());
  if (from.mean.size() > most_dimensions || rows * size > most_rows_of_comparison || is_concave(posterior.model()))
    return {};
  if (!std::all_of(from.sd.begin(), from.sd.end(), [](double sd) { return sd > 0 && std::isfinite(sd); })) return {};
  const auto stopped = [&] { return interrupt && interrupt->load(std::memory_order_relaxed); };

  const SomeRows some(posterior, rows_of_search);
  std::vector<std::vector<double>> starts = {from.mean};
  for (std::size_t k = 0; k < spreads.size(); ++k) starts.push_back(start_of(k, from, seed));
  starts.insert(starts.end(), from.starts.begin(), from.starts.end());
  std::vector<ModeResult> ends(starts.size());
  pool.for_each(ends.size(), [&](std::size_t k, int) {
    if (stopped()) return;
    ends[k] = climb_from(std::move(starts[k]), from.sd, some.batch(),
                         posterior.executor(ProgramKind::value_and_gradient, {}), 1e-3);
  });
  if (stopped() || !ends[0].report.converged()) return {};
  const auto near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return is_within(a, b, from.sd, same);
  };
  std::vector<ModeResult> different;
  for (auto& end : ends)
    if (end.report.converged() && std::none_of(different.begin(), different.end(),
                                               [&](const ModeResult& other) { return near(end.theta, other.theta); }))
      different.push_back(std::move(end));
  for (std::size_t k = different.size(); k-- > 1;)
    if (is_surely_lower(posterior, some, different[k], different[0]))
      different.erase(different.begin() + static_cast<std::ptrdiff_t>(k));
  if (different.size() == 1) return {};

  std::vector<FoundMode> found;
  for (auto& end : different) {
    if (stopped()) return {};
    end = climb_from(std::move(end.theta), from.sd, posterior.whole_batch(),
                     posterior.whole_executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool}), 1e-5);
    if (end.report.converged()) look_for_collapse(posterior, end.theta, end.report, &pool);
    const auto narrowness =
        end.report.converged() ? half_log_determinant(posterior, end.theta, pool) : std::optional<double>();
    const bool first = &end == &different.front();
    if (first && (!narrowness || !is_within(end.theta, from.mean, from.sd, related))) return {};
    if (!narrowness) continue;
    FoundMode mode{std::move(end.theta), end.report.value, *narrowness};
    const auto known = std::find_if(found.begin(), found.end(), [&](const FoundMode& other) {
      return near(mode.theta, other.theta) || !are_apart(posterior, mode, other, pool);
    });
    if (known == found.end())
      found.push_back(std::move(mode));
    else if (mode.height > known->height)  // the earlier search stopped short of it
      *known = std::move(mode);
  }
  if (found.size() < 2) return {};
  return found;
}

double share_beside(const FoundMode& mode, const FoundMode& other) {
  return 1.0 / (1.0 + std::exp(mode.narrowness - other.narrowness - (mode.height - other.height)));
}

bool are_exchanged(const FoundMode& a, const FoundMode& b) {
  return std::abs(a.height - b.height) < 0.02 && std::abs(a.narrowness - b.narrowness) < 0.1;
}

SeveralModes modes_that_matter(const LogPosterior& posterior, std::span<const double> mode, std::uint64_t seed,
                               ThreadPool& pool, const std::atomic<bool>* interrupt) {
  Surroundings around{{mode.begin(), mode.end()}, std::vector<double>(mode.size(), 1.0)};
  if (mode.size() <= most_dimensions && !is_concave(posterior.model())) {
    std::vector<double> hessian;
    try {
      hessian = negative_hessian(posterior, mode, &pool, interrupt);
    } catch (const InterruptedError&) {
      return {};
    }
    const auto size = static_cast<Eigen::Index>(mode.size());
    const Cholesky factor(Eigen::Map<const Eigen::MatrixXd>(hessian.data(), size, size));
    if (factor.succeeded()) {
      const Eigen::VectorXd variances = factor.inverse().diagonal();
      for (Eigen::Index j = 0; j < size; ++j) around.sd[static_cast<std::size_t>(j)] = std::sqrt(variances[j]);
    }
  }
  SeveralModes several;
  std::vector<double> log_weights;
  for (auto& found : find_modes(posterior, around, seed, pool, interrupt)) {
    ++several.found;
    const bool known = std::any_of(several.modes.begin(), several.modes.end(),
                                   [&](const FoundMode& other) { return are_exchanged(found, other); });
    several.exchanged = several.exchanged || known;
    if (known) continue;
    log_weights.push_back(found.height - found.narrowness);
    several.modes.push_back(std::move(found));
  }
  if (several.modes.empty()) return several;

  std::vector<std::size_t> order(several.modes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return log_weights[a] > log_weights[b]; });
  SeveralModes heaviest{{}, {}, several.found, several.exchanged};
  double sum = 0;
  for (const std::size_t k : order) {
    const double weight = std::exp(log_weights[k] - log_weights[order[0]]);
    if (weight < least_share_of_mode * (sum + weight)) break;
    heaviest.modes.push_back(std::move(several.modes[k]));
    heaviest.shares.push_back(weight);
    sum += weight;
  }
  for (double& share : heaviest.shares) share /= sum;
  return heaviest;
}

std::string SeveralModes::describe() const {
  if (found == 0) return "";
  std::string text;
  if (modes.size() == 1) {
    text = exchanged ? "one of " + std::to_string(found) +
                           " modes that differ only by labels or signs, which can be exchanged"
                     : "the one of " + std::to_string(found) + " modes that holds nearly all of the posterior";
    return text;
  }
  text = std::to_string(modes.size()) + " modes, which hold about ";
  for (std::size_t k = 0; k < shares.size(); ++k)
    text += (k == 0 ? "" : k + 1 == shares.size() ? " and " : ", ") + formatted("%.0f %%", 100 * shares[k]);
  return text + " of the posterior";
}

std::vector<std::size_t> distribute_chains(std::span<const double> shares, std::size_t chains) {
  std::vector<std::size_t> modes;
  std::vector<double> taken(shares.size(), 0.0);
  for (std::size_t chain = 0; chain < chains; ++chain) {
    std::size_t best = 0;
    double lacks_most = -1e300;
    for (std::size_t m = 0; m < shares.size(); ++m) {
      const double wanted = shares[m] * static_cast<double>(chains) - taken[m];
      const double lacks = taken[m] == 0 && chains >= shares.size() ? static_cast<double>(chains) + wanted : wanted;
      if (lacks > lacks_most) lacks_most = lacks, best = m;
    }
    taken[best] += 1;
    modes.push_back(best);
  }
  return modes;
}

}  // namespace sgmcmc
