// A log likelihood recorded over a minibatch, as R records it, compared with the same model in C++.
#include "benchmarks.hpp"
#include "check.hpp"
#include "engine.hpp"
#include "engine_chain.hpp"
#include "problems.hpp"
#include "timing.hpp"
#include "traced/traced_model.hpp"

#include <string>
#include <vector>

namespace sgmcmc::bench {
namespace {

std::size_t add(traced::TracedGraph& graph, const std::string& op, std::vector<std::size_t> inputs,
                const std::string& name = {}) {
  traced::TracedNode node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.name = name;
  return graph.add(std::move(node));
}

std::size_t number(traced::TracedGraph& graph, double value) {
  traced::TracedNode node;
  node.op = "constant";
  node.values = {value};
  return graph.add(std::move(node));
}

/// The logistic regression of the R package's paper, as printed there.
traced::TracedModel traced_logistic(const LogisticProblem& problem, const std::vector<double>& y) {
  traced::TracedGraph g;
  g.batch_rows = 500;
  const auto x = add(g, "placeholder", {}, "x"), labels = add(g, "placeholder", {}, "y");
  const auto beta = add(g, "parameter", {}, "beta"), one = number(g, 1.0);
  const auto eta = add(g, "squeeze", {add(g, "matmul", {x, beta})});
  const auto p = add(g, "divide", {one, add(g, "add", {one, add(g, "exp", {add(g, "negative", {eta})})})});
  const auto success = add(g, "multiply", {labels, add(g, "log", {p})});
  const auto failure =
      add(g, "multiply", {add(g, "subtract", {one, labels}), add(g, "log", {add(g, "subtract", {one, p})})});
  const auto likelihood = add(g, "reduce_sum", {add(g, "add", {success, failure})});
  const auto scale = number(g, 1.0), location = number(g, 0.0);
  const auto prior = add(g, "reduce_sum", {add(g, "laplace_lpdf", {location, scale, beta})});
  return traced::traced_model(g, {{"beta", {problem.features, 1}}},
                              {{"x", problem.x, {problem.features}}, {"y", y, {}}}, likelihood, prior);
}

}  // namespace

void run_traced_logistic(Results& results, const Effort& effort) {
  const LogisticProblem problem = make_logistic_problem(covertype_rows, covertype_features);
  const EngineLogistic engine(problem, Precision::float64);
  const std::vector<double> y(problem.y.begin(), problem.y.end());
  const auto traced = traced_logistic(problem, y);
  ChainSettings settings;
  const std::vector<double> start(covertype_features, 0.0);
  const EngineChain written = engine.sgld(settings);
  const EngineChain same = engine_chain(traced.model, Precision::float64, settings, {{"beta", start}});
  for (int step = 0; step < 20; ++step) written.step(), same.step();
  const std::vector<double> expected = written.theta();
  check_same_place(same.theta(), std::span<const double>(expected), 1e-10);
  settings.seed = 2;
  const EngineChain chain = engine_chain(traced.model, Precision::float64, settings, {{"beta", start}});
  constexpr int steps = 25;
  const Timings timings({{chain.step, steps}, {written.step, steps}}, effort.rounds);
  results.judge("traced_over_cpp", timings.ratio(0, 1), Results::Goal::at_most, 1.05,
                "sgld step of a likelihood recorded over a minibatch over the one in C++");
  results.note("traced_over_cpp_us", timings.best(0));
  results.note("traced_over_cpp_hand_us", timings.best(1));
}

}  // namespace sgmcmc::bench
