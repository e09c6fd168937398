// Models in the Stan language compared with the same models in C++, and the speed of reading their data.
#include "base/thread_pool.hpp"
#include "benchmarks.hpp"
#include "check.hpp"
#include "data/variables.hpp"
#include "engine.hpp"
#include "engine_chain.hpp"
#include "problems.hpp"
#include "stan/binding/model_file.hpp"
#include "timing.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace sgmcmc::bench {
namespace {

constexpr const char* declarations = R"(
data {
  int N;
  int K;
  matrix[N, K] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[K] beta;
}
)";

constexpr const char* vectorised = R"(model {
  beta ~ double_exponential(0, 1);
  y ~ bernoulli_logit(x * beta);
})";

constexpr const char* looped = R"(model {
  beta ~ double_exponential(0, 1);
  for (n in 1:N) y[n] ~ bernoulli_logit(x[n] * beta);
})";

stan::BoundModel bound_model(const char* model, const LogisticProblem& problem) {
  const auto text = stan::read_model_text("logistic.stan", std::string(declarations) + model);
  DataVariables data;
  data.by_name["x"] = {DataArray::copy_of(problem.x, {problem.rows, problem.features}), "x"};
  data.by_name["y"] = {DataArray::copy_of(problem.y, {problem.rows}), "y"};
  stan::BindOptions options;
  options.consume_data = true;
  return stan::BoundModel(text.source, text.program, data, options);
}

}  // namespace

void run_stan_logistic(Results& results, const Effort& effort) {
  const LogisticProblem problem = make_logistic_problem(covertype_rows, covertype_features);
  const EngineLogistic engine(problem, Precision::float64);
  const auto by_vector = bound_model(vectorised, problem);
  const auto by_loop = bound_model(looped, problem);
  // Each chain draws its own rows, so that none finds another's rows in the caches.
  ChainSettings settings;
  const std::vector<double> start(covertype_features, 0.0);
  const EngineChain written = engine.sgld(settings);
  const EngineChain same = engine_chain(by_vector.model(), Precision::float64, settings, {{"beta", start}});
  for (int step = 0; step < 20; ++step) written.step(), same.step();
  const std::vector<double> expected = written.theta();
  check_same_place(same.theta(), std::span<const double>(expected), 1e-10);
  settings.seed = 2;
  const EngineChain vector_chain = engine_chain(by_vector.model(), Precision::float64, settings, {{"beta", start}});
  settings.seed = 3;
  const EngineChain loop_chain = engine_chain(by_loop.model(), Precision::float64, settings, {{"beta", start}});
  constexpr int steps = 25;
  const Timings timings({{vector_chain.step, steps}, {written.step, steps}, {loop_chain.step, steps}}, effort.rounds);
  results.judge("stan_over_cpp", timings.ratio(0, 1), Results::Goal::at_most, 1.05,
                "sgld step of a Stan-language model over the one in C++");
  results.note("stan_over_cpp_us", timings.best(0));
  results.note("stan_over_cpp_hand_us", timings.best(1));
  results.judge("stan_loop_over_cpp", timings.ratio(2, 1), Results::Goal::at_most, 1.05,
                "the same, written as a loop over observations");
}

void run_csv(Results& results, const Effort& effort) {
  // As covertype's file: a label, ten measurements, forty-four indicators.
  constexpr int lines = 150'000;
  std::vector<double> uniform(11 * lines);
  fill_uniform({.seed = data_seed, .purpose = Purpose::data}, uniform);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += uniform[static_cast<std::size_t>(11 * i)] < 0.5 ? '0' : '1';
    for (int j = 1; j < 11; ++j) {
      text += ',';
      text += std::to_string(static_cast<int>(4000 * uniform[static_cast<std::size_t>(11 * i + j)]));
    }
    for (int j = 0; j < 44; ++j) text += j == i % 44 ? ",1" : ",0";
    text += '\n';
  }
  const auto path = std::filesystem::temp_directory_path() / ("sgmcmc_bench_" + std::to_string(lines) + ".csv");
  std::ofstream(path, std::ios::binary) << text;
  ThreadPool one(1);
  const std::vector<std::string> arguments{"x=" + path.string() + ":2..55", "y=" + path.string() + ":1"};
  const std::vector<WantedVariable> wanted{{"x", WantedKind::real}, {"y", WantedKind::integer}};
  const Timings timings({{[&] { read_data(arguments, wanted, &one); }, 1}}, effort.rounds / 40 + 1);
  std::filesystem::remove(path);
  results.judge("csv_mb_per_s_per_core", static_cast<double>(text.size()) / timings.best(0), Results::Goal::at_least,
                200, "megabytes of CSV read per second on one thread");
}

}  // namespace sgmcmc::bench
