// Chains that run for a given time, beside draws of an exact sampler: how fast they mix, and how far their means and
// covariances are from the exact ones (Ahn, Korattikara and Welling 2012, figures 1, 2, 4 and 5).
#pragma once

#include "cpu_time.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/compare.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/figure.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

/// The draws of a chain that ran for so many seconds of computation, less the first of them.
struct TimedRun {
  std::string method, setting;
  MemoryDraws draws;
  std::uint64_t iterations = 0;  ///< after burn-in
  double seconds_per_iteration = 0;
  double mixing = 0;           ///< 1 / ATUC, averaged over the parameters: independent draws per second
  RelativeErrors early, late;  ///< after a tenth of the time, and after all of it

  DrawPoints points(std::size_t count) const {
    DrawPoints points;
    points.dimension = draws.parameters();
    for (std::size_t k = 0; k < std::min(count, draws.draws(0)); ++k) {
      const auto draw = draws.draw(0, k);
      points.values.insert(points.values.end(), draw.begin(), draw.end());
    }
    return points;
  }
  DrawPoints points() const { return points(draws.draws(0)); }
};

/// Keeps one of so many iterations that at most `most` are kept. Throws DivergenceError.
inline TimedRun run_for(const Model& model, const SampleOptions& options, const DrawPoints& reference,
                        std::uint64_t burn_in, double seconds, std::size_t most) {
  TimedRun run;
  Chain chain(model, options);
  for (std::uint64_t t = 0; t < burn_in; ++t) chain.step();
  // The pace first: then memory is known.
  const std::size_t trial = 200;
  const double start = cpu_seconds();
  for (std::size_t t = 0; t < trial; ++t) chain.step();
  const double pace = (cpu_seconds() - start) / static_cast<double>(trial);
  const auto wanted = static_cast<std::size_t>(std::max(seconds / pace, 100.0));
  const std::size_t thin = (wanted + most - 1) / most, count = wanted / thin;
  run.iterations = count * thin;
  run.draws.begin(chain.names(), 1, count);
  const double begin = cpu_seconds();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t t = 0; t < thin; ++t) chain.step();
    run.draws.write(0, chain.values(), 1.0);
  }
  run.seconds_per_iteration = (cpu_seconds() - begin) / static_cast<double>(run.iterations);
  const std::size_t columns = run.draws.parameters();
  double time = 0;
  for (std::size_t j = 0; j < columns; ++j)
    time += integrated_autocorrelation_time(QuantityDraws(run.draws, j)) / static_cast<double>(columns);
  run.mixing = 1.0 / (time * static_cast<double>(thin) * run.seconds_per_iteration);
  run.early = relative_errors(run.points(count / 10), reference, 1);
  run.late = relative_errors(run.points(), reference, 1);
  return run;
}

struct Moments {
  std::vector<double> mean, covariance;  // covariance: columns x columns

  std::size_t columns() const { return mean.size(); }
  double sd(std::size_t i) const { return std::sqrt(covariance[i * (columns() + 1)]); }
  double correlation(std::size_t i, std::size_t j) const { return covariance[i * columns() + j] / (sd(i) * sd(j)); }
  std::array<double, 3> covariance_of(std::size_t i, std::size_t j) const {
    return {covariance[i * (columns() + 1)], covariance[i * columns() + j], covariance[j * (columns() + 1)]};
  }
};

inline Moments moments_of(const DrawPoints& points) {
  const std::size_t columns = points.dimension;
  Moments moments{std::vector<double>(columns), std::vector<double>(columns * columns)};
  const auto count = static_cast<double>(points.count());
  for (std::size_t k = 0; k < points.count(); ++k)
    for (std::size_t j = 0; j < columns; ++j) moments.mean[j] += points.point(k)[j] / count;
  for (std::size_t k = 0; k < points.count(); ++k)
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        moments.covariance[i * columns + j] +=
            (points.point(k)[i] - moments.mean[i]) * (points.point(k)[j] - moments.mean[j]) / (count - 1.0);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = 0; j < i; ++j) moments.covariance[j * columns + i] = moments.covariance[i * columns + j];
  return moments;
}

/// Between the marginals of two parameters: means and covariances in units of the reference's.
inline double difference(const Moments& a, const Moments& b, std::size_t i, std::size_t j) {
  const std::size_t columns = b.columns();
  double sum = 0;
  for (const auto& [p, q] : {std::pair{i, i}, std::pair{i, j}, std::pair{j, j}})
    sum += std::abs(a.covariance[p * columns + q] - b.covariance[p * columns + q]) / (b.sd(p) * b.sd(q));
  for (const std::size_t p : {i, j}) sum += std::abs(a.mean[p] - b.mean[p]) / b.sd(p);
  return sum;
}

/// The standard deviations of a run over those of the reference, averaged over the parameters.
inline double mean_sd_ratio(const TimedRun& run, const Moments& reference) {
  double ratio = 0;
  for (std::size_t j = 0; j < reference.columns(); ++j)
    ratio += run.draws.standard_deviation(j) / reference.sd(j) / static_cast<double>(reference.columns());
  return ratio;
}

/// Errors against mixing: of means or covariances, early or late.
inline figure::Panel error_panel(const std::string& title, const std::vector<TimedRun>& runs,
                                 const std::vector<std::string>& methods, bool mean, bool late) {
  figure::Panel panel(
      title, {"1 / ATUC: independent draws per second", figure::Scale::logarithmic},
      {mean ? "E1, relative error of means" : "E2, relative error of covariances", figure::Scale::logarithmic});
  for (const auto& method : methods) {
    std::vector<figure::Point> line;
    for (const TimedRun& run : runs) {
      const RelativeErrors& errors = late ? run.late : run.early;
      if (run.method == method) line.push_back({run.mixing, mean ? errors.mean : errors.covariance});
    }
    panel.line(method, line).points(method, line);
  }
  return panel;
}

}  // namespace sgmcmc
