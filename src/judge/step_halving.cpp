// Continues chains at half the step size, and compares moments.
#include "judge/step_halving.hpp"

#include "base/interrupt.hpp"
#include "dynamics/dynamics.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace sgmcmc {
namespace {

struct Spread {
  double mean, sd, mean_error, sd_error;
};

Spread spread_of(const ChainPoints& points, std::size_t dimension, std::size_t coordinate) {
  QuantityDraws series;
  for (const auto& chain : points.chains) {
    auto& values = series.chains.emplace_back(chain.size() / dimension);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = chain[k * dimension + coordinate];
  }
  const auto summary = summarise(series);
  return {summary.mean, summary.standard_deviation, summary.mcse_mean, mcse_sd(series)};
}

}  // namespace

HalvingCheck halve_steps(const Model& model, const SampleOptions& run, const MemoryDraws& draws,
                         const DrawPositions& positions, const ChainPoints& before, const std::vector<double>& centre,
                         const BiasOptions& options, ThreadPool& pool, double& rows_touched) {
  SampleOptions halved = run;
  halved.zero_variance = ZeroVarianceForm::none;
  std::visit(
      [](auto& sampler) {
        if constexpr (requires { sampler.step_size; })
          for (double& step : sampler.step_size.values) step *= 0.5;
        if constexpr (requires { sampler.schedule; })  // draws were made at its final step size
          if (sampler.schedule.kind == Schedule::Kind::annealing) sampler.schedule = Schedule::constant();
      },
      halved.sampler);
  halved.iterations = options.halving_iterations;
  halved.warmup = 0;
  halved.thin = 1;
  halved.chains = 1;
  halved.threads = 1;
  halved.seed = run.seed ^ 0x4a1f5eedULL;
  halved.functions.clear();
  halved.store_draws = false;
  halved.sink = nullptr;
  halved.progress = nullptr;
  if (halved.gradient.estimator == Estimator::control_variate && halved.gradient.centre.empty())
    halved.gradient.centre = centre;

  std::vector<std::uint32_t> running;
  for (std::uint32_t chain = 0; chain < draws.chains(); ++chain)
    if (draws.draws(chain) > 0) running.push_back(chain);
  ChainPoints after;
  after.chains.resize(running.size());
  const std::uint64_t dropped = options.halving_iterations / 2;
  const std::uint64_t thin = std::max<std::uint64_t>(
      1, (options.halving_iterations - dropped) * running.size() / std::max<std::size_t>(1, options.most_draws));
  pool.for_each(running.size(), [&](std::size_t k, int) {
    SampleOptions mine = halved;
    mine.initial = positions.values(running[k], draws.draws(running[k]) - 1);
    Chain chain(model, mine, running[k]);
    for (std::uint64_t i = 0; i < options.halving_iterations; ++i) {
      throw_if_interrupted(run.interrupt);
      chain.step();
      if (i < dropped || (i - dropped + 1) % thin != 0) continue;
      after.chains[k].insert(after.chains[k].end(), chain.position().begin(), chain.position().end());
    }
  });

  const auto dimension = static_cast<std::size_t>(model.dimension());
  if (model.row_log_likelihood()) {
    const auto gradients = static_cast<double>(make_dynamics(halved.sampler, dimension)->evaluations_per_iteration());
    const double rows = static_cast<double>(model.rows());
    const auto batch = static_cast<double>(halved.gradient.minibatch.rows_of_batch(model.rows()));
    rows_touched += static_cast<double>(options.halving_iterations * running.size()) * gradients *
                    (halved.gradient.estimator == Estimator::full ? rows : batch);
  }
  HalvingCheck check;
  check.iterations = options.halving_iterations;
  for (std::size_t d = 0; d < dimension; ++d) {
    const Spread old = spread_of(before, dimension, d), now = spread_of(after, dimension, d);
    HalvingCoordinate coordinate;
    coordinate.log_sd_change = std::log(now.sd / old.sd);
    coordinate.log_sd_change_error = std::hypot(now.sd_error / now.sd, old.sd_error / old.sd);
    coordinate.mean_change = (now.mean - old.mean) / old.sd;
    coordinate.mean_change_error = std::hypot(now.mean_error, old.mean_error) / old.sd;
    check.coordinates.push_back(coordinate);
  }
  return check;
}

}  // namespace sgmcmc
