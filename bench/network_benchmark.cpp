// The 784-100-10 Bayesian neural network in float: the engine compared with Eigen's matrix products.
#include "benchmarks.hpp"
#include "check.hpp"
#include "engine.hpp"
#include "hand/network.hpp"
#include "problems.hpp"
#include "timing.hpp"

#include <vector>

namespace sgmcmc::bench {

void run_network(Results& results, const Effort& effort) {
  const NetworkProblem problem = make_network_problem(network_rows);
  const EngineNetwork engine(problem);
  const hand::NetworkRows rows(problem.x, problem.y);
  ChainSettings settings;
  settings.step_size = network_step_size;
  const std::vector<float> start(problem.start.begin(), problem.start.end());
  const auto step_size = static_cast<float>(settings.step_size);
  const EngineChain chain = engine.sgld(settings);
  hand::NetworkSgld<float> same_draws(rows, settings.seed, settings.batch_size, step_size, start);
  for (int step = 0; step < 3; ++step) {
    chain.step();
    same_draws.step();
  }
  check_same_place(chain.theta(), same_draws.parameters(), 1e-3);

  hand::NetworkSgld<float> by_hand(rows, settings.seed, settings.batch_size, step_size, start);
  constexpr int steps = 8;  // long enough for a chain to have its own memory in cache, as without the other contender
  const Timings timings({{chain.step, steps}, {[&] { by_hand.step(); }, steps}}, effort.rounds);
  results.judge("network_float", timings.ratio(0, 1), Results::Goal::at_most, 1.25,
                "784-100-10 network over Eigen's products");
  results.note("network_float_us", timings.best(0));
  results.note("network_float_hand_us", timings.best(1));
}

}  // namespace sgmcmc::bench
