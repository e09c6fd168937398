// The library's side of every comparison: models written as a user would, chains stepped one step at a time.
#pragma once

#include "problems.hpp"

#include <sgmcmc/dataset.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace sgmcmc::bench {

struct ChainSettings {
  std::uint64_t seed = 1;
  int batch_size = 500;
  double step_size = 1e-6;
  int threads = 1;             ///< 0: all there are
  std::vector<double> centre;  ///< where control variates are centred; empty for plain minibatches
};

struct EngineChain {
  std::function<void()> step;
  std::function<std::vector<double>()> theta;
};

class EngineLogistic {
 public:
  EngineLogistic(const LogisticProblem& problem, Precision precision);
  ~EngineLogistic();
  EngineChain sgld(const ChainSettings& settings) const;
  /// One gradient over all rows per call, on that many threads.
  std::function<void()> full_gradient(int threads) const;
  /// One iteration of nuts per call, of that many leapfrog steps and so gradients with log densities, on that many
  /// threads.
  std::function<void()> nuts(int threads, int leapfrog_steps) const;
  /// Milliseconds from the first line of a model, data at hand, to the end of the first step of a chain.
  double model_to_first_step_ms() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

class EngineNetwork {
 public:
  EngineNetwork(const NetworkProblem& problem);
  ~EngineNetwork();
  EngineChain sgld(const ChainSettings& settings) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc::bench
