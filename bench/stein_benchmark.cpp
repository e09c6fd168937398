// The cost of a diagnosis, in passes over the data: gradients at 2,000 draws of a regression with a million rows.
#include "benchmarks.hpp"
#include "problems.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>

namespace sgmcmc::bench {

void run_stein(Results& results, const Effort& effort) {
  constexpr std::int64_t rows = 1'000'000, features = 50;
  const Dataset data = [] {
    const LogisticProblem problem = make_logistic_problem(rows, features);
    return Dataset::Builder().real("x", problem.x, {features}).integer("y", problem.y).build();
  }();
  Model model(data);
  const Expression beta = model.parameter("beta", {features});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  SampleOptions run;
  run.method("sgld-cv").step_size(1e-6);  // a fifth of a posterior variance
  run.gradient.minibatch.batch_size = 500;
  run.chains = 2;
  run.warmup = 200;
  run.iterations = 5000;
  run.thin = 5;
  const auto draws = sample(model, run).draws;
  BiasReport report = diagnose_bias(model, run, draws);
  for (int round = 1; round < std::min(effort.rounds, 5); ++round)
    report.seconds = std::min(report.seconds, diagnose_bias(model, run, draws).seconds);
  results.judge("stein_passes", report.passes, Results::Goal::at_most, 1000,
                "passes over 10^6 rows x 50 for the Stein diagnosis of 2,000 draws");
  results.note("stein_seconds", report.seconds);
  results.note("stein_batch_size", static_cast<double>(report.batch_size));
}

}  // namespace sgmcmc::bench
