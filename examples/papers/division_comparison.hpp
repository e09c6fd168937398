// One target sampled by every method, several times: sgld and sghmc on all rows, and every rule that combines draws of
// parts; the Kullback-Leibler divergence of each from exact draws, by nearest neighbours.
#pragma once

#include "division_targets.hpp"
#include "in_parallel.hpp"
#include "neighbour_divergence.hpp"

#include <sgmcmc/combine.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/subposterior.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

inline constexpr std::uint64_t parts = 20;
inline constexpr std::int64_t batch = 50;

struct Length {
  std::size_t draws = 1000;  // that are compared, of each method
  std::size_t repetitions = 10;
  std::uint64_t iterations = 20000;  // of sgld and sghmc; five times as many where there are two modes
};

/// Draws of all chains one after another, evenly thinned to so many.
inline std::vector<double> positions(const MemoryDraws& draws, std::size_t dimension, std::size_t count) {
  std::size_t total = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) total += draws.draws(chain);
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(count, total); ++k) {
    std::size_t at = k * total / std::min(count, total), chain = 0;
    while (at >= draws.draws(chain)) at -= draws.draws(chain++);
    const auto draw = draws.draw(chain, at);
    all.insert(all.end(), draw.begin(), draw.begin() + static_cast<std::ptrdiff_t>(dimension));
  }
  return all;
}

inline SampleOptions exact_options(const Target& target, std::size_t draws, std::uint64_t seed) {
  SampleOptions options;
  options.method("nuts");
  options.chains = 2;
  options.iterations = draws / 2;
  options.warmup = 250;
  options.seed = seed;
  options.threads = 1;
  options.initial = target.start;
  options.zero_variance = ZeroVarianceForm::none;
  return options;
}

inline std::vector<double> exact_draws(const Target& target, std::size_t count, std::uint64_t seed) {
  SampleOptions options = exact_options(target, (target.symmetric ? 2 : 8) * count, seed);
  auto all = positions(sample(target.model, options).draws, target.dimension, count);
  if (target.symmetric)  // every other draw with the labels exchanged
    for (std::size_t i = 0; i < count; i += 2)
      std::swap_ranges(all.begin() + static_cast<std::ptrdiff_t>(4 * i),
                       all.begin() + static_cast<std::ptrdiff_t>(4 * i + 2),
                       all.begin() + static_cast<std::ptrdiff_t>(4 * i + 2));
  return all;
}

/// Nothing where it diverges.
inline std::vector<double> gradient_draws(const Target& target, const std::string& method, double step,
                                          const Length& length, std::uint64_t seed) {
  SampleOptions options;
  options.method(method);
  options.step_size(step);
  if (auto* sghmc = std::get_if<SghmcOptions>(&options.sampler)) {
    sghmc->trajectory_length = 3;
    sghmc->friction = 0.1;
  }
  options.gradient.minibatch.batch_size = batch;
  options.iterations = (target.symmetric ? 5 : 1) * length.iterations;
  options.warmup = options.iterations / 10;
  options.seed = seed;
  options.threads = 1;
  options.initial = target.start;
  options.recoveries = 0;
  options.zero_variance = ZeroVarianceForm::none;
  try {
    return positions(sample(target.model, options).draws, target.dimension, length.draws);
  } catch (const DivergenceError&) {
    return {};
  }
}

inline const std::vector<double> bandwidths = {0.15, 0.3, 0.6, 1.2};  // tried

inline bool has_kernels(CombineMethod method) {
  return method == CombineMethod::nonparametric || method == CombineMethod::semiparametric ||
         method == CombineMethod::weierstrass;
}

struct Repeated {
  std::map<std::string, std::vector<double>> divergence;  // by method, one for each repetition
  std::map<std::string, std::vector<double>> shown;       // draws of the first repetition
  std::map<std::string, double> step;
  std::map<std::string, double> bandwidth;  // best of a grid; 0: as the rule chooses it
  double seconds = 0;
};

/// Draws of every part, of one repetition.
inline std::vector<PartDraws> draws_of_parts(const Target& target, const std::vector<Model>& models,
                                             const Length& length, std::size_t repetition) {
  std::vector<PartDraws> draws(parts);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const auto options = exact_options(target, length.draws, seed_of_part(1 + repetition, {part + 1, parts}));
    const auto made = sample(models[part], options).draws;
    for (std::size_t chain = 0; chain < made.chains(); ++chain) {
      auto& own = draws[part].chains.emplace_back();
      for (std::size_t k = 0; k < made.draws(chain); ++k) {
        const auto draw = made.draw(chain, k);
        own.insert(own.end(), draw.begin(), draw.begin() + static_cast<std::ptrdiff_t>(target.dimension));
      }
    }
  }
  return draws;
}

/// Nothing where parts do not overlap.
inline std::vector<double> combined(const Target& target, const std::vector<PartDraws>& draws, CombineMethod method,
                                    double bandwidth, std::uint64_t seed) {
  CombineOptions options;
  options.method = method;
  options.bandwidth = bandwidth;
  options.seed = seed;
  std::vector<double> all;
  try {
    for (const auto& chain : combine_draws(target.dimension, draws, options).chains)
      all.insert(all.end(), chain.begin(), chain.end());
  } catch (const DataError&) {
    all.clear();
  }
  return all;
}

inline Repeated compare(const Target& target, const Length& length) {
  const auto start = std::chrono::steady_clock::now();
  Repeated result;
  const auto exact = exact_draws(target, length.draws, 1000);
  const auto from_exact = [&](const std::vector<double>& draws) {
    if (draws.size() < 20 * target.dimension) return std::numeric_limits<double>::infinity();
    return neighbour_divergence(exact, draws, target.dimension);
  };
  std::vector<Model> models;
  for (std::uint64_t part = 1; part <= parts; ++part) models.push_back(subposterior(target.model, {part, parts}));

  // The step by one run each, as in the thesis; and the parts of the first repetition, which choose the bandwidth.
  struct Trial {
    std::string method;
    double step, found;
  };
  std::vector<Trial> trials;
  for (const std::string method : {"sghmc", "sgld"})
    for (const double step : target.steps) trials.push_back({method, step, 0});
  std::vector<PartDraws> first;
  in_parallel(trials.size() + 1, [&](std::size_t k) {
    if (k == 0) {
      first = draws_of_parts(target, models, length, 0);
      return;
    }
    Trial& trial = trials[k - 1];
    trial.found = from_exact(gradient_draws(target, trial.method, trial.step, length, 500));
  });
  std::map<std::string, double> best;
  for (const auto& [method, step, found] : trials)
    if (std::isfinite(found) && (!best.contains(method) || found < best[method])) {
      best[method] = found;
      result.step[method] = step;
    }
  std::vector<CombineMethod> with_kernels;
  for (const auto& rule : combine_rules())
    if (has_kernels(rule.method)) with_kernels.push_back(rule.method);
  std::vector<double> tried = {0};
  tried.insert(tried.end(), bandwidths.begin(), bandwidths.end());
  std::vector<double> divergences(with_kernels.size() * tried.size());
  in_parallel(divergences.size(), [&](std::size_t k) {
    divergences[k] = from_exact(combined(target, first, with_kernels[k / tried.size()], tried[k % tried.size()], 1));
  });
  for (const auto& rule : combine_rules())
    for (std::size_t k = 0; k < with_kernels.size(); ++k)
      if (rule.method == with_kernels[k]) {
        const auto from = divergences.begin() + static_cast<std::ptrdiff_t>(k * tried.size());
        const auto least = std::min_element(from, from + static_cast<std::ptrdiff_t>(tried.size()));
        result.bandwidth[std::string(rule.name)] = tried[static_cast<std::size_t>(least - from)];
      }

  std::vector<std::map<std::string, std::vector<double>>> made(length.repetitions);
  std::vector<std::map<std::string, double>> divergence(length.repetitions);
  in_parallel(length.repetitions, [&](std::size_t repetition) {
    const auto note = [&](const std::string& method, std::vector<double> draws) {
      divergence[repetition][method] = from_exact(draws);
      if (repetition == 0) made[repetition][method] = std::move(draws);
    };
    if (repetition < 3) note("exact", exact_draws(target, length.draws, 2000 + repetition));
    for (const auto& [method, step] : result.step)
      note(method, gradient_draws(target, method, step, length, 100 + repetition));
    const auto draws = repetition == 0 ? first : draws_of_parts(target, models, length, repetition);
    for (const auto& rule : combine_rules()) {
      const std::string name(rule.name);
      note(name, combined(target, draws, rule.method, 0, 1 + repetition));
      if (has_kernels(rule.method))
        note(name + ", tuned", combined(target, draws, rule.method, result.bandwidth.at(name), 1 + repetition));
    }
  });
  for (const auto& own : divergence)
    for (const auto& [method, found] : own) result.divergence[method].push_back(found);
  result.shown = std::move(made.front());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace sgmcmc
