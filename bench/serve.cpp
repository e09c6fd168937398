// Runs steps of the library on request, for programs that compare their time with that of other code.
#include "benchmarks.hpp"
#include "engine.hpp"

#include <memory>

namespace sgmcmc::bench {
namespace {

/// Keeps an engine alive as long as the step that runs on it.
template <class Engine>
std::function<void()> step_on(std::shared_ptr<Engine> engine, const ChainSettings& settings) {
  return [engine, chain = engine->sgld(settings)] { chain.step(); };
}

}  // namespace

std::function<void()> step_of(const std::string& name) {
  ChainSettings settings;
  settings.threads = 0;  // as a user runs one chain
  if (name == "sgld_logistic_double" || name == "sgld_logistic_float") {
    const auto precision = name == "sgld_logistic_double" ? Precision::float64 : Precision::float32;
    const LogisticProblem problem = make_logistic_problem(covertype_rows, covertype_features);
    return step_on(std::make_shared<EngineLogistic>(problem, precision), settings);
  }
  if (name == "network_float") {
    settings.step_size = network_step_size;
    return step_on(std::make_shared<EngineNetwork>(make_network_problem(network_rows)), settings);
  }
  return {};
}

}  // namespace sgmcmc::bench
