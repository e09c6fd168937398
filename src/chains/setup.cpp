// Prepares a run: options, compiled programs, the mode.
#include "chains/setup.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "chains/draw_gradient_tap.hpp"
#include "chains/lengths.hpp"
#include "dynamics/traits.hpp"
#include "dynamics/whitened.hpp"
#include "dynamics/whitening.hpp"
#include "minibatch/weighted_rows.hpp"
#include "mode/curvature.hpp"
#include "mode/mode.hpp"
#include "mode/modes.hpp"
#include "mode/precondition.hpp"
#include "mode/preferential.hpp"
#include "optimise/report_numbers.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/laplace.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace sgmcmc {
namespace {

std::vector<std::string> estimator_names() {
  std::vector<std::string> names;
  for (const auto estimator : all_estimators()) names.emplace_back(estimator_name(estimator));
  return names;
}

std::string refusal_of_estimator(std::string_view sampler, std::string_view estimator) {
  const SamplerTraits traits = traits_of(sampler_options(sampler));
  const std::string reason = traits.independent_draws       ? " is made from every row"
                             : traits.rows == RowUse::every ? " is exact and needs every row at every step"
                                                            : " chooses its rows itself";
  return std::string(sampler) + reason + ": there is no " + std::string(sampler) + "-" + std::string(estimator) +
         ". Use the method " + std::string(sampler) +
         ", or sgld, sghmc, sgnht or hamcmc for gradients from part of the rows";
}

/// Resolves automatic: linear if its cost is negligible.
ZeroVarianceForm decided_form(const SampleOptions& options, std::size_t dimension, std::size_t functions) {
  if (options.zero_variance != ZeroVarianceForm::automatic) return options.zero_variance;
  constexpr std::size_t most_dimensions = 200;
  constexpr double most_numbers = 4e6;
  const auto linear = ZeroVarianceForm::linear;
  const bool cheap = dimension <= most_dimensions &&
                     ZeroVariance::numbers(linear, dimension, functions, options.chains) <= most_numbers;
  return cheap && gradient_lag(options.sampler) ? linear : ZeroVarianceForm::none;
}

}  // namespace

RunSetup::RunSetup(const Model& model, const SampleOptions& options)
    : options_(options), posterior_(std::make_shared<const LogPosterior>(model)) {
  options_.validate(model);
  names_ = model.constrained_names();
  std::vector<Expression> outputs;
  for (const auto& info : model.parameters()) outputs.push_back(info.value);
  for (const auto& function : options_.functions) {
    outputs.push_back(function.value);
    const auto size = function.value.shape().size();
    for (std::int64_t i = 1; i <= size; ++i)
      names_.push_back(function.value.shape().is_scalar() ? function.name
                                                          : function.name + "[" + std::to_string(i) + "]");
  }
  zero_variance_ = decided_form(options_, static_cast<std::size_t>(model.dimension()), names_.size());
  if (zero_variance_ != ZeroVarianceForm::none)  // throws here rather than in a chain
    ZeroVariance(zero_variance_, static_cast<std::size_t>(model.dimension()), names_.size(), options_.chains);
  values_program_ = std::make_shared<const Program>(compile_program(outputs, {}));

  find_centre_and_map();
  if (options_.start_at_modes) find_starts();
  if (is_marginal(options_.sampler)) {
    find_marginal_target();
    keep_drawn_groups();
  }
  if (std::holds_alternative<HmcEcsOptions>(options_.sampler)) find_subset_target();
  if (auto* laplace = std::get_if<LaplaceOptions>(&options_.sampler); laplace && !laplace->approximation) {
    ThreadPool pool(threads());
    auto found = mode(options_.mode, pool);
    try {
      throw_if_interrupted(options_.interrupt);
      laplace->approximation = std::make_shared<const LaplaceApproximation>(
          approximation_at(*posterior_, std::move(found), &pool, options_.interrupt));
    } catch (const InterruptedError&) {  // chains will not start
    }
  }
  if (auto* sgrld = std::get_if<SgrldOptions>(&options_.sampler); sgrld && !sgrld->metric.value)
    sgrld->metric = curvature_at_mode();
  if (auto* sgfs = std::get_if<SgfsFullOptions>(&options_.sampler);
      sgfs && sgfs->blocks == FisherBlocks::parameters && sgfs->block_sizes.empty()) {
    for (const auto& info : model.parameters())
      if (info.unconstrained_size > 0) sgfs->block_sizes.push_back(static_cast<std::size_t>(info.unconstrained_size));
    sgmcmc::validate(options_.sampler, static_cast<std::size_t>(model.dimension()));
  }
}

bool RunSetup::interrupted() const { return is_interrupted(options_.interrupt); }

std::vector<double> RunSetup::once(const std::string& name, const std::function<std::vector<double>()>& find) {
  if (const auto known = options_.findings.find(name); known != options_.findings.end()) return known->second;
  auto found = find();
  if (!interrupted()) options_.findings[name] = found;  // else it may be incomplete
  return found;
}

ModeResult RunSetup::mode(const LbfgsOptions& search, ThreadPool& pool) {
  ModeResult result;
  OptimizeReport& report = result.report;
  bool looked = false;
  result.theta = once("mode", [&] {
    looked = true;
    auto found = mode_from_start(search, pool);
    report = found.report;
    if (report.reason == StopReason::degenerate) throw ModelError(report.describe() + ". Use nuts, or marginal-nuts");
    return found.theta;
  });
  if (!looked && !options_.findings.contains("mode_report")) return result;  // given by the user
  const auto numbers = once("mode_report", [&] { return numbers_of(report); });
  if (result.theta.size() != static_cast<std::size_t>(posterior_->dimension()))
    throw OptionError("findings: 'mode' is not that of this model");
  report = report_of(numbers);
  mode_report_ = report;
  return result;
}

void RunSetup::remember_map(const Preconditioner& map) {
  auto& findings = options_.findings;
  findings["map_kind"] = {static_cast<double>(map.kind)};
  findings["map_centre"] = map.centre;
  findings["map_scale"] = map.scale;
  findings["map_factor"] = map.factor;
  findings["map_stretch"] = map.stretch;
}

std::shared_ptr<const Preconditioner> RunSetup::remembered_map() const {
  const auto& findings = options_.findings;
  if (!findings.contains("map_kind")) return nullptr;
  auto map = std::make_shared<Preconditioner>();
  map->kind = static_cast<Precondition>(static_cast<int>(findings.at("map_kind").at(0)));
  map->centre = findings.at("map_centre");
  map->scale = findings.at("map_scale");
  map->factor = findings.at("map_factor");
  map->stretch = findings.at("map_stretch");
  map->validate();
  return map;
}

void RunSetup::find_centre_and_map() {
  using Clock = std::chrono::steady_clock;
  auto last = Clock::now();
  const auto lap = [&last] {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
  };
  GradientOptions& gradient = options_.gradient;
  const bool rows = static_cast<bool>(posterior_->model().row_log_likelihood());
  const bool centred = rows && gradient.estimator == Estimator::control_variate;
  const bool prefers = gradient.minibatch.sampling == RowSampling::preferential;
  bool preferential = prefers && rows && gradient.estimator != Estimator::full;
  if (prefers && !preferential) gradient.minibatch.sampling = RowSampling::without_replacement;
  auto& findings = options_.findings;
  // Row probabilities are stored once, with the minibatch options, and not also among the findings.
  if (const auto known = findings.find("row_probabilities"); known != findings.end()) {
    if (preferential) prefer_rows(std::move(known->second));
    preferential = false;
    findings.erase(known);
  }
  const Precondition kind = options_.decided_precondition();
  if (!centred && !preferential && kind == Precondition::none) return;

  ThreadPool pool(threads());
  auto map = options_.preconditioner;
  auto theta = gradient.centre;
  if (!map) map = remembered_map();
  if (theta.empty() && map && !findings.contains("mode")) theta = map->centre;
  if (theta.empty()) theta = mode(rough_enough(options_.mode, posterior_->rows()), pool).theta;
  seconds_.mode = lap();
  const bool stopped = interrupted();
  if (stopped && preferential) gradient.minibatch.sampling = RowSampling::with_replacement;  // no rows will be drawn
  if (centred) centre_ = known_centre(theta);
  if (centred && !centre_) centre_ = make_centre(*posterior_, theta, {gradient.precision, gradient.tile_rows, &pool});
  if (!stopped) findings["mode"] = theta;  // also if tuning found it
  if (stopped || (!preferential && kind == Precondition::none)) return;
  try {
    if (!map)
      map = make_preconditioner(*posterior_, theta, kind == Precondition::none ? Precondition::automatic : kind, &pool,
                                options_.interrupt);
  } catch (const InterruptedError&) {
    if (preferential) gradient.minibatch.sampling = RowSampling::with_replacement;  // no rows will be drawn
    return;
  }
  remember_map(*map);
  seconds_.curvature = lap();
  if (kind != Precondition::none) preconditioner_ = map;
  if (!preferential) return;
  prefer_rows(preferential_probabilities(*posterior_, gradient.estimator, map, options_.seed, &pool));
  seconds_.row_probabilities = lap();
}

std::shared_ptr<const Centre> RunSetup::known_centre(const std::vector<double>& theta) const {
  const auto known = options_.findings.find("known_gradient");
  if (known == options_.findings.end() || known->second.size() != 2 * theta.size() ||
      !std::equal(theta.begin(), theta.end(), known->second.begin()))
    return nullptr;
  const auto half = known->second.begin() + static_cast<std::ptrdiff_t>(theta.size());
  return std::make_shared<const Centre>(Centre{theta, {half, known->second.end()}});
}

void RunSetup::prefer_rows(std::vector<double> probabilities) {
  MinibatchOptions& minibatch = options_.gradient.minibatch;
  minibatch.row_probabilities = std::move(probabilities);
  minibatch.sampling = RowSampling::weighted;
  minibatch.validate(posterior_->rows());
  minibatch.prepared = weighted_rows(minibatch);
}

void RunSetup::find_starts() {
  ThreadPool pool(threads());
  const auto highest = mode(rough_enough(options_.mode, posterior_->rows()), pool).theta;
  const auto numbers = once("modes", [&] {  // the share, then the position, of each mode
    std::vector<double> all;
    const auto found = modes_that_matter(*posterior_, highest, options_.seed, pool, options_.interrupt);
    for (std::size_t k = 0; k < found.modes.size(); ++k) {
      all.push_back(found.shares[k]);
      all.insert(all.end(), found.modes[k].theta.begin(), found.modes[k].theta.end());
    }
    return all;
  });
  const std::size_t each = 1 + highest.size();
  std::vector<double> shares;
  for (std::size_t at = 0; at < numbers.size(); at += each) shares.push_back(numbers[at]);
  if (shares.empty()) return;  // one mode only: start chains apart from each other
  for (const std::size_t k : distribute_chains(shares, options_.chains)) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(k * each + 1);
    starts_.emplace_back(first, first + static_cast<std::ptrdiff_t>(highest.size()));
  }
}

ModeResult RunSetup::mode_from_start(const LbfgsOptions& search, ThreadPool& pool) {
  // A random coefficient of a column with values in the millions overflows an exponential, or is too far away for a
  // search; 0 hardly ever is. If even 0 is outside the support, tries points ever nearer to it.
  std::optional<ModeResult> best;
  auto start = starting_point(0);
  std::vector<std::vector<double>> starts = {start};
  if (options_.initial.empty()) {
    starts.emplace_back(start.size(), 0.0);
    for (int k = 1; k <= 8; ++k) {
      for (double& x : start) x *= 0.1;
      starts.push_back(start);
    }
  }
  for (std::size_t k = 0; k < starts.size(); ++k) {
    try {
      std::vector<double> gradient;
      auto found = climb(*posterior_, search, starts[k], &pool, options_.interrupt, &gradient);
      if (!gradient.empty() && !interrupted()) {  // a point, and the gradient of all rows there
        auto& known = options_.findings["known_gradient"] = found.theta;
        known.insert(known.end(), gradient.begin(), gradient.end());
      }
      // From 0, a search may stay between modes: keep the higher result.
      if ((found.report.converged() && !best) || interrupted()) return found;
      if (!best || found.report.value > best->report.value) best = std::move(found);
    } catch (const ModelError&) {
      if (!best && k + 1 == starts.size()) throw;
    }
    if (best && k >= 1) break;
  }
  return *best;
}

PositionMetric RunSetup::curvature_at_mode() {
  ThreadPool pool(threads());
  auto theta = centre_ ? centre_->theta : mode(options_.mode, pool).theta;
  std::vector<double> hessian;
  try {
    throw_if_interrupted(options_.interrupt);
    hessian = once("curvature", [&] { return negative_hessian(*posterior_, theta, &pool, options_.interrupt); });
  } catch (const InterruptedError&) {  // chains will not start
    PositionMetric none;
    none.value = [](std::span<const double>, std::span<double> out) { std::fill(out.begin(), out.end(), 1.0); };
    return none;
  }
  // Throws with the reason if it is not positive definite.
  const LaplaceApproximation check(std::move(theta), hessian, 0.0, posterior_->model().unconstrained_names());
  PositionMetric metric;
  metric.dense = metric.constant = true;
  metric.value = [hessian = std::move(hessian)](std::span<const double>, std::span<double> out) {
    std::copy(hessian.begin(), hessian.end(), out.begin());
  };
  return metric;
}

std::shared_ptr<RunSetup> RunSetup::with(const SampleOptions& options) const {
  auto other = std::make_shared<RunSetup>(*this);
  options.validate(posterior_->model());
  other->options_ = options;
  if (options.zero_variance == ZeroVarianceForm::none) other->zero_variance_ = ZeroVarianceForm::none;
  if (options.gradient.estimator != Estimator::control_variate) other->centre_ = nullptr;
  if (options.decided_precondition() == Precondition::none) other->preconditioner_ = nullptr;
  return other;
}

int RunSetup::threads() const { return options_.threads > 0 ? options_.threads : hardware_threads(); }

int RunSetup::threads_per_chain() const {
  return std::max(1, threads() / static_cast<int>(std::max<std::uint32_t>(1, options_.chains)));
}

std::vector<double> RunSetup::starting_point(std::uint32_t chain, std::uint64_t attempt) const {
  const Model& model = posterior_->model();
  std::vector<double> theta(static_cast<std::size_t>(model.dimension()));
  if (!starts_.empty()) {
    theta = starts_[chain];
  } else if (preconditioner_) {
    constexpr std::uint64_t normals = std::uint64_t{1} << 40;  // offset from the uniforms below
    std::vector<double> u(theta.size());
    fill_normal({options_.seed, chain, normals, Purpose::initial}, u);
    for (auto& x : u) x = std::ldexp(x, -static_cast<int>(attempt));
    Whitening(preconditioner_).position(u, theta);
  } else if (centre_) {
    theta = centre_->theta;
  } else {
    fill_uniform({options_.seed, chain, attempt, Purpose::initial}, theta);
    for (auto& x : theta) x = options_.initial_radius * (2.0 * x - 1.0);
  }
  const auto given = model.unconstrain(options_.initial);
  for (const auto& info : model.parameters()) {
    if (!options_.initial.count(info.name)) continue;
    std::copy_n(given.begin() + info.offset, info.unconstrained_size, theta.begin() + info.offset);
  }
  return theta;
}

void SampleOptions::validate(const Model& model) const {
  if (automatic) throw OptionError("method is auto: let tune() find it, or sample(), which calls it");
  check_lengths(*this);
  std::visit(
      [&](const auto& options) {
        if constexpr (requires { options.schedule; })
          if (options.schedule.kind == Schedule::Kind::annealing &&
              options.schedule.exponent > static_cast<double>(warmup))
            throw OptionError("schedule: annealing takes " + formatted("%.0f", options.schedule.exponent) +
                              " iterations, and warmup " + std::to_string(warmup) +
                              ": draws made on the way would count most; make warmup as long");
      },
      sampler);
  if (!(initial_radius >= 0) || !std::isfinite(initial_radius))
    throw OptionError("initial_radius must not be negative");
  if (!(progress_seconds >= 0)) throw OptionError("progress_seconds must not be negative");
  if (model.row_log_likelihood()) gradient.validate(model.rows(), model.dimension());
  sgmcmc::validate(sampler, static_cast<std::size_t>(model.dimension()));
  if (takes_every_row(sampler) && gradient.estimator != Estimator::full && model.row_log_likelihood())
    throw OptionError(refusal_of_estimator(sampler_name(sampler), estimator_name(gradient.estimator)));
  check_whitened(sampler, decided_precondition());
  const bool one_centre = gradient.estimator == Estimator::control_variate && model.row_log_likelihood();
  if (start_at_modes && (one_centre || decided_precondition() != Precondition::none || is_marginal(sampler) ||
                         traits_of(sampler).independent_draws || row_use(sampler) == RowUse::own_subsets))
    throw OptionError(
        "start_at_modes: chains can start at several modes with samplers that are not built around one of them: not "
        "with control variates, in preconditioned coordinates, or with laplace, hmc-ecs or samplers that integrate "
        "over groups");
  if (preconditioner) {
    preconditioner->validate();
    if (static_cast<std::int64_t>(preconditioner->dimension()) != model.dimension())
      throw OptionError("preconditioner has " + std::to_string(preconditioner->dimension()) +
                        " coordinates; the model has " + std::to_string(model.dimension()) +
                        " unconstrained parameters");
  }
  if (model.given_likelihood() && row_use(sampler) == RowUse::own_subsets)
    throw OptionError(std::string(sampler_name(sampler)) +
                      " expands the likelihood, and that of this model is code of the caller; use another method");
  const SamplerTraits traits = traits_of(sampler);
  if (traits.learns_from_rows && !model.row_log_likelihood())
    throw OptionError(std::string(sampler_name(sampler)) +
                      " learns from the spread of the gradients of rows, and the likelihood of this model has none; "
                      "use hamcmc-full, or nuts");
  const bool whole = gradient.estimator == Estimator::full || gradient.minibatch.batch_size == 0;
  if (traits.learns_from_rows && (whole ? model.rows() : gradient.minibatch.batch_size) < 2)
    throw OptionError(std::string(sampler_name(sampler)) +
                      " learns from the spread of the gradients of the rows of a " +
                      "batch, and there is one row in it; use a larger batch_size");
  if ((zero_variance == ZeroVarianceForm::linear || zero_variance == ZeroVarianceForm::quadratic) &&
      !gradient_lag(sampler))
    throw OptionError("zero_variance is " + std::string(zero_variance_name(zero_variance)) + ", but " +
                      std::string(sampler_name(sampler)) + " " + std::string(traits.draw_gradient->why_never));
  std::set<std::string> names;
  for (const auto& parameter : model.parameters()) names.insert(parameter.name);
  for (const auto& function : functions) {
    if (function.name.empty()) throw OptionError("a test function needs a name");
    if (!names.insert(function.name).second)
      throw OptionError("test function '" + function.name +
                        "' has the name of a parameter or of another test function");
    if (!function.value) throw OptionError("test function '" + function.name + "' is empty");
    if (function.value.per_row())
      throw OptionError("test function '" + function.name + "' depends on row data; use RowAverage for that");
  }
}

SampleOptions& SampleOptions::method(const std::string& name) {
  automatic = name == "auto";
  if (automatic) return *this;
  const auto samplers = sampler_names();
  std::string wanted;  // longest sampler name that is a prefix: sgfs-full is a sampler, sgld-full is not
  for (const auto& s : samplers)
    if (s.size() > wanted.size() && (name == s || name.starts_with(s + "-"))) wanted = s;
  const auto dash = name.find('-', wanted.size());
  const auto estimators = estimator_names();
  const bool known = !wanted.empty();
  const bool exact = known && is_exact(sampler_options(wanted));
  const bool every_row = known && takes_every_row(sampler_options(wanted));
  const auto estimator =
      dash != std::string::npos ? name.substr(dash + 1) : std::string(every_row ? "full" : "minibatch");
  if (!known || std::find(estimators.begin(), estimators.end(), estimator) == estimators.end()) {
    std::vector<std::string> methods = samplers, any_estimator, exact_ones;
    for (const auto& s : samplers) {
      const bool takes_all = takes_every_row(sampler_options(s));
      (takes_all ? exact_ones : any_estimator).push_back(s);
      for (const auto& e : estimators)
        if (!takes_all) methods.push_back(s + "-" + e);
    }
    const auto near = nearest_name(name, methods);
    throw OptionError("there is no method '" + name + "'." + (near.empty() ? "" : " Did you mean '" + near + "'?") +
                      " A method is a sampler (" + quoted_list(any_estimator) +
                      "), alone or with a dash and a gradient estimator (" + quoted_list(estimators) +
                      "), or one that takes every row (" + quoted_list(exact_ones) + ")");
  }
  if (every_row && estimator != "full") throw OptionError(refusal_of_estimator(wanted, estimator));
  if (sampler_name(sampler) != wanted) {
    // One option at a time: a visit of two variants is compiled for every pair of samplers.
    auto fresh = sampler_options(wanted);
    StepSize step_size;
    std::optional<Schedule> schedule;
    std::visit(
        [&](const auto& from) {
          if constexpr (requires { from.step_size; }) step_size = from.step_size;
          if constexpr (requires { from.schedule; }) schedule = from.schedule;
        },
        sampler);
    std::visit(
        [&](auto& to) {
          if constexpr (requires { to.step_size = step_size; })
            if (!step_size.values.empty()) to.step_size = step_size;
          if constexpr (requires { to.schedule = *schedule; })
            if (schedule) to.schedule = *schedule;
        },
        fresh);
    sampler = fresh;
  }
  if (exact) {
    const SampleOptions untouched;
    if (iterations == untouched.iterations) iterations = exact_iterations;
    if (warmup == untouched.warmup) warmup = exact_warmup;
    if (initial_radius == untouched.initial_radius) initial_radius = exact_initial_radius;
  }
  const SamplerTraits traits = traits_of(sampler);
  if (traits.independent_draws && iterations == SampleOptions{}.iterations) iterations = exact_iterations;
  gradient.estimator = estimator_by_name(estimator);
  if (traits.whitened_by_default && gradient.estimator != Estimator::full &&
      gradient.minibatch.sampling == RowSampling::without_replacement)
    gradient.minibatch.sampling = RowSampling::preferential;
  return *this;
}

Precondition SampleOptions::decided_precondition() const {
  if (precondition) return *precondition;
  return traits_of(sampler).whitened_by_default ? Precondition::automatic : Precondition::none;
}

SampleOptions& SampleOptions::step_size(StepSize value) {
  std::visit(
      [&](auto& o) {
        if constexpr (requires { o.step_size; }) o.step_size = value;
      },
      sampler);
  return *this;
}

SampleOptions& SampleOptions::step_size(const Model& model, const std::map<std::string, double>& by_name,
                                        double others) {
  std::vector<double> each(static_cast<std::size_t>(model.dimension()), others);
  std::vector<std::string> known;
  for (const auto& info : model.parameters()) {
    known.push_back(info.name);
    const auto found = by_name.find(info.name);
    if (found != by_name.end()) std::fill_n(each.begin() + info.offset, info.unconstrained_size, found->second);
  }
  for (const auto& [name, value] : by_name)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw OptionError("step_size: there is no parameter '" + name + "'." + did_you_mean(name, known));
  return step_size(StepSize(std::move(each)));
}

}  // namespace sgmcmc
