// Draws the synthetic data of the benchmarks from the library's own streams: the same numbers everywhere.
#include "problems.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc::bench {
namespace {

StreamKey data_key(std::uint64_t which) {
  return {.seed = data_seed, .chain = 0, .iteration = which, .purpose = Purpose::data};
}

}  // namespace

LogisticProblem make_logistic_problem(std::int64_t rows, int features) {
  LogisticProblem problem{.rows = rows, .features = features, .x = {}, .y = {}, .truth = {}};
  const auto columns = static_cast<std::size_t>(features);
  problem.x.resize(static_cast<std::size_t>(rows) * columns);
  problem.y.resize(static_cast<std::size_t>(rows));
  problem.truth.resize(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    problem.truth[j] = std::cos(static_cast<double>(j)) / std::sqrt(static_cast<double>(features));
  }
  fill_normal(data_key(0), problem.x);
  std::vector<double> uniform(4096);
  for (std::size_t first = 0; first < problem.y.size(); first += uniform.size()) {
    const std::size_t count = std::min(uniform.size(), problem.y.size() - first);
    fill_uniform(data_key(1), std::span(uniform).first(count), first);
    for (std::size_t i = 0; i < count; ++i) {
      double logit = 0;
      for (std::size_t j = 0; j < columns; ++j) logit += problem.x[(first + i) * columns + j] * problem.truth[j];
      problem.y[first + i] = uniform[i] < 1 / (1 + std::exp(-logit)) ? 1 : 0;
    }
  }
  return problem;
}

NetworkProblem make_network_problem(std::int64_t rows) {
  constexpr std::size_t inputs = 784;
  constexpr int classes = 10;
  NetworkProblem problem{.rows = rows, .x = {}, .y = {}, .start = {}};
  problem.x.resize(static_cast<std::size_t>(rows) * inputs);
  problem.y.resize(static_cast<std::size_t>(rows));
  fill_normal(data_key(2), problem.x);
  for (float& value : problem.x) value = std::clamp(0.3F * value, 0.0F, 1.0F);  // half of the pixels dark
  for (std::size_t i = 0; i < problem.y.size(); ++i) {
    // The brightest of ten patches is the class.
    float best = -1.0F;
    for (int k = 0; k < classes; ++k) {
      const float* patch = problem.x.data() + i * inputs + static_cast<std::size_t>(k) * 78;
      float total = 0.0F;
      for (int j = 0; j < 20; ++j) total += patch[j];
      if (total > best) {
        best = total;
        problem.y[i] = k;
      }
    }
  }
  constexpr std::size_t weights = inputs * 100 + 100 + 100 * 10 + 10;
  problem.start.resize(weights + 4);
  fill_normal(data_key(3), std::span(problem.start).first(weights));
  for (double& value : problem.start) value *= 0.1;
  return problem;
}

}  // namespace sgmcmc::bench
