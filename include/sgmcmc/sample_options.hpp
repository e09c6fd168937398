// How chains are run: sampler, gradients, length, start.
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

/// A function of the parameters followed along the chain: any global expression of the model's parameters.
struct TestFunction {
  std::string name;
  Expression value;
};

/// What a run reports while it goes on, to whoever listens; called from the thread of the chain.
struct Progress {
  std::uint32_t chain = 0;
  std::uint64_t iteration = 0;   ///< done so far, warm-up included
  std::uint64_t iterations = 0;  ///< to be done in all
  double seconds = 0;            ///< since the chain started
};

struct SampleOptions {
  SamplerOptions sampler = SgldOptions{};
  GradientOptions gradient;
  bool automatic = false;             ///< sampler and estimator are found too: method("auto")
  std::uint64_t iterations = 10'000;  ///< after warm-up
  std::uint64_t warmup = 0;           ///< iterations dropped at the start; exact samplers adapt in them
  /// Where warmup is 0: chains that do not start at draws of the normal approximation drop what they need to settle, at
  /// most as many iterations as the run has. Exact samplers have a warm-up of their own.
  bool find_warmup = false;
  std::uint64_t thin = 1;  ///< every thin-th iteration gives a draw
  std::uint32_t chains = 1;
  int threads = 0;  ///< shared by all chains; 0 means all there are. Never changes results.
  std::uint64_t seed = 1;

  /// Constrained values to start from, by parameter; the others start at random unconstrained values in
  /// (-initial_radius, initial_radius). Control variates start at their centre unless a value is given here.
  std::map<std::string, std::vector<double>> initial;
  double initial_radius = 0.1;
  /// Chains start at the modes that searches from dispersed starts find: at those that matter, in proportion to their
  /// weights by normal approximations, and as usual where no other is found. For samplers that are not built around one
  /// mode: nuts, hmc, mala, and others without control variates and preconditioning.
  bool start_at_modes = false;
  LbfgsOptions mode;  ///< the search for the centre of control variates

  /// Runs the sampler in coordinates in which the posterior is about standard normal, by its curvature at the mode:
  /// step sizes are then in units of the posterior, and chains start at draws of the normal approximation. For sgld,
  /// sglm, sghmc, sgnht, psgld and hamcmc. Not set: automatic for sglm, none for the others.
  std::optional<Precondition> precondition;
  std::shared_ptr<const Preconditioner> preconditioner;  ///< what to use then; none: sample() finds it

  /// Samplers of hierarchical models: whose parameters are drawn and kept, "all", "none", or numbers from 1 on and
  /// ranges, such as "1:300,512". "auto": all up to 3000 numbers a draw, else as many as that, evenly chosen.
  std::string groups = "auto";

  std::vector<TestFunction> functions;  ///< evaluated at every draw, beside the parameters
  bool store_draws = true;              ///< false: only running means and variances are kept
  /// Posterior means of parameters and test functions corrected by the gradients that the run takes anyway. Refused
  /// where the sampler takes none at its draws: laplace, and sghmc in its plain form with refreshed momentum.
  ZeroVarianceForm zero_variance = ZeroVarianceForm::automatic;
  DrawsSink* sink = nullptr;  ///< draws also go here, as they are made; must outlive the run

  CheckpointOptions checkpoint;  ///< a run that is resumed may also be asked for more iterations
  /// What was found by search before the first iteration, by name: it is not looked for again. Filled by resuming.
  std::map<std::string, std::vector<double>> findings;

  const std::atomic<bool>* interrupt = nullptr;   ///< set it from anywhere: chains finish their iteration and stop
  std::function<void(const Progress&)> progress;  ///< called about every progress_seconds by each chain
  double progress_seconds = 0.2;

  /// A chain that diverges is taken back to a state from before, with smaller steps, so many times at most; then, or
  /// after five times without getting on, the run ends with DivergenceError. Draws wait until it is known that they are
  /// kept: up to 200 iterations. 0: the first divergence ends the run.
  std::uint32_t recoveries = 20;
  /// Whether a chain that runs away while its position is still finite counts as diverged. False: it goes on, and
  /// Chain::warning() says so.
  bool watch_divergence = true;

  void validate(const Model& model) const;    ///< throws OptionError naming the option
  Precondition decided_precondition() const;  ///< with what is not set filled in; may be automatic

  // What method() takes for exact samplers where nothing else is said.
  static constexpr std::uint64_t exact_iterations = 1000, exact_warmup = 1000;
  static constexpr double exact_initial_radius = 2.0;

  /// "sgld", "sgld-cv", "sghmc-saga", "sgnht-svrg", "sgld-full": sampler and estimator in one word. Keeps other
  /// options; sglm with an estimator other than full draws rows by preference. "nuts", "hmc", "mala": exact samplers,
  /// with all rows; where iterations, warmup and initial_radius are at their defaults they become 1000, 1000 and 2.
  /// "auto": found by tune(), which sample() calls.
  SampleOptions& method(const std::string& name);
  /// Sets the step size of whichever sampler is chosen.
  SampleOptions& step_size(StepSize step_size);
  /// One step size for each parameter named, another for the rest. Throws OptionError for names the model does not
  /// have.
  SampleOptions& step_size(const Model& model, const std::map<std::string, double>& by_name, double others);
};

}  // namespace sgmcmc
