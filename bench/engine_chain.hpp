// One SGLD chain of the library, stepped by hand through the public interface.
#pragma once

#include "engine.hpp"

#include <sgmcmc/sample.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::bench {

inline EngineChain engine_chain(const Model& model, Precision precision, const ChainSettings& settings,
                                std::map<std::string, std::vector<double>> start) {
  SampleOptions options;
  options.method(settings.centre.empty() ? "sgld" : "sgld-cv").step_size(settings.step_size);
  options.gradient.precision = precision;
  options.gradient.minibatch.batch_size = settings.batch_size;
  options.gradient.centre = settings.centre;
  options.seed = settings.seed;
  options.threads = settings.threads;
  if (settings.centre.empty()) options.initial = std::move(start);
  const auto chain = std::make_shared<Chain>(model, options);
  return {.step = [chain] { chain->step(); },
          .theta = [chain] { return std::vector<double>(chain->position().begin(), chain->position().end()); }};
}

}  // namespace sgmcmc::bench
