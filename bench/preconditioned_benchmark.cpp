// The cost of a step of samplers that learn scales and correlations, relative to a step of sgld on the same data.
#include "benchmarks.hpp"
#include "problems.hpp"
#include "timing.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/sample.hpp>

#include <deque>

namespace sgmcmc::bench {

void run_preconditioned(Results& results, const Effort& effort) {
  // As many rows and coordinates as in the experiment of the sgfs paper, MNIST's sevens against nines.
  constexpr std::int64_t rows = 12'000, features = 51;
  const LogisticProblem problem = make_logistic_problem(rows, features);
  Model model(Dataset::Builder().real("x", problem.x, {features}).integer("y", problem.y).build());
  const Expression beta = model.parameter("beta", {features});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));

  std::deque<Chain> chains;
  std::vector<Contender> contenders;
  // Blocks take about the same time, because longer ones would be interrupted more often. The first hundred steps of
  // sgfs differ from later ones.
  const auto add = [&](const std::string& method, double step_size, int steps) {
    SampleOptions options;
    options.method(method).step_size(step_size);
    if (auto* hamcmc = std::get_if<HamcmcOptions>(&options.sampler)) hamcmc->history = 3;
    options.initial = {{"beta", problem.truth}};
    options.gradient.minibatch.batch_size = 500;
    options.threads = 1;
    options.seed = 1 + chains.size();
    Chain& chain = chains.emplace_back(model, options, 0);
    for (int step = 0; step < 200; ++step) chain.step();
    contenders.push_back({[&chain] { chain.step(); }, steps});
  };
  add("sgld", 1e-5, 30);
  add("sgfs-full", 0.0, 16);
  add("sgfs-diagonal", 0.0, 24);
  add("psgld", 1e-6, 30);
  add("hamcmc", 0.1, 18);
  const Timings timings(contenders, effort.rounds);
  const auto judge = [&](std::size_t who, const std::string& name, double bound, const std::string& meaning) {
    results.judge(name + "_over_sgld", timings.ratio(who, 0), Results::Goal::at_most, bound, meaning);
    results.note(name + "_us", timings.best(who));
  };
  results.note("sgld_51_us", timings.best(0));
  judge(1, "sgfs_full", 3.0, "sgfs-full step, 51 coordinates, 500 rows, over sgld's");
  judge(2, "sgfs_diagonal", 1.5, "sgfs-diagonal step over sgld's");
  judge(3, "psgld", 1.1, "psgld step over sgld's");
  judge(4, "hamcmc", 2.5, "hamcmc step with history 3 over sgld's");
}

}  // namespace sgmcmc::bench
