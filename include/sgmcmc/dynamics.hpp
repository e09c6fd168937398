// The samplers and their options: one plain struct per sampler, its defaults, and what its numbers mean.
//
// Step sizes are on the scale of the papers: sgld moves by (step_size / 2) * gradient of the WHOLE log posterior (sums
// over all rows, never means) plus noise of variance step_size. See docs of each struct for the others.
//
// nuts, hmc and mala are exact: they use every row at every step, correct for the step size by accepting or rejecting,
// and find it themselves during warm-up. Their draws all have weight 1 and carry statistics (divergences, energy, ...).
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

/// One step size for all parameters, or one for each element of the unconstrained parameter vector.
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
  /// r h at first, falling by the same factor every iteration to h after t of them, and h from then on, with h the
  /// step_size: for a warm-up that has far to go. r >= 1, t >= 1.
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

/// sgld whose noise is the mean of two consecutive draws, each used twice: theta += (step_size / 2) * gradient +
/// sqrt(step_size) * (noise(t) + noise(t + 1)) / 2. On a Gaussian its variance is right for every step size, elsewhere
/// its error is of second order. sample() runs it in coordinates in which the posterior is about standard normal, where
/// steps of 0.2 to 1 do; see SampleOptions::precondition.
struct SglmOptions {
  static constexpr std::string_view name = "sglm";
  static constexpr std::string_view summary = "Langevin dynamics with averaged noise, in units of the posterior";

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
  std::vector<double> friction_each{};  ///< the same for each element of the parameter vector; none: friction for all
  std::uint32_t trajectory_length = 5;  ///< L: gradient steps per iteration
  bool refresh_momentum = true;         ///< draw momentum anew at the start of every trajectory
  SghmcForm form = SghmcForm::splitting;
  NoiseCorrection noise_correction = NoiseCorrection::none;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Stochastic gradient Nose-Hoover thermostat: friction adapts until the momentum has variance step_size, which absorbs
/// gradient noise of unknown size. Its stationary variance is low by half the friction it settles at (about
/// `diffusion`).
struct SgnhtOptions {
  static constexpr std::string_view name = "sgnht";
  static constexpr std::string_view summary = "stochastic gradient Nose-Hoover thermostat";

  StepSize step_size{};
  Schedule schedule{};
  double diffusion = 0.01;  ///< a: noise of variance 2 * a * step_size per step; also where the friction starts
  std::vector<double> diffusion_each{};  ///< the same for each element of the parameter vector; none: diffusion for all

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Underdamped Langevin dynamics by the splitting B A O A B: half a kick by the gradient, half a drift, friction and
/// noise, half a drift, half a kick. Momentum is never drawn anew. On a Gaussian its variance is right for every step
/// size, as that of sglm, and with little friction it moves farther for the same number of gradients.
struct BaoabOptions {
  static constexpr std::string_view name = "baoab";
  static constexpr std::string_view summary = "underdamped Langevin dynamics by a symmetric splitting";

  StepSize step_size{};  ///< as of sghmc: the square of the time step
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
  bool correction = false;       ///< the term that makes the law right as the step shrinks; a second gradient per step

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

enum class FisherBlocks : std::uint8_t {
  one,         ///< all pairs of coordinates (default)
  parameters,  ///< pairs within each parameter of the model; those of different parameters count as uncorrelated
};

/// Stochastic gradient Fisher scoring: steps weighted by the covariance of the rows' gradients, which is also what
/// tells how much of the noise the minibatches bring along. There is no step size: alpha = 2 / sqrt(step size) of the
/// paper, and at 0 no noise is added at all. At 1 steps are right for quiet gradients too: of a Gaussian posterior they
/// are then independent draws, where 0 would only swing from side to side.
struct SgfsFullOptions {
  static constexpr std::string_view name = "sgfs-full";
  static constexpr std::string_view summary = "stochastic gradient Fisher scoring, all pairs of parameters";

  double alpha = 1.0;
  FisherBlocks blocks = FisherBlocks::one;
  std::vector<std::size_t> block_sizes{};  ///< of blocks `parameters`, in order; none: sample() takes the model's

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// As sgfs-full, each parameter by itself: for many parameters. Underestimates variances where parameters are
/// correlated and alpha is small.
struct SgfsDiagonalOptions {
  static constexpr std::string_view name = "sgfs-diagonal";
  static constexpr std::string_view summary = "stochastic gradient Fisher scoring, each parameter by itself";

  double alpha = 1.0;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// A metric G(theta) of the user's, such as the expected Fisher information. Called from all chains at once, so its
/// functions must not write to anything they share.
struct PositionMetric {
  bool dense = false;  ///< G is a matrix: D x D numbers by column, of which the lower triangle is read; else D numbers
  bool constant = false;  ///< G is the same everywhere: asked for once
  std::function<void(std::span<const double> theta, std::span<double> metric)> value;
  /// Gamma_i = sum over j of the derivative of (G^-1)_ij in theta_j. None: by differences of value, at the price of
  /// 2 D calls of it (and 2 D solves, where it is dense) a step.
  std::function<void(std::span<const double> theta, std::span<double> correction)> correction;
};

/// Riemannian Langevin dynamics: theta += (step_size / 2) (G^-1 gradient + Gamma) + N(0, step_size G^-1).
struct SgrldOptions {
  static constexpr std::string_view name = "sgrld";
  static constexpr std::string_view summary = "Riemannian Langevin dynamics with a given metric";

  StepSize step_size{};
  Schedule schedule{};
  PositionMetric metric{};  ///< none: sample() finds the mode and takes the curvature there, the same everywhere

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// What hamcmc learns its inverse Hessian from.
enum class HamcmcPairs : std::uint8_t {
  moves,     ///< changes of the gradient along the last moves, as published (default)
  stiffest,  ///< changes along the stiffest directions, which are looked for at the start
};

/// Quasi-Newton Langevin dynamics: theta_t = theta_{t-M} + step_size * H * gradient + N(0, 2 step_size H), H from
/// L-BFGS on the iterations between. Steps are in units of the posterior: 0.01 to 0.5 whatever the model.
struct HamcmcOptions {
  static constexpr std::string_view name = "hamcmc";
  static constexpr std::string_view summary = "quasi-Newton Langevin dynamics";

  StepSize step_size{};
  Schedule schedule{};
  std::uint32_t history = 3;    ///< M: interleaved chains; M - 1 pairs make the inverse Hessian
  double regularisation = 0.0;  ///< lambda: added to the curvature, as a precision
  double initial_scale = 0.0;   ///< gamma: of the inverse Hessian before the pairs; 0: found from earlier pairs
  HamcmcPairs pairs = HamcmcPairs::moves;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// The inverse mass matrix of nuts, hmc and mala: the scales, and correlations, of the parameters as they are seen.
enum class Metric : std::uint8_t {
  unit,      ///< the identity; nothing is adapted
  diagonal,  ///< variances, estimated in warm-up (default)
  dense,     ///< covariances, estimated in warm-up: dimension^2 numbers, for strong correlations in few dimensions
};

/// The No-U-Turn sampler: Hamiltonian trajectories that end where they would turn back. Exact.
struct NutsOptions {
  static constexpr std::string_view name = "nuts";
  static constexpr std::string_view summary = "No-U-Turn sampler: exact, all rows at every step";
  /// What it records with every draw, named as in CmdStan's files.
  static constexpr std::array<std::string_view, 7> statistics = {
      "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"};

  StepSize step_size{};               ///< of a leapfrog step: one number; not set: found. Adapted in warm-up either way
  double target_acceptance = 0.8;     ///< what warm-up adapts the step size to; nearer 1 against divergences
  std::uint32_t max_tree_depth = 10;  ///< a trajectory has at most 2^max_tree_depth steps
  Metric metric = Metric::diagonal;
  bool adapt = true;  ///< false: step size and metric stay as they start, through warm-up too

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
  std::uint32_t leapfrog_steps = 0;              ///< of a trajectory; 0: integration_time / step_size
  double jitter = 0.5;  ///< lengths vary uniformly by up to this share, against periodic orbits
  Metric metric = Metric::diagonal;
  bool adapt = true;

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Metropolis-adjusted Langevin algorithm: hmc with trajectories of one step. Exact. Its step_size squared is what sgld
/// calls step_size.
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

/// Independent draws from the normal approximation at the mode. Not exact, and quick: says at once what the others
/// start from.
struct LaplaceOptions {
  static constexpr std::string_view name = "laplace";
  static constexpr std::string_view summary = "independent draws from the normal approximation at the mode";

  std::shared_ptr<const LaplaceApproximation> approximation;  ///< none: sample() finds the mode and makes it

  void validate(std::size_t) const {}
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self&, Visitor&&) {}
};

/// nuts on the marginal posterior of the global parameters of a hierarchical model: the parameters of each group are
/// integrated out by quadrature, and drawn given the others for every draw that is kept. Exact up to the error of the
/// quadrature. lp__ is the log of the marginal density.
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

/// Metropolis steps on the same marginal posterior, with proposals from its normal approximation: one density of all
/// groups a step instead of the gradients of a trajectory. For posteriors that are close to normal.
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

/// sglm on the same marginal posterior, by minibatches of groups with all their rows: control variates at its mode,
/// groups drawn by preference.
struct MarginalSglmOptions {
  static constexpr std::string_view name = "marginal-sglm";
  static constexpr std::string_view summary = "hierarchical models: sglm by minibatches of groups";

  StepSize step_size = 0.3;                                        ///< in units of the posterior
  std::uint32_t groups_per_step = 0;                               ///< 0: as many as keep the noise of gradients small
  std::shared_ptr<const MarginalTarget> target;                    ///< none: sample() finds the groups and the mode
  std::shared_ptr<const std::vector<std::uint32_t>> drawn_groups;  ///< whose parameters are drawn; none: all

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// nuts on prior + second-order expansions of all rows' likelihoods + what they leave out, estimated from a subset of
/// the rows that Metropolis steps exchange: its cost does not grow with the rows. For posteriors whose difficulty is
/// the prior (horseshoes, funnels) under a likelihood of many rows. Exact up to an error that subset_error__ tells.
struct HmcEcsOptions {
  static constexpr std::string_view name = "hmc-ecs";
  static constexpr std::string_view summary = "nuts on a subset of the rows and expansions of the rest";
  static constexpr std::array<std::string_view, 10> statistics = {
      "lp__",        "accept_stat__", "stepsize__",        "treedepth__",     "n_leapfrog__",
      "divergent__", "energy__",      "subset_variance__", "subset_accept__", "subset_error__"};

  double target_acceptance = 0.95;
  std::uint32_t max_tree_depth = 10;
  std::uint32_t subset_rows = 0;  ///< 0: as many as keep the variance of the estimated log likelihood at 1 or below
  Metric metric = Metric::diagonal;
  std::shared_ptr<const SubsetTarget> target;  ///< none: sample() expands the likelihood

  void validate(std::size_t dimension) const;                   ///< throws OptionError naming the option
  SamplerTraits traits() const;                                 ///< for the library: dynamics/traits.hpp
  std::unique_ptr<Dynamics> make(std::size_t dimension) const;  ///< for the library: the sampler itself
  template <class Self, class Visitor>
  static void visit_options(Self& self, Visitor&& visit);
};

/// Every sampler, chosen and configured. This list is the registry: names, help and construction all follow from it.
using SamplerOptions =
    std::variant<SgldOptions, SglmOptions, SghmcOptions, SgnhtOptions, BaoabOptions, PsgldOptions, SgfsFullOptions,
                 SgfsDiagonalOptions, SgrldOptions, HamcmcOptions, NutsOptions, HmcOptions, MalaOptions, LaplaceOptions,
                 MarginalNutsOptions, MarginalMetropolisOptions, MarginalSglmOptions, HmcEcsOptions>;

struct OptionDescription {
  std::string name;
  std::string default_text;  ///< empty when the option must be set, or is found
  std::string help;
};

std::vector<std::string> sampler_names();
/// The options of a sampler at their defaults; throws OptionError listing the names there are.
SamplerOptions sampler_options(std::string_view name);
std::string_view sampler_name(const SamplerOptions& options);

/// Which rows a step of a sampler takes.
enum class RowUse : std::uint8_t {
  minibatches,  ///< those of the gradient estimator, any of which goes with it
  every,        ///< all
  own_subsets,  ///< subsets that the sampler draws itself
  own_groups,   ///< minibatches of groups, each with all its rows
};
RowUse row_use(const SamplerOptions& options);
/// Whether draws are from the posterior itself, whatever the step size, at the price of all rows at every step.
bool is_exact(const SamplerOptions& options);
/// Whether the sampler moves the global parameters of a hierarchical model, the others integrated out.
bool is_marginal(const SamplerOptions& options);
/// Whether a sampler has no use for a gradient estimator: those that are exact, laplace, and those of groups.
bool takes_every_row(const SamplerOptions& options);
const StepSize* step_size_of(const SamplerOptions& options);  ///< null for samplers that have none
/// What a sampler records with every draw: "lp__", "accept_stat__", ...; nothing for those that are not exact.
std::vector<std::string> statistic_names(const SamplerOptions& options);
/// Options of a sampler by name, with defaults and help, for command lines and documentation.
std::vector<OptionDescription> describe_options(const SamplerOptions& options);
/// Sets one option from text: numbers, true/false, "0.1,0.2" for one step size per parameter, "polynomial(b,gamma)",
/// "decay(tau,kappa)". Throws OptionError naming the option, or listing the options there are.
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
  visit("form", self.form, "integrator: splitting, or plain as published");
  visit("noise_correction", self.noise_correction, "none, or fisher: subtract the estimated gradient noise");
}

template <class Self, class Visitor>
void SgnhtOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  visit("diffusion", self.diffusion, "injected noise, and initial friction (a)");
}

template <class Self, class Visitor>
void PsgldOptions::visit_options(Self& self, Visitor&& visit) {
  visit("step_size", self.step_size, "step size: one number, or one per parameter");
  visit("schedule", self.schedule, "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  visit("square_decay", self.square_decay, "decay of the running mean square of the gradient (rho)");
  visit("regularisation", self.regularisation, "added to the root of that mean square (lambda)");
  visit("correction", self.correction, "add the derivative of the preconditioner, which takes a second gradient");
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
  visit("pairs", self.pairs, "what the inverse Hessian is learnt from: moves, or the stiffest directions (stiffest)");
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
  visit("leapfrog_steps", self.leapfrog_steps, "length of a trajectory in steps; 0: given by integration_time");
  visit("jitter", self.jitter, "share by which the length of trajectories varies at random");
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
  visit("step_size", self.step_size, "step size: one number, in units of the posterior");
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
