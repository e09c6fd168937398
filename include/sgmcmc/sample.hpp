// Running chains: all at once with sample(), or step by step with Chain.
#pragma once

#include <sgmcmc/checkpoint.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/gradient.hpp>
#include <sgmcmc/laplace.hpp>
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
#include <span>
#include <string>
#include <string_view>
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

/// A state that a chain can return to, without the memory of its gradient estimator.
struct ChainMark {
  std::uint64_t iteration = 0;
  std::vector<double> numbers;
};

/// A chain diverged and went on from an earlier state, with smaller steps.
struct StepReduction {
  std::uint32_t chain = 0;
  std::uint64_t diverged_at = 0, back_to = 0;  ///< iterations, warm-up included
  double factor = 1;                           ///< of the step size asked for, from there on
};

/// The warm-up of one chain.
struct ChainWarmup {
  std::uint64_t iterations = 0;
  bool settled = true;  ///< false where it was to be found, and the chain still drifted at the end of it
};

/// What chains of one run share: compiled programs and the centre of control variates. Made by sample() and Chain.
class RunSetup;
class RecordedGradients;
struct TuningReport;

/// One chain, step by step: for chains too large to store, or to do something of one's own between steps.
class Chain {
 public:
  explicit Chain(const Model& model, const SampleOptions& options, std::uint32_t chain = 0);
  /// record: where the gradients it takes go, of those who want them.
  Chain(std::shared_ptr<RunSetup> setup, std::uint32_t chain, RecordedGradients* record = nullptr);
  ~Chain();
  Chain(Chain&&) noexcept;

  /// One iteration. Throws DivergenceError naming the parameter, the iteration and what to try. False where it was
  /// interrupted: long trajectories are then given up, and the chain is as it was before.
  bool step();

  std::uint64_t iteration() const;           ///< steps done
  std::span<const double> position() const;  ///< unconstrained
  /// Parameters on the constrained scale, then the test functions: in the order of names().
  std::span<const double> values();
  const std::vector<std::string>& names() const;
  double last_step_size() const;
  double draw_weight() const;  ///< of the present position as a draw
  /// The step size that made it, as draw_weight() has it: less than that after steps were made smaller.
  double draw_step_size() const;
  /// What an exact sampler recorded in the last step, in the order of statistic_names(); empty for the others.
  std::span<const double> statistics() const;
  /// Takes the present position as a draw into zero_variance(). Most samplers take the gradient there in their next
  /// step: the draw counts from then on.
  void keep_draw();
  const ZeroVariance& zero_variance() const;
  double log_posterior();  ///< at the present position; one pass over all rows

  void mark(ChainMark& mark);
  /// Goes on from there with `factor` times the step size of the options (sgfs: alpha / sqrt(factor)). Estimators that
  /// remember gradients begin anew, and so does zero_variance(). Draws weigh as they would with the whole step.
  void return_to(const ChainMark& mark, double factor);

  /// Everything that makes the chain what it is at this iteration. Another chain of the same model, options and number
  /// that restores it goes on bit for bit as this one would. With saga it is as large as all rows' gradients.
  std::string save();
  void restore(std::string_view state);     ///< throws FileError where it is not the state of such a chain
  void visit_state(StateVisitor& visitor);  ///< the same, for whoever keeps more beside it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a run spent before its chains began.
struct SetupSeconds {
  double mode = 0, curvature = 0, row_probabilities = 0;
};

struct SampleResult {
  MemoryDraws draws;               ///< empty when store_draws is false
  MemoryDraws statistics;          ///< lp__, accept_stat__, ... of the draws of an exact sampler; empty otherwise
  std::vector<std::string> names;  ///< parameters, then test functions
  RunningMoments moments;          ///< of all draws of all chains, in the order of names
  /// In the order of names; empty where there are none. Of all draws whose gradient was taken: not of the last ones.
  std::vector<ZeroVarianceEstimate> zero_variance;
  std::vector<double> centre;  ///< of control variates, unconstrained; empty otherwise
  std::optional<OptimizeReport> mode_report;
  std::vector<StepReduction> reductions;                 ///< by chain, then by iteration
  std::vector<ChainWarmup> warmup;                       ///< of each chain, asked for or found
  std::shared_ptr<const TuningReport> tuning;            ///< where something was left to be found
  std::shared_ptr<const Preconditioner> preconditioner;  ///< none where the run had none
  SetupSeconds setup;
  bool interrupted = false;
  double seconds = 0;

  double mean(const std::string& name) const;
  double standard_deviation(const std::string& name) const;
  /// Whether a chain diverged after its warm-up: draws from before and after differ in law.
  bool steps_changed_among_draws() const;
  /// Throws OptionError where there is none.
  const ZeroVarianceEstimate& zero_variance_of(const std::string& name) const;
  /// A table of names, means, standard deviations and, where draws are stored, 5 %, 50 % and 95 % quantiles.
  std::string table(std::size_t most_rows = 60) const;
};

/// Finds what is missing first: a step size that is not set, or the method (<sgmcmc/tuning.hpp>).
SampleResult sample(const Model& model, const SampleOptions& options);

/// A point that maximises the log posterior, on the unconstrained scale, and how it was found.
struct ModeResult {
  std::vector<double> theta;
  OptimizeReport report;
};
/// L-BFGS with full gradients, from `start` (empty: zeros).
ModeResult find_mode(const Model& model, const LbfgsOptions& options = {}, std::vector<double> start = {},
                     int threads = 0);
/// Adam or plain stochastic gradient ascent with minibatch estimates (minibatch, saga or svrg): for data or models too
/// large for full passes.
ModeResult find_mode(const Model& model, const AdamOptions& options, const GradientOptions& gradient = {},
                     std::vector<double> start = {}, std::uint64_t seed = 1);
ModeResult find_mode(const Model& model, const SgdOptions& options, const GradientOptions& gradient = {},
                     std::vector<double> start = {}, std::uint64_t seed = 1);

/// Finds the mode by L-BFGS from `start` (empty: zeros), and the curvature there by one pass over the rows per
/// coordinate; keeps D x D numbers. Throws ModelError when there is no mode to be found.
LaplaceApproximation laplace_approximation(const Model& model, const LbfgsOptions& options = {},
                                           std::vector<double> start = {}, int threads = 0);

/// The mean over the rows of a data set of a per-row expression of the model: log loss or accuracy on held-out rows.
/// The expression's columns are looked up by name in `data`.
class RowAverage {
 public:
  RowAverage(const Model& model, const Expression& per_row, const Dataset& data);
  ~RowAverage();
  double at(std::span<const double> position);  ///< unconstrained

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc
