// Fits simulated data sets concurrently and ranks the true values among the draws of each fit.
#include <sgmcmc/calibrate.hpp>

#include "base/thread_pool.hpp"
#include "chains/density_at_draws.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

namespace sgmcmc {
namespace {

/// The seed of a fit: unrelated for different fits, whatever the seed of the run (the finaliser of SplitMix64).
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t replication) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15ULL * (replication + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Ranks a NaN below all other densities: it means that a value was rounded to the boundary of its constraint.
double ordered(double log_density) {
  return std::isnan(log_density) ? -std::numeric_limits<double>::infinity() : log_density;
}

struct DrawPlace {
  std::size_t chain, draw;
};

/// `wanted` draws, evenly spaced in cumulative weight; with equal weights this is even spacing in time.
std::vector<DrawPlace> spaced(const MemoryDraws& draws, std::size_t wanted) {
  double total = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t i = 0; i < draws.draws(chain); ++i) total += draws.weights(chain)[i];
  std::vector<DrawPlace> places;
  double passed = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t i = 0; i < draws.draws(chain); ++i) {
      passed += draws.weights(chain)[i];
      while (places.size() < wanted &&
             passed > (static_cast<double>(places.size()) + 0.5) * total / static_cast<double>(wanted))
        places.push_back({chain, i});
    }
  return places;
}

/// The smallest effective sample size. Ignores NaN (constant quantities); infinity if no quantity varies.
double smallest_size(const MemoryDraws& draws, std::size_t parameters) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < parameters; ++p) {
    const QuantityDraws quantity(draws, p);
    for (const double size : {ess_bulk(quantity), ess_mean(quantity)})
      if (size < smallest) smallest = size;
  }
  return smallest;
}

struct Fit {
  std::vector<std::uint32_t> ranks;
  std::vector<bool> varies;
  double effective_size = 0;
  double iterations_per_draw = 0;
  bool extended = false;
  bool interrupted = false;
};

Fit fit_one(const SimulatedModel& simulated, SampleOptions options, const CalibrateOptions& how,
            std::uint64_t replication) {
  const Model& model = *simulated.model;
  const std::size_t parameters = model.constrained_names().size();
  const std::uint64_t seed = options.seed;
  options.seed = seed_of(seed, replication);
  Fit fit;
  std::optional<SampleResult> result;
  for (std::uint64_t factor = 1;; factor *= 2) {
    result.emplace(sample(model, options));
    if (result->interrupted) {
      fit.interrupted = true;
      return fit;
    }
    fit.effective_size = smallest_size(result->draws, parameters);
    if (fit.effective_size >= how.draws || factor * 2 > how.longest) break;
    options.iterations *= 2;
    fit.extended = true;
  }
  const auto places = spaced(result->draws, how.draws);
  fit.iterations_per_draw = static_cast<double>(options.iterations * options.chains) / how.draws;
  const std::size_t quantities = parameters + (how.log_density ? 1 : 0);
  std::vector<double> uniform(quantities);
  fill_uniform({seed, 0, replication, static_cast<Purpose>(static_cast<int>(Purpose::user) + 3)}, uniform);
  std::vector<double> column(places.size());
  for (std::size_t p = 0; p < quantities; ++p) {
    double truth;
    if (p < parameters) {
      truth = simulated.truth[p];
      for (std::size_t k = 0; k < places.size(); ++k) column[k] = result->draws(places[k].chain, places[k].draw, p);
    } else {
      DensityAtDraws density(std::make_shared<const LogPosterior>(model));
      truth = ordered(density.at(simulated.truth));
      for (std::size_t k = 0; k < places.size(); ++k)
        column[k] = ordered(density.at(result->draws.draw(places[k].chain, places[k].draw)));
    }
    fit.ranks.push_back(rank_among(truth, column, uniform[p]));
    fit.varies.push_back(std::any_of(column.begin(), column.end(), [&](double draw) { return draw != truth; }));
  }
  return fit;
}

void check_truth(const SimulatedModel& simulated, std::uint64_t replication) {
  const std::size_t parameters = simulated.model->constrained_names().size();
  if (simulated.truth.size() != parameters)
    throw ModelError("calibrate: replication " + std::to_string(replication + 1) + " has " +
                     std::to_string(simulated.truth.size()) + " true values; the model has " +
                     std::to_string(parameters) + " parameters");
}

Calibration collected(const std::vector<std::optional<Fit>>& fits, std::vector<std::string> names,
                      const CalibrateOptions& how) {
  Calibration made;
  made.draws = how.draws;
  made.level = how.level;
  if (how.log_density) names.push_back("lp__");
  made.smallest_effective_size = std::numeric_limits<double>::infinity();
  std::vector<bool> varies(names.size(), false);
  for (const auto& fit : fits) {
    if (!fit) continue;
    ++made.replications;
    made.extended += fit->extended;
    made.dependent += fit->effective_size < how.draws;
    made.smallest_effective_size = std::min(made.smallest_effective_size, fit->effective_size);
    made.iterations_per_draw += fit->iterations_per_draw;
    for (std::size_t p = 0; p < names.size(); ++p) varies[p] = varies[p] || fit->varies[p];
  }
  if (made.replications > 0) made.iterations_per_draw /= static_cast<double>(made.replications);
  for (std::size_t p = 0; p < names.size() && made.replications > 0; ++p) {
    if (!varies[p]) continue;  // constant, such as the diagonal of a correlation matrix
    made.names.push_back(names[p]);
    auto& ranks = made.ranks.emplace_back();
    for (const auto& fit : fits)
      if (fit) ranks.push_back(fit->ranks[p]);
    made.tests.push_back(test_ranks(ranks, how.draws));
  }
  return made;
}

}  // namespace

void CalibrateOptions::validate() const {
  if (replications == 0) throw OptionError("replications: ask for at least 1");
  if (draws == 0 || draws > 1'000'000) throw OptionError("draws: a number from 1 to 1000000 is expected");
  if (longest == 0) throw OptionError("longest: at least 1 is expected");
  if (!(level > 0 && level < 1)) throw OptionError("level: a number between 0 and 1 is expected");
}

double Calibration::threshold() const {
  return level / (3.0 * static_cast<double>(std::max<std::size_t>(1, tests.size())));
}

bool Calibration::is_uniform(std::size_t quantity) const { return tests[quantity].smallest_p_value() > threshold(); }

bool Calibration::calibrated() const {
  for (std::size_t i = 0; i < tests.size(); ++i)
    if (!is_uniform(i)) return false;
  return failed == 0 && !tests.empty();
}

Calibration calibrate(const Simulation& simulate, const SampleOptions& options, const CalibrateOptions& how) {
  how.validate();
  SampleOptions fit_options = options;
  fit_options.zero_variance = ZeroVarianceForm::none;
  fit_options.threads = 1;
  fit_options.store_draws = true;
  fit_options.sink = nullptr;
  fit_options.progress = nullptr;
  fit_options.interrupt = how.interrupt;
  fit_options.functions.clear();  // expressions belong to the model of one replication only
  // Check the first replication here, so that a simulation that does not match its model fails in the same way for any
  // number of threads.
  const SimulatedModel first = simulate(0);
  check_truth(first, 0);
  std::vector<std::optional<Fit>> fits(how.replications);
  std::mutex mutex;
  std::uint64_t finished = 0, failed = 0, first_failed = how.replications;
  std::string failure;
  bool interrupted = false;
  ThreadPool pool(how.threads);
  pool.for_each(how.replications, [&](std::size_t replication, int) {
    if (how.interrupt && how.interrupt->load(std::memory_order_relaxed)) {
      const std::lock_guard lock(mutex);
      interrupted = true;
      return;
    }
    const SimulatedModel simulated = simulate(replication);
    check_truth(simulated, replication);
    std::optional<Fit> fit;
    std::string message;
    try {
      fit = fit_one(simulated, fit_options, how, replication);
    } catch (const DivergenceError& error) {
      message = error.what();
    } catch (const ModelError& error) {  // no mode to start from
      message = error.what();
    }
    const std::lock_guard lock(mutex);
    if (fit && fit->interrupted) {
      interrupted = true;
      return;
    }
    if (!fit) {
      ++failed;
      if (replication < first_failed) {
        first_failed = replication;
        failure = message;
      }
    }
    fits[replication] = std::move(fit);
    ++finished;
    if (how.progress) how.progress(finished);
  });
  if (2 * failed > finished)
    throw DivergenceError("calibrate: " + std::to_string(failed) + " of " + std::to_string(finished) +
                          " fits failed; replication " + std::to_string(first_failed + 1) + ": " + failure);
  Calibration made = collected(fits, first.model->constrained_names(), how);
  made.failed = failed;
  made.first_failure = failure;
  made.interrupted = interrupted;
  return made;
}

}  // namespace sgmcmc
