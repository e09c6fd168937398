// Options of chains: sampler, gradients, length, start.
#pragma once

#include <sgmcmc/checkpoint.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/gradient.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/precondition.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// A function of the parameters recorded at every draw: any global expression of the model's parameters.
struct TestFunction {
  std::string name;
  Expression value;
};

/// Progress of a chain, reported from its thread.
struct Progress {
  std::uint32_t chain = 0;
  std::uint64_t iteration = 0;   ///< completed, including warm-up
  std::uint64_t iterations = 0;  ///< total, including warm-up
  double seconds = 0;            ///< since the chain started
};

struct SampleOptions {
  SamplerOptions sampler = SgldOptions{};
  GradientOptions gradient;
  bool automatic = false;             ///< also choose sampler and estimator: method("auto")
  std::uint64_t iterations = 10'000;  ///< after warm-up
  std::uint64_t warmup = 0;           ///< iterations discarded at the start; exact samplers adapt in them
  /// If warmup is 0: detects and discards the burn-in of chains that do not start at draws of the normal approximation,
  /// at most as many iterations as the run has. Not for exact samplers.
  bool find_warmup = false;
  std::uint64_t thin = 1;  ///< every thin-th iteration gives a draw
  std::uint32_t chains = 1;
  int threads = 0;  ///< shared by all chains; 0: all processors. Does not affect results
  std::uint64_t seed = 1;

  /// Constrained initial values by parameter; other parameters start at random unconstrained values in
  /// (-initial_radius, initial_radius). Chains with control variates start at their centre unless a value is given
  /// here.
  std::map<std::string, std::vector<double>> initial;
  double initial_radius = 0.1;
  /// Starts chains at modes found from dispersed starting points, chosen in proportion to their weights by normal
  /// approximations; as usual if there is only one mode. For samplers that do not rely on a single mode: nuts, hmc,
  /// mala, and others without control variates and preconditioning.
  bool start_at_modes = false;
  LbfgsOptions mode;  ///< options of the search for the centre of control variates

  /// Runs the sampler in coordinates in which the posterior is approximately standard normal, from the Hessian at the
  /// mode: step sizes are on that scale, and chains start at draws of the normal approximation. For sgld, sglm, sghmc,
  /// sgnht, baoab, psgld, hamcmc, nuts, hmc and mala. Not set: automatic for sglm, none for the others.
  std::optional<Precondition> precondition;
  std::shared_ptr<const Preconditioner> preconditioner;  ///< the preconditioner; null: sample() computes it

  /// Samplers of hierarchical models: groups whose parameters are drawn and kept: "all", "none", or numbers from 1 and
  /// ranges, such as "1:300,512". "auto": all if that is up to 3000 numbers per draw, else evenly spaced groups up to
  /// that limit.
  std::string groups = "auto";

  std::vector<TestFunction> functions;  ///< recorded at every draw, after the parameters
  bool store_draws = true;              ///< false: keep only running means and variances
  /// Zero-variance posterior means of parameters and test functions, from the gradients that the run evaluates anyway.
  /// An error for samplers that evaluate no gradient at their draws: laplace, and sghmc in its plain form with
  /// refreshed momentum.
  ZeroVarianceForm zero_variance = ZeroVarianceForm::automatic;
  DrawsSink* sink = nullptr;  ///< also receives the draws, as they are made; must outlive the run

  CheckpointOptions checkpoint;  ///< a resumed run may have more iterations
  /// Results of searches before the first iteration, by name, which are not repeated. Filled when resuming.
  std::map<std::string, std::vector<double>> findings;

  const std::atomic<bool>* interrupt = nullptr;   ///< when set, chains finish their iteration and stop
  std::function<void(const Progress&)> progress;  ///< called about every progress_seconds by each chain
  double progress_seconds = 0.2;

  /// How many times a diverging chain may restart from an earlier state with smaller steps. After that, or after five
  /// restarts without progress, the run ends with DivergenceError. Draws are held back up to 200 iterations, until it
  /// is certain that they are kept. 0: the first divergence ends the run.
  std::uint32_t recoveries = 20;
  /// Whether a chain that runs away to a still finite position counts as diverged. False: it continues, and
  /// Chain::warning() reports it.
  bool watch_divergence = true;

  void validate(const Model& model) const;    ///< throws OptionError naming the option
  Precondition decided_precondition() const;  ///< with defaults filled in; may be automatic

  // Defaults that method() sets for exact samplers.
  static constexpr std::uint64_t exact_iterations = 1000, exact_warmup = 1000;
  static constexpr double exact_initial_radius = 2.0;

  /// "sgld", "sgld-cv", "sghmc-saga", "sgnht-svrg", "sgld-full": Sets sampler and estimator by name. Keeps other
  /// options; sglm with an estimator other than full uses preferential sampling of rows. "nuts", "hmc", "mala": exact
  /// samplers, with all rows; if iterations, warmup and initial_radius have their defaults, sets them to 1000, 1000 and
  /// 2. "auto": chosen by tune(), which sample() calls.
  SampleOptions& method(const std::string& name);
  /// Sets the step size of the current sampler.
  SampleOptions& step_size(StepSize step_size);
  /// Sets a step size for each parameter named, and another for the rest. Throws OptionError for unknown names.
  SampleOptions& step_size(const Model& model, const std::map<std::string, double>& by_name, double others);
};

}  // namespace sgmcmc
