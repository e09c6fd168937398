// The samplers and their options: one plain struct per sampler, with defaults.
//
// Step sizes are on the scale of the papers: sgld moves by (step_size / 2) * gradient of the WHOLE log posterior (sums
// over all rows, never means) plus noise of variance step_size. The comment of each struct says how the other samplers
// scale.
//
// nuts, hmc and mala are exact: they use all rows at every step, correct discretisation errors by accepting or
// rejecting, and adapt the step size during warm-up. Their draws all have weight 1 and carry statistics (divergences,
// energy, ...).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sgmcmc {

class Dynamics;
class LaplaceApproximation;
struct MarginalTarget;
struct SamplerTraits;
struct SubsetTarget;

/// One step size for all parameters, or one per element of the unconstrained parameter vector.
struct StepSize {
  std::vector<double> values;

  StepSize() = default;  ///< not set: validate() of the sampler throws
  StepSize(double value) : values{value} {}
  StepSize(std::vector<double> each) : values(std::move(each)) {}
  StepSize(std::initializer_list<double> each) : values(each) {}

  /// Throws OptionError unless there is one positive finite value, or `dimension` of them.
  void validate(std::size_t dimension) const;
};

/// How the step size changes with the iteration t = 0, 1, ...: step size of iteration t = step_size * multiplier(t).
struct Schedule {
  enum class Kind : std::uint8_t { constant, polynomial, decay, annealing };
  Kind kind = Kind::constant;
  double offset = 1.0;    ///< b of polynomial, tau of decay, r of annealing
  double exponent = 0.0;  ///< gamma of polynomial, kappa of decay, t of annealing

  static Schedule constant() { return {}; }
  /// a * (b + t)^(-gamma), with a the step_size; b > 0, 0 < gamma <= 1.
  static Schedule polynomial(double b, double gamma) { return {Kind::polynomial, b, gamma}; }
  /// h * (1 + t / tau)^(-kappa), with h the step_size; tau > 0, 0 < kappa <= 1.
  static Schedule decay(double tau, double kappa) { return {Kind::decay, tau, kappa}; }
  /// Geometric decay from r h at iteration 0 to h at iteration t, and h from then on, with h the step_size: for warm-up
  /// from a distant start. r >= 1, t >= 1.
  static Schedule annealing(double r, double t) { return {Kind::annealing, r, t}; }

  double multiplier(std::uint64_t t) const;
  void validate() const;  ///< throws OptionError
};

/// Stochastic gradient Langevin dynamics: theta += (step_size / 2) * gradient + N(0, step_size).
struct SgldOptions {
  static constexpr std::string_view name = "sgld";
  static constexpr std::string_view summary = "stochastic gradient Langevin dynamics";

  StepSize step_size{};
  Schedule schedule{};

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// sgld with noise that averages two consecutive normal draws, each used twice: theta += (step_size / 2) * gradient +
/// sqrt(step_size) * (noise(t) + noise(t + 1)) / 2. Its variance is exact on a Gaussian for every step size; elsewhere
/// its error is of second order. sample() runs it in coordinates in which the posterior is approximately standard
/// normal, where step sizes of 0.2 to 1 work; see SampleOptions::precondition.
struct SglmOptions {
  static constexpr std::string_view name = "sglm";
  static constexpr std::string_view summary = "Langevin dynamics with averaged noise, preconditioned";

  StepSize step_size = 0.5;
  Schedule schedule{};

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

enum class SghmcForm : std::uint8_t {
  splitting,  ///< symmetric: half friction, half kick, drift, half kick, half friction (default)
  plain,      ///< as published: drift, then friction, kick and noise together; biased when momentum is refreshed
};

enum class NoiseCorrection : std::uint8_t {
  none,    ///< beta_hat = 0
  fisher,  ///< beta_hat = step_size / 2 * variance of the gradient estimate, per parameter, from each minibatch
};

/// Stochastic gradient Hamiltonian Monte Carlo. One iteration, and so one draw, is a trajectory of trajectory_length
/// steps. Momentum has variance step_size, so a step moves a parameter by about sqrt(step_size).
struct SghmcOptions {
  static constexpr std::string_view name = "sghmc";
  static constexpr std::string_view summary = "stochastic gradient Hamiltonian Monte Carlo";

  StepSize step_size{};
  Schedule schedule{};
  double friction = 0.01;               ///< alpha: share of momentum lost in one step
  std::vector<double> friction_each{};  ///< friction per element of the parameter vector; empty: friction for all
  std::uint32_t trajectory_length = 5;  ///< L: gradient steps per iteration
  bool refresh_momentum = true;         ///< redraw the momentum at the start of every trajectory
  SghmcForm form = SghmcForm::splitting;
  NoiseCorrection noise_correction = NoiseCorrection::none;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Stochastic gradient Nose-Hoover thermostat: friction adapts until the momentum has variance step_size, which absorbs
/// gradient noise of unknown size. Its stationary variance is too small by half the equilibrium friction (about
/// `diffusion`).
struct SgnhtOptions {
  static constexpr std::string_view name = "sgnht";
  static constexpr std::string_view summary = "stochastic gradient Nose-Hoover thermostat";

  StepSize step_size{};
  Schedule schedule{};
  double diffusion = 0.01;               ///< a: noise of variance 2 * a * step_size per step; also the initial friction
  std::vector<double> diffusion_each{};  ///< diffusion per element of the parameter vector; empty: diffusion for all

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Underdamped Langevin dynamics by the splitting B A O A B: half a kick by the gradient, half a drift, friction and
/// noise, half a drift, half a kick. Momentum is never redrawn. As for sglm, its variance is exact on a Gaussian for
/// every step size; with little friction it moves farther per gradient.
struct BaoabOptions {
  static constexpr std::string_view name = "baoab";
  static constexpr std::string_view summary = "underdamped Langevin dynamics by a symmetric splitting";

  StepSize step_size{};  ///< as in sghmc: the square of the time step
  Schedule schedule{};
  double friction = 0.1;  ///< momentum is multiplied by exp(-friction) in one step

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit) {
    visit("step_size", self.step_size, "step size: one number, or one per parameter");
    visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
    visit("friction", self.friction, "share of momentum lost in one step (alpha)");
  }
};

/// sgld preconditioned by the running size of the gradient: theta += (step_size / 2) * G * gradient + N(0, step_size
/// G), with G = 1 / (regularisation + root of the running mean square of a row's mean gradient).
struct PsgldOptions {
  static constexpr std::string_view name = "psgld";
  static constexpr std::string_view summary = "sgld preconditioned by the running size of the gradient";

  StepSize step_size{};
  Schedule schedule{};
  double square_decay = 0.99;    ///< rho
  double regularisation = 1e-5;  ///< lambda
  bool correction = false;  ///< adds the derivative of G, without which draws are biased even for small steps; costs a
                            ///< second gradient

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

enum class FisherBlocks : std::uint8_t {
  one,         ///< all pairs of coordinates (default)
  parameters,  ///< pairs within each parameter; treats different parameters as uncorrelated
};

/// Stochastic gradient Fisher scoring: preconditions by the covariance of the rows' gradients, which also estimates the
/// noise of minibatch gradients. It has no step size: alpha = 2 / sqrt(step size) of the paper. alpha = 0 injects no
/// noise and relies on gradient noise. alpha = 1 is also correct for gradients without noise: on a Gaussian posterior,
/// it then makes independent draws.
struct SgfsFullOptions {
  static constexpr std::string_view name = "sgfs-full";
  static constexpr std::string_view summary = "stochastic gradient Fisher scoring, full covariance";

  double alpha = 1.0;
  FisherBlocks blocks = FisherBlocks::one;
  std::vector<std::size_t> block_sizes{};  ///< for blocks `parameters`; empty: sample() uses those of the model

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// sgfs-full with a diagonal covariance, for many parameters. Underestimates variances if parameters are correlated and
/// alpha is small.
struct SgfsDiagonalOptions {
  static constexpr std::string_view name = "sgfs-diagonal";
  static constexpr std::string_view summary = "stochastic gradient Fisher scoring, diagonal covariance";

  double alpha = 1.0;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// A user-defined metric G(theta), such as the expected Fisher information. Chains call its functions concurrently, so
/// these must not write to shared state.
struct PositionMetric {
  bool dense = false;     ///< G is a matrix: D x D numbers by column, only the lower triangle is read; else D numbers
  bool constant = false;  ///< G does not depend on theta: evaluated once
  std::function<void(std::span<const double> theta, std::span<double> metric)> value;
  /// Gamma_i = sum over j of the derivative of (G^-1)_ij in theta_j. Not set: by finite differences of `value`, which
  /// costs 2 D calls (and 2 D solves if it is dense) per step.
  std::function<void(std::span<const double> theta, std::span<double> correction)> correction;
};

/// Riemannian Langevin dynamics: theta += (step_size / 2) (G^-1 gradient + Gamma) + N(0, step_size G^-1).
struct SgrldOptions {
  static constexpr std::string_view name = "sgrld";
  static constexpr std::string_view summary = "Riemannian Langevin dynamics with a user-defined metric";

  StepSize step_size{};
  Schedule schedule{};
  PositionMetric metric{};  ///< not set: sample() uses the Hessian at the mode, as a constant metric

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// The pairs from which hamcmc estimates its inverse Hessian.
enum class HamcmcPairs : std::uint8_t {
  moves,     ///< changes of the gradient along the last moves, as published (default)
  stiffest,  ///< gradient changes along the stiffest directions, found at the start
};

/// Quasi-Newton Langevin dynamics: theta_t = theta_{t-M} + step_size * H * gradient + N(0, 2 step_size H), H from
/// L-BFGS on the iterations between. Step sizes are relative to the posterior: 0.01 to 0.5 for every model.
struct HamcmcOptions {
  static constexpr std::string_view name = "hamcmc";
  static constexpr std::string_view summary = "quasi-Newton Langevin dynamics";

  StepSize step_size{};
  Schedule schedule{};
  std::uint32_t history = 3;    ///< M interleaved chains; M - 1 pairs determine the inverse Hessian
  double regularisation = 0.0;  ///< lambda: added to the curvature, as a precision
  double initial_scale = 0.0;   ///< gamma: initial scale of the inverse Hessian; 0: estimated from earlier pairs
  HamcmcPairs pairs = HamcmcPairs::moves;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// The inverse mass matrix of nuts, hmc and mala, estimated from the draws of warm-up.
enum class Metric : std::uint8_t {
  unit,      ///< the identity, not adapted
  diagonal,  ///< variances, estimated in warm-up (default)
  dense,     ///< covariances, estimated in warm-up: dimension^2 numbers, for strong correlations in few dimensions
};

/// The No-U-Turn sampler: Hamiltonian trajectories that end before they turn back. Exact.
struct NutsOptions {
  static constexpr std::string_view name = "nuts";
  static constexpr std::string_view summary = "No-U-Turn sampler: exact, all rows at every step";
  /// Statistics recorded with every draw, named as in CmdStan's files.
  static constexpr std::array<std::string_view, 7> statistics = {
      "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"};

  StepSize step_size{};               ///< of a leapfrog step: one number; not set: found. Adapted in warm-up either way
  double target_acceptance = 0.8;     ///< acceptance rate to adapt to; values closer to 1 avoid divergences
  std::uint32_t max_tree_depth = 10;  ///< a trajectory has at most 2^max_tree_depth steps
  Metric metric = Metric::diagonal;
  bool adapt = true;  ///< false: step size and metric keep their initial values

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Hamiltonian Monte Carlo with trajectories of given length. Exact.
struct HmcOptions {
  static constexpr std::string_view name = "hmc";
  static constexpr std::string_view summary = "Hamiltonian Monte Carlo with trajectories of given length: exact";
  static constexpr std::array<std::string_view, 6> statistics = {"lp__",         "accept_stat__", "stepsize__",
                                                                 "n_leapfrog__", "divergent__",   "energy__"};

  StepSize step_size{};  ///< of a leapfrog step: one number; not set: found. Adapted in warm-up either way
  double target_acceptance = 0.8;
  double integration_time = 1.5707963267948966;  ///< a quarter of the period of a parameter of unit scale
  std::uint32_t leapfrog_steps = 0;              ///< per trajectory; 0: integration_time / step_size
  double jitter = 0.5;  ///< lengths vary uniformly by up to this fraction, to avoid periodic orbits
  Metric metric = Metric::diagonal;
  bool adapt = true;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Metropolis-adjusted Langevin algorithm: hmc with trajectories of one step. Exact. The square of its step_size is the
/// step_size of sgld.
struct MalaOptions {
  static constexpr std::string_view name = "mala";
  static constexpr std::string_view summary = "Metropolis-adjusted Langevin algorithm: exact";
  static constexpr auto statistics = HmcOptions::statistics;

  StepSize step_size{};  ///< one number; not set: found. Adapted in warm-up either way
  double target_acceptance = 0.574;
  Metric metric = Metric::diagonal;
  bool adapt = true;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Independent draws from the normal approximation at the mode. Not exact, but fast.
struct LaplaceOptions {
  static constexpr std::string_view name = "laplace";
  static constexpr std::string_view summary = "independent draws from the normal approximation at the mode";

  std::shared_ptr<const LaplaceApproximation> approximation;  ///< null: sample() finds the mode and computes it

  void validate(std::size_t) const {}
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self&, Visitor&&) {}
};

/// nuts on the marginal posterior of the global parameters of a hierarchical model: the parameters of each group are
/// integrated out by quadrature, and drawn from their conditional distribution at every kept draw. Exact up to
/// quadrature error. lp__ is the log marginal density.
struct MarginalNutsOptions {
  static constexpr std::string_view name = "marginal-nuts";
  static constexpr std::string_view summary = "hierarchical models: nuts with the parameters of groups integrated out";
  static constexpr std::array<std::string_view, 7> statistics = {
      "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"};

  double target_acceptance = 0.8;
  std::uint32_t max_tree_depth = 10;
  std::shared_ptr<const MarginalTarget> target;                    ///< none: sample() finds the groups and the mode
  std::shared_ptr<const std::vector<std::uint32_t>> drawn_groups;  ///< whose parameters are drawn; none: all

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Metropolis steps on the same marginal posterior, with proposals from its normal approximation: each step costs one
/// evaluation of the density instead of the gradients of a trajectory. For posteriors that are close to normal.
struct MarginalMetropolisOptions {
  static constexpr std::string_view name = "marginal-metropolis";
  static constexpr std::string_view summary = "hierarchical models: proposals from the normal approximation";
  static constexpr std::array<std::string_view, 2> statistics = {"lp__", "accept_stat__"};

  std::shared_ptr<const MarginalTarget> target;                    ///< none: sample() finds the groups and the mode
  std::shared_ptr<const std::vector<std::uint32_t>> drawn_groups;  ///< whose parameters are drawn; none: all

  void validate(std::size_t) const {}
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self&, Visitor&&) {}
};

/// sglm on the same marginal posterior, with minibatches of whole groups, control variates at its mode, and
/// preferential sampling of groups.
struct MarginalSglmOptions {
  static constexpr std::string_view name = "marginal-sglm";
  static constexpr std::string_view summary = "hierarchical models: sglm by minibatches of groups";

  StepSize step_size = 0.3;                                        ///< relative to the posterior
  std::uint32_t groups_per_step = 0;                               ///< 0: enough to keep gradient noise small
  std::shared_ptr<const MarginalTarget> target;                    ///< none: sample() finds the groups and the mode
  std::shared_ptr<const std::vector<std::uint32_t>> drawn_groups;  ///< whose parameters are drawn; none: all

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// nuts on prior + second-order expansion of the log likelihood of all rows + remainder, estimated from a subset of the
/// rows that Metropolis steps update. Its cost does not depend on the number of rows. For difficult priors (horseshoes,
/// funnels) with a likelihood of many rows. Exact up to the error in subset_error__.
struct HmcEcsOptions {
  static constexpr std::string_view name = "hmc-ecs";
  static constexpr std::string_view summary =
      "nuts with a second-order expansion of the likelihood and a subset of the rows";
  static constexpr std::array<std::string_view, 10> statistics = {
      "lp__",        "accept_stat__", "stepsize__",        "treedepth__",     "n_leapfrog__",
      "divergent__", "energy__",      "subset_variance__", "subset_accept__", "subset_error__"};

  double target_acceptance = 0.95;
  std::uint32_t max_tree_depth = 10;
  std::uint32_t subset_rows = 0;  ///< 0: enough to keep the variance of the estimated log likelihood below 1
  Metric metric = Metric::diagonal;
  std::shared_ptr<const SubsetTarget> target;  ///< null: sample() expands the likelihood

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// The options of any one sampler. This list is the registry: names, help and construction follow from it.
using AnySamplerOptions =
    std::variant<SgldOptions, SglmOptions, SghmcOptions, SgnhtOptions, BaoabOptions, PsgldOptions, SgfsFullOptions,
                 SgfsDiagonalOptions, SgrldOptions, HamcmcOptions, NutsOptions, HmcOptions, MalaOptions, LaplaceOptions,
                 MarginalNutsOptions, MarginalMetropolisOptions, MarginalSglmOptions, HmcEcsOptions>;

/// One of them, with std::visit, std::get and so on. The functions that copy it are compiled in one file only: for a
/// variant of so many types they take a second to compile.
struct SamplerOptions : AnySamplerOptions {
  using AnySamplerOptions::AnySamplerOptions;
  SamplerOptions();
  SamplerOptions(const SamplerOptions& other);
  SamplerOptions(SamplerOptions&& other) noexcept;
  SamplerOptions& operator=(const SamplerOptions& other);
  SamplerOptions& operator=(SamplerOptions&& other) noexcept;
  ~SamplerOptions();
};

struct OptionDescription {
  std::string name;
  std::string default_text;  ///< empty if the option must be set, or is chosen by the run
  std::string help;
};

std::vector<std::string> sampler_names();
/// The options of a sampler at their defaults; throws OptionError listing the valid names.
SamplerOptions sampler_options(std::string_view name);
std::string_view sampler_name(const SamplerOptions& options);

/// Which rows a step of a sampler uses.
enum class RowUse : std::uint8_t {
  minibatches,  ///< those of the gradient estimator; works with every estimator
  every,        ///< all
  own_subsets,  ///< subsets that the sampler draws itself
  own_groups,   ///< minibatches of groups, each with all its rows
};
RowUse row_use(const SamplerOptions& options);
/// Whether draws are from the exact posterior for every step size; such samplers use all rows at every step.
bool is_exact(const SamplerOptions& options);
/// Whether the sampler moves the global parameters of a hierarchical model, with the others integrated out.
bool is_marginal(const SamplerOptions& options);
/// Whether a sampler takes no gradient estimator: exact samplers, laplace, and marginal samplers of groups.
bool takes_every_row(const SamplerOptions& options);
const StepSize* step_size_of(const SamplerOptions& options);  ///< null for samplers that have none
/// Names of the statistics recorded with every draw: "lp__", "accept_stat__", ...; empty for inexact samplers.
std::vector<std::string> statistic_names(const SamplerOptions& options);
/// Options of a sampler by name, with defaults and help, for command lines and documentation.
std::vector<OptionDescription> describe_options(const SamplerOptions& options);
/// Sets one option from text: numbers, true/false, "0.1,0.2" for one step size per parameter, "polynomial(b,gamma)",
/// "decay(tau,kappa)". Throws OptionError naming the option, or listing the valid options.
void set_option(SamplerOptions& options, std::string_view option, std::string_view text);
void validate(const SamplerOptions& options, std::size_t dimension);

// Options are listed once, here; command line, help, documentation and bindings read these lists. ---------------------
template <class Self, class Visitor>
void SgldOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
}

template <class Self, class Visitor>
void SglmOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
}

template <class Self, class Visitor>
void SghmcOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  visit("friction", self.friction, "share of momentum lost in one step (alpha)");
  visit("trajectory_length", self.trajectory_length, "gradient steps per iteration (L)");
  visit("refresh_momentum", self.refresh_momentum, "redraw the momentum at the start of every trajectory");
  visit("form", self.form, "integrator: splitting, or plain (as published)");
  visit("noise_correction", self.noise_correction, "none, or fisher: subtract the estimated gradient noise");
}

template <class Self, class Visitor>
void SgnhtOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  visit("diffusion", self.diffusion, "variance of the injected noise, and initial friction (a)");
}

template <class Self, class Visitor>
void PsgldOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  visit("square_decay", self.square_decay, "decay of the running mean square of the gradient (rho)");
  visit("regularisation", self.regularisation,
        "added to the root mean square of the gradient (psgld) or to the curvature (hamcmc) (lambda)");
  visit("correction", self.correction,
        "add the derivative of the preconditioner, which costs a second gradient per step");
}

template <class Self, class Visitor>
void SgfsFullOptions::visit_options(Self& self, Visitor&& visit) {
  visit("alpha", self.alpha, "amount of injected noise; 0: none, if gradients are noisy enough");
  visit("blocks", self.blocks,
        "which correlations to use: one (all coordinates), or parameters (those within each parameter)");
}

template <class Self, class Visitor>
void SgfsDiagonalOptions::visit_options(Self& self, Visitor&& visit) {
  visit("alpha", self.alpha, "amount of injected noise; 0: none, if gradients are noisy enough");
}

template <class Self, class Visitor>
void SgrldOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
}

template <class Self, class Visitor>
void HamcmcOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  visit("history", self.history, "iterations used for the inverse Hessian (M)");
  visit("regularisation", self.regularisation, "added to the curvature (lambda)");
  visit("initial_scale", self.initial_scale,
        "scale of the inverse Hessian before the history is used (gamma); 0: automatic");
  visit("pairs", self.pairs,
        "gradient changes that determine the inverse Hessian: moves (along past moves), or stiffest (along the "
        "stiffest directions)");
}

template <class Self, class Visitor>
void NutsOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "initial step size; found automatically if not given");
  visit("target_acceptance", self.target_acceptance, "acceptance rate to which warm-up adapts the step size");
  visit("max_tree_depth", self.max_tree_depth, "a trajectory has at most 2^max_tree_depth steps");
  visit("metric", self.metric, "inverse mass matrix adapted in warm-up: unit, diagonal or dense");
  visit("adapt", self.adapt, "adapt step size and metric during warm-up");
}

template <class Self, class Visitor>
void HmcOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "initial step size; found automatically if not given");
  visit("target_acceptance", self.target_acceptance, "acceptance rate to which warm-up adapts the step size");
  visit("integration_time", self.integration_time, "length of a trajectory, in units of time");
  visit("leapfrog_steps", self.leapfrog_steps, "length of a trajectory in steps; 0: determined by integration_time");
  visit("jitter", self.jitter, "fraction by which the length of trajectories varies at random");
  visit("metric", self.metric, "inverse mass matrix adapted in warm-up: unit, diagonal or dense");
  visit("adapt", self.adapt, "adapt step size and metric during warm-up");
}

template <class Self, class Visitor>
void MalaOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "initial step size; found automatically if not given");
  visit("target_acceptance", self.target_acceptance, "acceptance rate to which warm-up adapts the step size");
  visit("metric", self.metric, "inverse mass matrix adapted in warm-up: unit, diagonal or dense");
  visit("adapt", self.adapt, "adapt step size and metric during warm-up");
}

template <class Self, class Visitor>
void MarginalNutsOptions::visit_options(Self& self, Visitor&& visit) {
  visit("target_acceptance", self.target_acceptance, "acceptance rate to which warm-up adapts the step size");
  visit("max_tree_depth", self.max_tree_depth, "a trajectory has at most 2^max_tree_depth steps");
}

template <class Self, class Visitor>
void MarginalSglmOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, relative to the posterior");
  visit("groups_per_step", self.groups_per_step, "groups in a minibatch, each with all its rows; 0: automatic");
}

template <class Self, class Visitor>
void HmcEcsOptions::visit_options(Self& self, Visitor&& visit) {
  visit("target_acceptance", self.target_acceptance, "acceptance rate to which warm-up adapts the step size");
  visit("max_tree_depth", self.max_tree_depth, "a trajectory has at most 2^max_tree_depth steps");
  visit("subset_rows", self.subset_rows, "number of rows in the subset; 0: automatic");
  visit("metric", self.metric, "unit, diagonal or dense");
}

}  // namespace sgmcmc
