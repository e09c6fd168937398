// The 784-100-10 Bayesian neural network as a user of the library writes it.
#include "engine.hpp"
#include "engine_chain.hpp"

#include <sgmcmc/distributions.hpp>

namespace sgmcmc::bench {

struct EngineNetwork::Parts {
  Model model;
  std::map<std::string, std::vector<double>> start;
};

namespace {

Model network_model(const Dataset& data) {
  Model model(data);
  const Expression hidden_weights = model.parameter("B", {100, 784});
  const Expression hidden_bias = model.parameter("b", {100});
  const Expression output_weights = model.parameter("A", {10, 100});
  const Expression output_bias = model.parameter("a", {10});
  for (const auto& [name, weights] : {std::pair{"lambda_B", hidden_weights}, std::pair{"lambda_b", hidden_bias},
                                      std::pair{"lambda_A", output_weights}, std::pair{"lambda_a", output_bias}}) {
    const Expression precision = model.parameter(name, {}, Constraint::lower(0));
    model.prior(gamma_lpdf(precision, 1, 1));
    model.prior(normal_lpdf(weights, 0, pow(precision, -0.5)));
  }
  const Expression hidden = logistic(matmul(hidden_weights, model.row("x")) + hidden_bias);
  model.likelihood(categorical_logit_lpmf(model.row("y"), matmul(output_weights, hidden) + output_bias));
  return model;
}

}  // namespace

EngineNetwork::EngineNetwork(const NetworkProblem& problem) {
  const Dataset data = Dataset::Builder(Precision::float32).real("x", problem.x, {784}).integer("y", problem.y).build();
  std::map<std::string, std::vector<double>> start;
  auto from = problem.start.begin();
  for (const auto& [name, size] :
       {std::pair{"B", 78400}, std::pair{"b", 100}, std::pair{"A", 1000}, std::pair{"a", 10}}) {
    start[name].assign(from, from + size);
    start[std::string("lambda_") + name] = {1.0};
    from += size;
  }
  parts_ = std::make_unique<Parts>(Parts{network_model(data), std::move(start)});
}

EngineNetwork::~EngineNetwork() = default;

EngineChain EngineNetwork::sgld(const ChainSettings& settings) const {
  return engine_chain(parts_->model, Precision::float32, settings, parts_->start);
}

}  // namespace sgmcmc::bench
