// The grids, sampler by sampler.
#include "run/candidates.hpp"

#include "data/store.hpp"
#include "minibatch/minibatcher.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::int64_t larger_batch = 4;

/// Multiples of the unit, the largest first. On a normal law of precision 1 sgld is stable below 4, momentum below 4
/// (its step is the square of a leapfrog step), and sglm below 4. Its larger ones are right there and nowhere else:
/// beside a wall (a coefficient of rows that all have one outcome) a step of 1 is thrown off far, so rarely that no
/// short run sees it.
std::vector<double> multiples(const SamplerOptions& sampler, bool whitened) {
  if (std::holds_alternative<SglmOptions>(sampler)) return {0.5, 0.25, 0.1};
  if (whitened && std::holds_alternative<SgldOptions>(sampler)) return {0.5, 0.25, 0.12, 0.06, 0.02};
  if (whitened && std::holds_alternative<SghmcOptions>(sampler)) return {0.3, 0.1, 0.03};
  if (std::holds_alternative<SghmcOptions>(sampler) || std::holds_alternative<SgnhtOptions>(sampler))
    return {1.0, 0.4, 0.15, 0.06, 0.02, 0.006};
  if (std::holds_alternative<HamcmcOptions>(sampler)) return {0.5, 0.25, 0.12, 0.06, 0.03, 0.01};
  if (std::holds_alternative<PsgldOptions>(sampler)) return {100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1};
  return {1.0, 0.5, 0.25, 0.12, 0.06, 0.03, 0.01, 0.003};
}

/// psgld measures steps by its own running scales, about sd sqrt(N n): then a third of a variance is this.
double unit_of(const SamplerOptions& sampler, double unit, double rows, double batch) {
  if (std::holds_alternative<HamcmcOptions>(sampler) || std::holds_alternative<SgrldOptions>(sampler)) return 1.0;
  if (std::holds_alternative<PsgldOptions>(sampler)) return 1.0 / (3.0 * std::max(10.0, rows) * std::sqrt(batch));
  return unit;
}

/// The sampler with other frictions and lengths of trajectories beside its own, where these may be tried. On a normal
/// law of precision 1 a quarter of a period takes pi / 2 / sqrt(step) steps: draws are then about independent.
std::vector<SamplerOptions> variants(const SamplerOptions& sampler, double step, bool whitened, const TuneOptions& how,
                                     bool thorough) {
  constexpr double quarter_period = 1.57, larger_friction = 0.1;
  constexpr std::uint32_t longer = 20;
  std::vector<SamplerOptions> all = {sampler};
  if (const auto* momentum = std::get_if<SghmcOptions>(&sampler)) {
    SghmcOptions other = *momentum;
    other.trajectory_length =
        whitened ? static_cast<std::uint32_t>(std::clamp(std::round(quarter_period / std::sqrt(step)), 1.0, 50.0))
                 : longer;
    if (how.trajectory_length && other.trajectory_length != momentum->trajectory_length) {
      if (whitened && !thorough) all.clear();
      if (whitened || thorough) all.insert(all.begin(), other);
    }
    other = std::get<SghmcOptions>(all.front());
    other.friction = larger_friction;
    if (how.friction && thorough && momentum->friction != larger_friction) all.push_back(other);
  } else if (const auto* thermostat = std::get_if<SgnhtOptions>(&sampler);
             thermostat && how.friction && thorough && thermostat->diffusion != larger_friction) {
    SgnhtOptions other = *thermostat;
    other.diffusion = larger_friction;
    all.push_back(other);
  }
  return all;
}

double entries_of_a_row(const LogPosterior& posterior, const std::string& column) {
  const auto& view = posterior.model().data().store().column(column);
  const auto rows = posterior.rows();
  return rows > 0 ? static_cast<double>(view.row_start[rows]) / static_cast<double>(rows) : 0.0;
}

}  // namespace

std::string method_name(const SampleOptions& options) {
  const std::string sampler(sampler_name(options.sampler));
  if (takes_every_row(options.sampler) || options.gradient.estimator == Estimator::minibatch) return sampler;
  return sampler + "-" + std::string(estimator_name(options.gradient.estimator));
}

double stable_step(const LogPosterior& posterior, std::span<const double> theta, std::uint64_t seed, ThreadPool* pool,
                   std::span<const double> scale, std::int64_t most_rows) {
  constexpr int products = 12;
  const std::size_t size = theta.size();
  auto executor = posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool});
  executor->set_point(Point::current, theta);
  MinibatchOptions part;
  part.batch_size = std::min(most_rows, posterior.rows());
  std::optional<Minibatcher> rows;
  if (posterior.rows() > most_rows) rows.emplace(posterior.rows(), part, seed, 0);
  const RowBatch batch = rows ? rows->batch(0) : posterior.all_rows();
  std::vector<double> direction(size), product(size);
  const auto by_roots = [scale](std::vector<double>& x) {
    for (std::size_t d = 0; d < scale.size(); ++d) x[d] *= std::sqrt(scale[d]);
  };
  fill_normal({seed, 0, 0, Purpose::user}, direction);
  double curvature = 0;
  for (int k = 0; k < products; ++k) {
    double square = 0;
    for (const double x : direction) square += x * x;
    const double norm = std::sqrt(square);
    if (!(norm > 0) || !std::isfinite(norm)) break;
    for (double& x : direction) x /= norm;
    by_roots(direction);
    executor->set_point(Point::direction, direction);
    executor->run(batch, product);
    by_roots(product);
    double along = 0;
    for (std::size_t d = 0; d < size; ++d) along += product[d] * product[d];
    if (std::isfinite(along)) curvature = std::max(curvature, std::sqrt(along));
    direction.swap(product);
  }
  return curvature > 0 ? 1.0 / curvature : 1.0;
}

double gradient_work(const LogPosterior& posterior) {
  const auto program =
      posterior.program(posterior.has_summed_rows() ? ProgramKind::whole_gradient : ProgramKind::gradient);
  double per_row = 0, once = 0;
  for (const auto& value : program->values) {
    if (value.op() == Op::row_sparse) continue;
    double size = static_cast<double>(value.size);
    for (const int number : value.inputs) {
      const auto& input = program->values[static_cast<std::size_t>(number)];
      if (input.op() == Op::row_sparse) {  // of its columns a row touches few
        size = entries_of_a_row(posterior, input.node().attributes.name);
        break;
      }
      size = std::max(size, static_cast<double>(input.size));
    }
    (value.per_row ? per_row : once) += size;
  }
  return per_row * static_cast<double>(posterior.rows()) + once;
}

std::vector<Proposal> proposals_for(const SampleOptions& options, std::int64_t rows, double unit,
                                    const TuneOptions& how, bool thorough) {
  std::vector<std::int64_t> batches;
  const bool minibatches = rows > 0 && options.gradient.estimator != Estimator::full;
  if (minibatches) {
    const std::int64_t given = options.gradient.minibatch.batch_size;
    const std::int64_t first = given > 0 ? given : std::min(rows, default_batch_size);
    batches.push_back(first);
    const int more =
        options.gradient.estimator == Estimator::minibatch ? 2 : 1;  // without control variates noise is large
    for (int k = 0; how.batch_size && thorough && k < more && larger_batch * batches.back() <= rows / 2; ++k)
      batches.push_back(larger_batch * batches.back());
  } else {
    batches.push_back(options.gradient.minibatch.batch_size);
  }
  std::vector<Proposal> proposals;
  for (const std::int64_t batch : batches) {
    SampleOptions one = options;
    one.gradient.minibatch.batch_size = batch;
    const double scale = unit_of(options.sampler, unit, static_cast<double>(rows),
                                 static_cast<double>(minibatches ? batch : std::max<std::int64_t>(1, rows)));
    const bool whitened = options.decided_precondition() != Precondition::none;
    auto steps = multiples(options.sampler, whitened);
    // In units of the posterior the larger steps are good unless gradients are noisy: then they are with larger
    // batches.
    if (whitened && batch != batches.front()) steps.resize(2);
    for (const double multiple : steps) {
      const bool several = thorough && batch == batches.front();
      for (const auto& sampler : variants(options.sampler, multiple * scale, whitened, how, several)) {
        one.sampler = sampler;
        one.step_size(multiple * scale);
        proposals.push_back({method_name(one), one});
      }
    }
  }
  return proposals;
}

void choose_length(SampleOptions& options, double relative_cost, std::int64_t dimension,
                   std::uint64_t most_iterations) {
  constexpr std::uint64_t most_draws = 10'000, fewest_draws = 100;
  constexpr std::uint64_t most_numbers = 10'000'000;  // of all chains, with 20 letters each
  const auto iterations = static_cast<std::uint64_t>(static_cast<double>(most_iterations) / relative_cost);
  options.iterations = std::clamp(iterations, SampleOptions::exact_iterations, most_iterations);
  if (options.thin != 1) return;
  const auto of_a_draw = options.chains * static_cast<std::uint64_t>(std::max<std::int64_t>(1, dimension));
  const auto draws = std::clamp(most_numbers / of_a_draw, fewest_draws, most_draws);
  options.thin = (options.iterations + draws - 1) / draws;
}

}  // namespace sgmcmc
